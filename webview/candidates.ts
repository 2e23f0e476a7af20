// The Candidates tab: who is asked first for each role, and why. One sentence answers, the ranking is the evidence.
// Figures are those of the last plan of the role; nothing is computed here but their drawing.
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { RankedCandidate, Snapshot, SnapshotMessage } from '../src/protocol.ts';
import { candidateLabel, candidateName, clockTime, duration, percent, share } from './format.ts';
import { bar, button, icon, type RunCommand } from './parts.ts';
import { t } from './words.ts';

type Ranking = Snapshot['rankings'][string];

/** What the tab needs beside the message: the chosen role ('' for the first), and what its controls do. */
export interface CandidatesControls {
  readonly role: string;
  readonly chooseRole: (role: string) => void;
  readonly run: RunCommand;
}

/** The tab's content. */
export function candidatesTab(
  { snapshot, candidates, gatewayUrl }: SnapshotMessage,
  controls: CandidatesControls,
): TemplateResult {
  const roles = Object.keys(snapshot.rankings);
  const role = roles.includes(controls.role) ? controls.role : roles[0];
  const ranking = role === undefined ? undefined : snapshot.rankings[role];
  if (role === undefined || !ranking) return waiting(candidates, gatewayUrl !== null, controls.run);
  return html`
    ${roles.length > 1 ? roleChoice(roles, role, controls.chooseRole) : nothing}
    <p class="answer">${headline(role, ranking)}</p>
    <ol class="ranking">
      ${repeat(
        ranking.rows,
        ({ id }) => id,
        (row, index) => candidateRow(row, index, ranking.hedgeSet),
      )}
    </ol>
    ${whyThisOrder(ranking)}
  `;
}

function waiting(candidates: readonly string[], hasGateway: boolean, run: RunCommand): TemplateResult {
  const names = candidates.slice(0, 12);
  return html`
    <p class="answer">
      ${candidates.length === 1 ? t('1 candidate is ready.') : t('{0} candidates are ready.', candidates.length)}
    </p>
    <p class="hint">
      ${t('The ranking appears with the first call: choose "Belay (hedged)" in the chat\'s model picker, or point an agent at the gateway.')}
    </p>
    <ul class="plain-list">
      ${names.map((id) => html`<li>${icon('circle-outline')} ${candidateLabel(id)}</li>`)}
    </ul>
    <div class="buttons">
      ${button(t('Open Chat'), 'comment-discussion', () => run('open-chat'), true)}${hasGateway ? button(t('Copy Gateway URL'), 'copy', () => run('copy-gateway-address')) : button(t('Start Gateway'), 'plug', () => run('start-gateway'))}
    </div>
  `;
}

function roleChoice(roles: readonly string[], role: string, choose: (role: string) => void): TemplateResult {
  const onChange = (event: Event): void => {
    if (event.target instanceof HTMLSelectElement) choose(event.target.value);
  };
  return html`<label class="role-choice"
    >${t('Role')}
    <select @change=${onChange}>
      ${roles.map((name) => html`<option value=${name} ?selected=${name === role}>${name}</option>`)}
    </select>
  </label>`;
}

function headline(role: string, { rows, hedgeSet, failureProbability }: Ranking): TemplateResult | string {
  const [first] = rows;
  if (!first) return t('No candidate may serve this call.');
  const others = hedgeSet.length - 1;
  const promised = percent(1 - failureProbability);
  const sentence =
    others === 0
      ? t('answers {0} calls first, alone. Promised success {1}.', role, promised)
      : t('answers {0} calls first, {1} more stand by. Promised success {2}.', role, others, promised);
  return html`<strong>${candidateLabel(first.id)}</strong> ${sentence}`;
}

function candidateRow(row: RankedCandidate, index: number, hedgeSet: readonly string[]): TemplateResult {
  const { model, region, provider } = candidateName(row.id);
  const isHedge = hedgeSet.includes(row.id);
  const place = index === 0 ? t('first') : isHedge ? t('hedge') : t('in reserve');
  const figures = { quality: share(row.mu), spread: share(row.sigma), availability: share(row.rho) };
  return html`<li class="candidate ${isHedge ? 'in-hedge-set' : ''}">
    <details>
      <summary>
        <span class="rank">${index + 1}</span>
        <span class="who"
          ><span class="model">${model}</span
          ><span class="where">${[region, provider].filter((part) => part !== '').join(' · ')}</span></span
        >
        <span class="place ${index === 0 ? 'leads' : ''}">${place}</span>
        <span class="measures">
          <span class="measure"
            ><span class="name">${t('quality')}</span
            >${bar(row.mu, row.sigma, t('quality {0}, give or take {1}', figures.quality, figures.spread), 'quality')}<span
              class="figure"
              >${figures.quality} ±${figures.spread}</span
            ></span
          >
          <span class="measure"
            ><span class="name">${t('available')}</span
            >${bar(row.rho, 0, t('availability {0}', figures.availability), 'availability')}<span class="figure"
              >${figures.availability}</span
            ></span
          >
          <span class="measure short"
            ><span class="name">${t('latency')}</span><span class="figure">${duration(row.latencyMs)}</span></span
          >
          <span class="measure short"
            ><span class="name">${t('score')}</span><span class="figure">${share(row.utility)}</span></span
          >
        </span>
      </summary>
      ${scoreParts(row)}
    </details>
  </li>`;
}

/** The parts of the score by the symbols of the formula (HACO). */
function scoreParts(row: RankedCandidate): TemplateResult {
  const parts: readonly (readonly [string, string, string])[] = [
    ['μ', t('mean quality'), share(row.mu)],
    ['σ', t('how unsure it is'), share(row.sigma)],
    ['ρ', t('availability'), share(row.rho)],
    ['T', t('expected latency'), duration(row.latencyMs)],
    ['D', t('latency discount'), row.decay.toFixed(2)],
    ['U⁺', t('score that ranks'), share(row.utility)],
    ['R⁻', t('success it surely gives'), share(row.lowerBound)],
  ];
  return html`<dl class="parts">
    ${parts.map(
      ([symbol, name, value]) =>
        html`<div>
          <dt><i>${symbol}</i> ${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function whyThisOrder({ why, mode, atMs }: Ranking): TemplateResult {
  return html`<details class="why">
    <summary>${t('Why this order?')}</summary>
    <p>${why}</p>
    <p>
      ${t('Ranked by U⁺ = min(1, μ + λσ) · ρ / D: likely quality, raised while little is known, times availability, less where it is slow.')}
    </p>
    <p>
      ${t('The hedge set grows until the R⁻ of its members together promise enough success; R⁻ is the careful side of the same figures.')}
    </p>
    <p class="meta">${t('Mode {0}, planned at {1}', mode, clockTime(atMs))}</p>
  </details>`;
}
