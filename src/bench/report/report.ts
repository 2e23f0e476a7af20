// The self-contained HTML report of one run: what happened in one sentence, then the evidence. Light and dark by the
// reader's own setting; no script, nothing fetched.
import type { RankedCandidate } from '../../core/events.ts';
import { faultWords, levelWords, stateWords } from '../../core/words.ts';
import { html, type Html } from './html.ts';
import { short, shortIds } from './lines.ts';
import type { Story, StoryEffect } from './story.ts';
import { reportStyle } from './style.ts';
import { timeline } from './timeline.ts';

/** One fault that the run met and what became of it. */
export interface FaultRow {
  readonly step: number;
  /** What was injected, in the wall's words. */
  readonly served: string;
  readonly candidate: string;
  /** Class Belay saw, or null when the attempt was no longer needed by then. */
  readonly seen: string | null;
  readonly handling: string;
}

/** Both books beside each other, in dollars and tokens. */
export interface MoneyRows {
  readonly oursUsd: number;
  readonly billUsd: number;
  readonly oursTokens: number;
  readonly billTokens: number;
  /** Part of ours that went to cancelled attempts. */
  readonly hedgesUsd: number;
  /** How far ours is off the bill, as a share of it. */
  readonly difference: number;
}

export interface ReportInput {
  readonly title: string;
  /** One sentence: did it work. */
  readonly verdict: string;
  readonly isGood: boolean;
  readonly story: Story;
  readonly faults: readonly FaultRow[];
  readonly money: MoneyRows;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly open: readonly string[];
}

/** The whole document. */
export function renderReport(input: ReportInput): string {
  const { story } = input;
  const last = [...story.calls].reverse().find((call) => call.ranking.length > 0 && call.role === 'coder');
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${input.title}</title>
        <style>
          ${{ html: reportStyle }}
        </style>
      </head>
      <body>
        <main>
          <header class="${input.isGood ? 'good' : 'bad'}">
            <h1>${input.title}</h1>
            <p class="verdict">
              <span class="mark" aria-hidden="true">${input.isGood ? '✓' : '✕'}</span> ${input.verdict}
            </p>
            <dl class="facts">
              ${input.facts.map(
                (fact) =>
                  html`<div>
                    <dt>${fact.name}</dt>
                    <dd>${fact.value}</dd>
                  </div>`,
              )}
            </dl>
          </header>
          ${
            input.open.length === 0
              ? null
              : html`<section>
                  <h2>Not explained</h2>
                  <ul class="open">
                    ${input.open.map((line) => html`<li>${line}</li>`)}
                  </ul>
                </section>`
          }
          <section>
            <h2>The race, call by call</h2>
            ${legend}${timeline(story)}
          </section>
          <section>
            <h2>Faults met, and what was done</h2>
            ${faultTable(input.faults)}
          </section>
          ${
            last
              ? html`<section>
                  <h2>Ranking at the end</h2>
                  <p class="hint">${shortIds(last.why)}</p>
                  ${rankingTable(last.ranking, last.hedgeSet)}
                </section>`
              : null
          }
          <section>
            <h2>Effects in the ledger</h2>
            ${effectTable(story.effects)}
          </section>
          <section>
            <h2>Cost, in both books</h2>
            ${moneyTable(input.money)}
          </section>
        </main>
      </body>
    </html>`;
  return `${page.html.replace(/^ {4}/gm, '')}\n`;
}

const legend = html`<p class="legend">
  <span class="key winner">answered</span> <span class="key succeeded">ran to the end, not needed</span>
  <span class="key failed">✕ failed, with its class</span> <span class="key cancelled">cancelled loser</span>
  <span class="dot">● first token</span>
</p>`;

function faultTable(rows: readonly FaultRow[]): Html {
  if (rows.length === 0) return html`<p class="hint">No fault was injected.</p>`;
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th>step</th>
          <th>injected</th>
          <th>at</th>
          <th>seen as</th>
          <th>what Belay did</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              <td class="number">${row.step}</td>
              <td>${row.served}</td>
              <td class="code">${short(row.candidate)}</td>
              <td>${row.seen === null ? '–' : html`${wordsOf(row.seen)} <span class="code">${row.seen}</span>`}</td>
              <td>${shortIds(row.handling)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function wordsOf(seen: string): string {
  return Object.hasOwn(faultWords, seen) ? faultWords[seen as keyof typeof faultWords] : seen;
}

function rankingTable(ranking: readonly RankedCandidate[], hedgeSet: readonly string[]): Html {
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th></th>
          <th>candidate</th>
          <th>quality</th>
          <th>availability</th>
          <th>latency</th>
          <th>utility</th>
          <th></th>
        </tr>
      </thead>
      <tbody>
        ${ranking.map(
          (row, index) =>
            html`<tr>
              <td class="number">${index + 1}</td>
              <td class="code">${short(row.id)}</td>
              <td>${qualityBar(row)} ${row.mu.toFixed(2)} <span class="soft">± ${row.sigma.toFixed(2)}</span></td>
              <td class="number">${(row.rho * 100).toFixed(0)} %</td>
              <td class="number">${(row.latencyMs / 1000).toFixed(2)} s</td>
              <td class="number">${row.utility.toFixed(2)}</td>
              <td>${hedgeSet.includes(row.id) ? 'hedge set' : ''}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Mean as a bar, one standard deviation either side as a whisker. */
function qualityBar({ mu, sigma }: RankedCandidate): Html {
  const px = (value: number): string => (Math.min(1, Math.max(0, value)) * 90).toFixed(1);
  return html`<svg class="quality" viewBox="0 0 90 12" width="90" height="12" aria-hidden="true">
    <rect class="track" width="90" height="6" y="3" rx="2" />
    <rect class="fill" width="${px(mu)}" height="6" y="3" rx="2" />
    <line class="whisker" x1="${px(mu - sigma)}" x2="${px(mu + sigma)}" y1="6" y2="6" />
  </svg>`;
}

function effectTable(effects: readonly StoryEffect[]): Html {
  if (effects.length === 0) return html`<p class="hint">No effect was made.</p>`;
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th>step</th>
          <th>effect</th>
          <th>level</th>
          <th>state</th>
          <th>evidence</th>
        </tr>
      </thead>
      <tbody>
        ${effects.map((effect) => {
          const state = effect.states.at(-1);
          return html`<tr>
            <td class="number">${effect.step}</td>
            <td class="code">${effect.title}</td>
            <td>${levelWords[effect.level]} <span class="code">${effect.level}</span></td>
            <td>${state ? stateWords[state] : ''} <span class="code">${effect.states.join(' → ')}</span></td>
            <td class="soft">${effect.evidence}</td>
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}

function moneyTable(money: MoneyRows): Html {
  return html`<div class="scroll">
    <table class="money">
      <thead>
        <tr>
          <th></th>
          <th>tokens</th>
          <th>dollars</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <td>Belay's books, losers included</td>
          <td class="number">${money.oursTokens}</td>
          <td class="number">$${money.oursUsd.toFixed(5)}</td>
        </tr>
        <tr>
          <td>of which cancelled attempts</td>
          <td></td>
          <td class="number">$${money.hedgesUsd.toFixed(5)}</td>
        </tr>
        <tr>
          <td>the providers' own bill</td>
          <td class="number">${money.billTokens}</td>
          <td class="number">$${money.billUsd.toFixed(5)}</td>
        </tr>
        <tr>
          <td>difference</td>
          <td class="number">${money.oursTokens - money.billTokens}</td>
          <td class="number">${(money.difference * 100).toFixed(3)} %</td>
        </tr>
      </tbody>
    </table>
  </div>`;
}
