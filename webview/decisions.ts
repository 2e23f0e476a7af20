// The Decisions tab: what waits for the person, what effects there are and how they stand, and the timeline of decisions,
// each as signal -> class -> action -> result. Calls in which all went well are one line.
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { EffectRow, EntryState, Rung, SnapshotMessage } from '../src/protocol.ts';
import { candidateLabel, clockTime, dollars, duration, unpricedText } from './format.ts';
import { button, facts, icon } from './parts.ts';
import {
  timelineOf,
  type AttemptLine,
  type DecisionLine,
  type Entry,
  type Line,
  type PlainLine,
  type TaskGroup,
} from './timeline.ts';
import { actionWords, faultWords, levelWords, reasonWords, rungWords, stateWords, t, withCode } from './words.ts';

const stateIcons: Readonly<Record<EntryState, string>> = {
  PREPARED: 'loading',
  COMMITTED: 'pass',
  FAILED: 'error',
  UNKNOWN: 'question',
  RECONCILED_COMMITTED: 'pass',
  RECONCILED_ABSENT: 'circle-slash',
  COMPENSATED: 'discard',
};
const MAX_EFFECTS = 20;

/** The tab's content. `showEarlier` asks the host for a larger window of events. */
export function decisionsTab(
  { snapshot, events, hasEarlier }: SnapshotMessage,
  showEarlier: () => void,
): TemplateResult {
  const groups = timelineOf(events);
  if (groups.length === 0 && snapshot.effects.length === 0) {
    return html`<p class="answer">${t('Nothing was decided yet.')}</p>
      <p class="hint">
        ${t('Each call appears here: what failed, how it was classified, what was done about it, and what that cost.')}
      </p>`;
  }
  return html`
    <p class="answer">${sentence(snapshot.totals)}</p>
    ${effectList(snapshot.effects)} ${repeat(groups, ({ task }) => task, taskSection)}
    ${hasEarlier ? html`<div class="buttons">${button(t('Show earlier'), 'history', showEarlier)}</div>` : nothing}
  `;
}

function sentence({ faults, faultsMended, duplicates }: SnapshotMessage['snapshot']['totals']): string {
  if (faults === 0) return t('No call has failed.');
  const doubled = duplicates === 0 ? t('nothing was done twice') : t('{0} effects were done twice', duplicates);
  return t('{0} faults, {1} mended; {2}.', faults, faultsMended, doubled);
}

function effectList(effects: readonly EffectRow[]): TemplateResult | typeof nothing {
  if (effects.length === 0) return nothing;
  const isOpen = ({ state }: EffectRow): boolean => state === 'UNKNOWN' || state === 'PREPARED';
  const ordered = [...effects.filter(isOpen).reverse(), ...effects.filter((effect) => !isOpen(effect)).reverse()];
  const shown = ordered.slice(0, MAX_EFFECTS);
  return html`<section class="effects">
    <h2>${t('Effects')} <span class="count">${effects.length}</span></h2>
    <ul class="plain-list">
      ${repeat(shown, ({ key }) => key, effectRow)}
    </ul>
    ${ordered.length > shown.length ? html`<p class="meta">${t('and {0} older', ordered.length - shown.length)}</p>` : nothing}
  </section>`;
}

function effectRow({ title, level, state, atMs }: EffectRow): TemplateResult {
  return html`<li class="effect ${state === 'UNKNOWN' ? 'needs-attention' : ''}">
    ${icon(stateIcons[state], `state-${state.toLowerCase()}`)}
    <span class="line-text"
      ><span class="title code">${title}</span>
      ${facts([`${stateWords(state)} (${state})`, `${levelWords(level)} (${level})`, clockTime(atMs)])}</span
    >
  </li>`;
}

function taskSection({ task, goal, outcome, entries }: TaskGroup): TemplateResult {
  const words = outcome
    ? { success: t('done'), escalated: t('handed to a person'), failed: t('failed') }[outcome.outcome]
    : '';
  return html`<section class="task">
    <h2 title=${task}>
      ${goal ?? t('Conversation {0}', task.slice(-6))}${words === '' ? nothing : html` <span class="count">${words}</span>`}
    </h2>
    ${repeat(
      entries,
      ({ key }) => key,
      (entry) => guard([entry.lastSeq, entry.lines.length], () => entryView(entry)),
    )}
  </section>`;
}

function entryView(entry: Entry): TemplateResult {
  if (!entry.call) return html`<div class="entry single">${entry.lines.map(lineView)}</div>`;
  const isPlain = entry.faults === 0 && !entry.needsReview;
  return html`<details class="entry ${isPlain ? '' : 'had-faults'}" ?open=${!isPlain}>
    <summary>
      ${callIcon(entry)}
      <span class="line-text"><span class="title">${callTitle(entry)}</span>${facts(callMeta(entry))}</span>
      <span class="time">${clockTime(entry.atMs)}</span>
    </summary>
    <div class="lines">${entry.lines.map(lineView)}</div>
  </details>`;
}

function callIcon({ call, faults, needsReview }: Entry): TemplateResult {
  const end = call?.end;
  if (!end) return icon('sync', 'running');
  if (needsReview && end.outcome === 'answered') return icon('git-compare', 'caution');
  if (end.outcome === 'answered') return faults === 0 ? icon('pass', 'good') : icon('pass', 'mended');
  return end.outcome === 'cancelled' ? icon('circle-slash') : icon('error', 'bad');
}

function callTitle({ call }: Entry): string {
  const end = call?.end;
  const role = call === null || call.role === '' ? t('call') : call.role;
  if (end?.candidate != null) return `${role}: ${candidateLabel(end.candidate)}`;
  return call === null || call.model === '' || call.model === '*'
    ? t('{0} call', role)
    : t('{0} call to {1}', role, call.model);
}

function callMeta({ call, faults, needsReview }: Entry): readonly string[] {
  const end = call?.end;
  if (!end) return [t('running')];
  const outcome = { answered: t('answered'), refused: t('refused'), failed: t('failed'), cancelled: t('cancelled') }[
    end.outcome
  ];
  const isAnswered = end.outcome === 'answered';
  const counted = faults === 0 ? [] : [isAnswered ? t('{0} mended', faults) : t('{0} faults', faults)];
  return [
    outcome,
    ...counted,
    ...(needsReview ? [t('answers differ: look at it')] : []),
    ...(isAnswered ? [rungText(end.rung)] : []),
    duration(end.elapsedMs),
    dollars(end.costUsd),
    unpricedText(end.unpricedAttempts ?? 0),
  ];
}

const rungText = (rung: Rung): string => `${rung} ${rungWords(rung)}`;

function lineView(line: Line): TemplateResult {
  switch (line.type) {
    case 'attempt':
      return attemptView(line);
    case 'decision':
      return html`<div class="line">
        ${icon('arrow-right')}
        <div class="line-text">
          ${line.decision.effect ? html`<span>${line.decision.effect.title}</span>` : nothing}
          ${decisionView(line.decision)}
        </div>
      </div>`;
    case 'plain':
      return plainView(line);
  }
}

const attemptIcons: Readonly<Record<AttemptLine['status'], readonly [string, string]>> = {
  running: ['circle-outline', ''],
  succeeded: ['check', 'good'],
  failed: ['warning', 'caution'],
  cancelled: ['circle-slash', 'faint'],
};

function attemptView(attempt: AttemptLine): TemplateResult {
  const { candidate, reason, status, fault, elapsedMs, costUsd, isUnpriced, decision } = attempt;
  const [iconName, className] = attemptIcons[status];
  const words = { running: t('running'), succeeded: t('answered'), failed: '', cancelled: t('cancelled') }[status];
  const told = [
    reason === null ? '' : reasonWords(reason),
    words,
    elapsedMs === null ? '' : t('after {0}', duration(elapsedMs)),
    isUnpriced ? t('price not known') : costUsd > 0 ? dollars(costUsd) : '',
  ];
  return html`<div class="line">
    ${icon(iconName, className)}
    <div class="line-text">
      <span>${candidateLabel(candidate)}</span>
      ${fault ? html`<span class="fault">${withCode(faultWords(fault.class), fault.class)}</span>` : nothing}
      ${facts(told)}
      ${
        fault && fault.evidence.length > 0
          ? html`<details class="evidence">
              <summary>${t('Evidence')}</summary>
              ${fault.evidence.map((piece) => html`<span class="meta">${piece}</span>`)}
            </details>`
          : nothing
      }
      ${decision ? decisionView(decision) : nothing}
    </div>
  </div>`;
}

function decisionView({
  action,
  fault,
  reason,
  rule,
  waitMs,
  stepBudgetLeft,
  taskBudgetLeft,
  rung,
  proposes,
}: DecisionLine['decision']): TemplateResult {
  const told = [
    waitMs > 0 ? t('waited {0}', duration(waitMs)) : '',
    t('budget left: {0} in the step, {1} in the task', stepBudgetLeft, taskBudgetLeft),
    rung === 'L0' ? '' : rungText(rung),
    proposes ? t('proposed, needs a person: {0} with {1}', rungText(proposes.rung), proposes.substitute) : '',
  ];
  return html`<span class="action">${icon('arrow-small-right')} ${withCode(actionWords(action), action)}</span>
    <details class="evidence">
      <summary>${reason === '' ? t('Why?') : reason}</summary>
      ${facts([t('rule {0}', rule), fault?.class ?? ''])} ${facts(told)}
    </details>`;
}

function plainView({ body, atMs }: PlainLine): TemplateResult {
  const { iconName, className, text, detail } = plainWords(body);
  return html`<div class="line">
    ${icon(iconName, className)}
    <div class="line-text"><span>${text}</span>${facts(detail)}</div>
    <span class="time">${clockTime(atMs)}</span>
  </div>`;
}

interface LineWords {
  readonly iconName: string;
  readonly className: string;
  readonly text: string;
  readonly detail: readonly string[];
}

function plainWords(body: PlainLine['body']): LineWords {
  switch (body.type) {
    case 'effect-changed':
      return {
        iconName: stateIcons[body.to],
        className: `state-${body.to.toLowerCase()}`,
        text: body.title,
        detail: [`${stateWords(body.to)} (${body.to})`, `${levelWords(body.level)} (${body.level})`, body.evidence],
      };
    case 'effect-withheld':
      return {
        iconName: 'shield',
        className: 'good',
        text: t('{0} was not run again', body.title),
        detail: [`${stateWords(body.state)} (${body.state})`, body.reason],
      };
    case 'command-assessed': {
      const verdicts = { allow: t('allowed'), ask: t('to be asked about'), deny: t('refused') };
      const isDenied = body.verdict === 'deny';
      return {
        iconName: isDenied ? 'error' : 'shield',
        className: isDenied ? 'bad' : 'faint',
        text: body.title,
        detail: [`${levelWords(body.level)} (${body.level})`, verdicts[body.verdict], ...body.reasons],
      };
    }
    case 'question-asked':
      return {
        iconName: 'question',
        className: 'caution',
        text: t('Asked: {0}', body.title),
        detail: [body.level === null ? '' : `${levelWords(body.level)} (${body.level})`],
      };
    case 'question-answered':
      return {
        iconName: 'comment',
        className: 'faint',
        text: t('Answered: {0}', body.answer),
        detail: [t('by {0}', body.by)],
      };
    case 'verification-finished':
      return {
        iconName: body.passed ? 'pass' : 'error',
        className: body.passed ? 'good' : 'bad',
        text: body.passed ? t('Check {0} passed', body.check) : t('Check {0} failed', body.check),
        detail: [body.evidence],
      };
    case 'model-changed':
      return {
        iconName: 'sync',
        className: 'caution',
        text: t('{0} is another model now: {1}, before {2}', candidateLabel(body.candidate), body.to, body.from),
        detail: [body.why, t('its quality and speed are learned anew')],
      };
    case 'breaker-changed': {
      const texts = {
        closed: t('{0} is used again', body.target),
        open: t('{0} is closed off', body.target),
        'half-open': t('{0} is being probed', body.target),
      };
      return {
        iconName: body.to === 'closed' ? 'pass' : 'shield',
        className: body.to === 'closed' ? 'good' : 'caution',
        text: texts[body.to],
        detail: [body.why],
      };
    }
    case 'attempt-withheld': {
      const reasons = {
        'breaker-open': t('closed off'),
        'queue-full': t('too many wait for it'),
        'waited-too-long': t('no place came free in time'),
        spending: t('too little money is left for it'),
      };
      const budgets: Readonly<Record<string, string>> = {
        call: t('budget of the call'),
        task: t('budget of the task'),
        day: t('budget of the day'),
      };
      return {
        iconName: 'shield',
        className: 'faint',
        text: t('{0} was not asked', candidateLabel(body.candidate)),
        detail: [reasons[body.why], body.why === 'spending' ? (budgets[body.target] ?? body.target) : body.target],
      };
    }
    case 'replicas-compared': {
      const chosen = body.chosen === null ? '' : candidateLabel(body.chosen);
      const texts = {
        agree: t('All answers say the same'),
        'best-verified': t('The answers differ; that of {0} is verified best', chosen),
        review: t('The answers differ and none is verified: look at what was done'),
      };
      return {
        iconName: body.outcome === 'agree' ? 'pass' : 'git-compare',
        className: { agree: 'good', 'best-verified': 'faint', review: 'caution' }[body.outcome],
        text: texts[body.outcome],
        detail: body.groups.map((group) => group.map((id) => candidateLabel(id)).join(' = ')),
      };
    }
    case 'notice':
      return {
        iconName: body.severity,
        className: body.severity === 'info' ? 'faint' : 'caution',
        text: body.message,
        detail: [body.remedy],
      };
  }
}
