// The race timeline as SVG: one row an attempt, grouped by call, on one time axis. Colour is never alone: a failed bar ends
// in a cross and its class, a cancelled one fades out dashed, the winner is solid with a dot at its first token.
import { html, type Html } from './html.ts';
import { short } from './lines.ts';
import type { Story, StoryCall, StoryLane } from './story.ts';

const WIDTH = 960;
const LABEL = 250;
const ROW = 17;
const GAP = 9;
const TOP = 26;

/** Draws all calls of a story. Widths are in px of a 960 px drawing that scales with its box. */
export function timeline(story: Story): Html {
  const spanMs = Math.max(1, story.endedAtMs - story.startedAtMs);
  const x = (atMs: number): number => LABEL + ((atMs - story.startedAtMs) / spanMs) * (WIDTH - LABEL - 60);
  let y = TOP;
  const rows: Html[] = [];
  for (const call of story.calls) {
    const height = Math.max(1, call.lanes.length) * ROW;
    rows.push(html`<rect class="band" x="0" y="${y - 3}" width="${WIDTH}" height="${height + 5}" />`);
    rows.push(html`<text class="step" x="6" y="${y + 11}">${call.step}</text>`);
    for (const lane of call.lanes) {
      rows.push(drawLane(call, lane, x, y, story.endedAtMs));
      y += ROW;
    }
    if (call.lanes.length === 0) y += ROW;
    y += GAP;
  }
  return html`<svg
    class="timeline"
    viewBox="0 0 ${WIDTH} ${y}"
    role="img"
    aria-label="When each attempt ran and how it ended"
  >
    ${axis(spanMs, x, story.startedAtMs, y)}${rows}
  </svg>`;
}

function axis(spanMs: number, x: (atMs: number) => number, startMs: number, bottom: number): Html {
  const stepMs = [100, 250, 500, 1000, 2000, 5000, 10_000, 30_000].find((size) => spanMs / size <= 10) ?? 60_000;
  const ticks: Html[] = [];
  for (let atMs = 0; atMs <= spanMs; atMs += stepMs) {
    const at = round(x(startMs + atMs));
    const label = `${stepMs < 1000 ? (atMs / 1000).toFixed(1) : atMs / 1000} s`;
    ticks.push(
      html`<line class="grid" x1="${at}" y1="18" x2="${at}" y2="${bottom}" /><text class="tick" x="${at}" y="12"
          >${label}</text
        >`,
    );
  }
  return html`${ticks}`;
}

function drawLane(call: StoryCall, lane: StoryLane, x: (atMs: number) => number, y: number, endMs: number): Html {
  const from = round(x(lane.startedAtMs));
  const to = round(Math.max(from + 2, x(lane.endedAtMs ?? endMs)));
  const isWinner = lane.status === 'succeeded' && lane.candidate === call.winner;
  const kind = isWinner ? 'winner' : lane.status;
  const firstToken =
    lane.firstTokenAtMs === null
      ? null
      : html`<circle class="first" cx="${round(x(lane.firstTokenAtMs))}" cy="${y + 6}" r="3" />`;
  const note =
    lane.status === 'failed' ? `✕ ${lane.fault?.class ?? ''}` : lane.status === 'cancelled' ? 'cancelled' : '';
  const title = `${lane.candidate} (${lane.reason}): ${lane.status}${lane.fault ? ` ${lane.fault.class}` : ''}`;
  return html`<g
    ><title>${title}</title>
    <text class="name" x="28" y="${y + 10}">${clipped(lane.candidate)}</text>
    <rect class="bar ${kind}" x="${from}" y="${y + 1}" width="${round(to - from)}" height="10" rx="2" />
    ${firstToken}<text class="note ${kind}" x="${to + 4}" y="${y + 10}">${note}</text></g
  >`;
}

/** At most 34 characters. */
function clipped(candidate: string): string {
  const name = short(candidate);
  return name.length > 34 ? `${name.slice(0, 33)}…` : name;
}

const round = (value: number): number => Math.round(value * 10) / 10;
