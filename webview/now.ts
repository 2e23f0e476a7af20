// The head of the panel: first what waits for the person, then what is wrong, then the race that runs or ended last.
import { html, nothing, svg, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { LaneState, Snapshot, SnapshotMessage } from '../src/protocol.ts';
import { candidateLabel, dollars, duration, unpricedText } from './format.ts';
import { button, facts, icon, type RunCommand } from './parts.ts';
import { levelWords, noteWords, t } from './words.ts';

/** Shortest span the lanes are drawn against, so that a quick answer does not fill the bar. */
const LEAST_SPAN_MS = 1000;

/** The head. `nowMs` is the host's time, carried on by the panel's own clock while a race runs. */
export function nowHeader(message: SnapshotMessage, nowMs: number, run: RunCommand): TemplateResult {
  const { snapshot } = message;
  return html`
    ${questions(snapshot)} ${unknownEffects(snapshot)} ${closedOff(snapshot)} ${lastNotice(snapshot, run)}
    ${task(snapshot)} ${race(snapshot, nowMs)} ${snapshot.totals.calls > 0 ? totals(snapshot) : nothing}
  `;
}

function questions({ questions: waiting }: Snapshot): TemplateResult | typeof nothing {
  if (waiting.length === 0) return nothing;
  return html`<ul class="banner question">
    ${waiting.map(
      ({ title, level }) =>
        html`<li>
          ${icon('question', 'caution')}
          <span class="line-text"
            ><span class="title">${t('Waits for your answer: {0}', title)}</span>
            ${facts([level === null ? '' : `${levelWords(level)} (${level})`, t('answer in the dialog')])}</span
          >
        </li>`,
    )}
  </ul>`;
}

function unknownEffects({ totals: { unknownEffects: count } }: Snapshot): TemplateResult | typeof nothing {
  if (count === 0) return nothing;
  const text =
    count === 1
      ? t('The result of 1 effect is unknown. It is not run again unasked.')
      : t('The results of {0} effects are unknown. They are not run again unasked.', count);
  return html`<p class="banner unknown">${icon('circle-slash', 'caution')}<span class="line-text">${text}</span></p>`;
}

function closedOff({ breakers }: Snapshot): TemplateResult | typeof nothing {
  if (breakers.length === 0) return nothing;
  return html`<div class="banner warning">
    ${icon('shield', 'caution')}
    <span class="line-text"
      >${breakers.map(
        ({ target, status, why }) =>
          html`<span
            ><span>${status === 'open' ? t('{0} is closed off', target) : t('{0} is being probed', target)}</span>
            <span class="meta">${why}</span></span
          >`,
      )}</span
    >
  </div>`;
}

function lastNotice({ notices }: Snapshot, run: RunCommand): TemplateResult | typeof nothing {
  const notice = notices.findLast(({ severity }) => severity !== 'info');
  if (!notice) return nothing;
  return html`<div class="banner ${notice.severity}">
    ${icon(notice.severity, notice.severity === 'error' ? 'bad' : 'caution')}
    <span class="line-text"><span>${notice.message}</span><span class="meta">${notice.remedy}</span></span>
    <button type="button" class="link" @click=${() => run('show-log')}>${t('Log')}</button>
  </div>`;
}

function task({ task: current }: Snapshot): TemplateResult | typeof nothing {
  if (!current) return nothing;
  const step =
    current.step === 0 ? nothing : html`<span class="meta">${t('step {0}', current.step)} ${current.title}</span>`;
  return html`<p class="working">
    ${icon('tools')}<span class="line-text"><span class="title">${current.goal}</span>${step}</span>
  </p>`;
}

const isGoing = ({ status }: LaneState): boolean => status === 'running' || status === 'streaming';

/** True while the lanes move. */
export function isRacing({ race: current }: Snapshot): boolean {
  return current?.lanes.some(isGoing) ?? false;
}

function race({ race: current }: Snapshot, nowMs: number): TemplateResult | typeof nothing {
  if (!current || current.lanes.length === 0) return nothing;
  const startMs = Math.min(...current.lanes.map((lane) => lane.startedAtMs));
  const endOf = (lane: LaneState): number =>
    Math.max(lane.startedAtMs, lane.elapsedMs === null ? nowMs : lane.startedAtMs + lane.elapsedMs);
  const endMs = Math.max(...current.lanes.map(endOf));
  const spanMs = Math.max(LEAST_SPAN_MS, endMs - startMs);
  const title = current.lanes.some(isGoing)
    ? t('{0} call, {1}', current.role, duration(endMs - startMs))
    : t('Last {0} call, {1}', current.role, duration(endMs - startMs));
  return html`<section class="race" aria-label=${t('Race')}>
    <h2>
      ${title}${current.model === '*' || current.model === '' ? nothing : html` <span class="count">${current.model}</span>`}
    </h2>
    <ul class="lanes">
      ${repeat(
        current.lanes,
        ({ attempt }) => attempt,
        (lane) => laneView(lane, (lane.startedAtMs - startMs) / spanMs, (endOf(lane) - startMs) / spanMs, spanMs),
      )}
    </ul>
  </section>`;
}

function laneView(lane: LaneState, from: number, to: number, spanMs: number): TemplateResult {
  const words = {
    running: t('waiting'),
    streaming: t('answering'),
    succeeded: t('answered'),
    failed: noteWords(lane.note),
    cancelled: t('cancelled'),
  }[lane.status];
  const icons = {
    running: 'circle-outline',
    streaming: 'arrow-right',
    succeeded: 'pass',
    failed: 'error',
    cancelled: 'circle-slash',
  };
  const note = lane.status === 'failed' || lane.note === 'first' ? '' : noteWords(lane.note);
  const token = lane.firstTokenMs === null ? '' : t('first token {0}', duration(lane.firstTokenMs));
  const end = lane.elapsedMs === null ? '' : duration(lane.elapsedMs);
  const x = (position: number): number => Math.min(100, Math.max(0, position * 100));
  const firstToken =
    lane.firstTokenMs === null
      ? nothing
      : svg`<rect class="lane-token" x=${Math.min(99, x(from + lane.firstTokenMs / spanMs))} y="0" width="1" height="8"></rect>`;
  return html`<li class="lane ${lane.status}">
    <span class="lane-name">${icon(icons[lane.status])} ${candidateLabel(lane.candidate)}</span>
    <span class="lane-status">${words}</span>
    <svg class="bar lane-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-track" x="0" y="2" width="100" height="4" rx="1"></rect>
      <rect class="lane-fill" x=${x(from)} y="2" width=${Math.max(1, x(to) - x(from))} height="4" rx="1"></rect>
      ${firstToken}
    </svg>
    ${facts([note, token, end])}
  </li>`;
}

function totals({ totals: sums, constraints, copies, spending }: Snapshot): TemplateResult {
  const { calls, faultsMended, duplicates, costUsd, hedgeCostUsd, unpricedAttempts } = sums;
  const cost = hedgeCostUsd > 0 ? t('{0} (hedges {1})', dollars(costUsd), dollars(hedgeCostUsd)) : dollars(costUsd);
  const figures = [
    calls === 1 ? t('1 call') : t('{0} calls', calls),
    t('{0} mended', faultsMended),
    t('{0} doubled', duplicates),
    cost,
    unpricedText(unpricedAttempts),
    copiesText(copies),
    (constraints.lateShare ?? 0) > 0
      ? t('{0} % of tasks past their deadline', Math.round((constraints.lateShare ?? 0) * 100))
      : '',
  ];
  return html`<p>${facts(figures, 'meta totals')}</p>
    ${today(spending)}`;
}

/** The day's money over all windows; nothing while nothing was spent and nothing limits it. */
function today({ usd, extraUsd, limitUsd }: Snapshot['spending']): TemplateResult | typeof nothing {
  if (usd === 0 && limitUsd === null) return nothing;
  const spent =
    limitUsd === null ? t('Today {0}', dollars(usd)) : t('Today {0} of {1}', dollars(usd), dollars(limitUsd));
  const extra = extraUsd > 0 ? t('{0} of it for no answer', dollars(extraUsd)) : '';
  return html`<p>${facts([spent, extra], 'meta totals')}</p>`;
}

/** What starting more than one attempt at a time cost and saved, against asking one candidate after the other. */
function copiesText({ redundantCalls, spentUsd, savedS, unknownSavings }: Snapshot['copies']): string {
  if (redundantCalls === 0) return '';
  const cost = dollars(Math.max(0, spentUsd));
  const saved = duration(savedS * 1000);
  // A loser that was cut off would have taken longer, and how much longer is not known.
  return unknownSavings > 0
    ? t('copies cost {0} and saved {1} or more', cost, saved)
    : t('copies cost {0} and saved {1}', cost, saved);
}

/** What is shown instead of everything else while there is nothing to show: each state teaches the next step. */
export function emptyState(
  { status, statusText }: Pick<SnapshotMessage, 'status' | 'statusText'>,
  run: RunCommand,
): TemplateResult | null {
  switch (status) {
    case 'ready':
      return null;
    case 'starting':
      return page('sync', t('Belay is starting'), t('This takes a moment.'), nothing);
    case 'untrusted':
      return page(
        'workspace-untrusted',
        t('This workspace is not trusted'),
        t(
          'Until you trust it, Belay makes no model calls, runs no commands, edits no files and keeps its gateway off.',
        ),
        button(t('Manage Trust'), 'workspace-trusted', () => run('manage-trust'), true),
      );
    case 'failed':
      return page(
        'error',
        t('Belay could not start'),
        statusText,
        html`${button(t('Show Log'), 'output', () => run('show-log'), true)}${button(t('Open Settings'), 'settings-gear', () => run('open-settings'))}`,
      );
    case 'no-provider':
      return page(
        'shield',
        t('Put your agent on the rope'),
        t('Add a provider. With two providers, accounts or regions, a slow or failing one is hedged by the other.'),
        html`${button(t('Add Provider'), 'add', () => run('add-provider'), true)}${button(t('Take the Tour'), 'book', () => run('open-walkthrough'))}`,
      );
  }
}

function page(
  iconName: string,
  heading: string,
  text: string,
  buttons: TemplateResult | typeof nothing,
): TemplateResult {
  return html`<div class="empty">
    ${icon(iconName, 'large')}
    <h2>${heading}</h2>
    <p>${text}</p>
    <div class="buttons">${buttons}</div>
  </div>`;
}
