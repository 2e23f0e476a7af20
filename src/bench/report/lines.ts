// Decision events as one line each, for a terminal or a log. Words first, codes behind; null for events that say nothing new.
import type { DecisionEvent } from '../../core/events.ts';
import { actionWords, faultWords, levelWords, stateWords } from '../../core/words.ts';

/** Kind of a line, for colour and a mark in front; text alone says the same. */
export type LineTone = 'plain' | 'good' | 'bad' | 'soft' | 'ask';

export interface EventLine {
  readonly tone: LineTone;
  readonly text: string;
}

/** The line of one event. */
export function eventLine({ body, ids }: DecisionEvent): EventLine | null {
  const line = (tone: LineTone, text: string): EventLine => ({ tone, text });
  switch (body.type) {
    case 'task-started':
      return line('plain', `task: ${body.goal}`);
    case 'step-started':
      return line('plain', `step ${ids.step}: ${body.title}`);
    case 'call-started':
      return null;
    case 'plan-made': {
      const names = body.ranking.slice(0, 3).map((row) => `${short(row.id)} ${row.utility.toFixed(2)}`);
      return line(
        'soft',
        `  rank  ${names.join(' > ')}${body.ranking.length > 3 ? ` > ${body.ranking.length - 3} more` : ''}`,
      );
    }
    case 'attempt-launched':
      return body.reason === 'first' ? null : line('soft', `  ${body.reason.padEnd(8)} ${short(body.candidate)}`);
    case 'attempt-first-token':
      return null;
    case 'attempt-succeeded':
      return line('good', `  answer   ${short(body.candidate)} in ${seconds(body.elapsedMs)}`);
    case 'attempt-failed': {
      const wait = body.fault.retryAfterMs === null ? '' : `, asks to wait ${seconds(body.fault.retryAfterMs)}`;
      return line(
        'bad',
        `  fault    ${short(body.candidate)}: ${faultWords[body.fault.class]} (${body.fault.class})${wait}`,
      );
    }
    case 'attempt-cancelled':
      return line('soft', `  cancel   ${short(body.candidate)}, no longer needed`);
    case 'cost-corrected':
      return null;
    case 'model-changed':
      return line(
        'ask',
        `  model    ${short(body.candidate)} is another one: ${body.from} -> ${body.to}; learned anew (${body.why})`,
      );
    case 'call-committed':
      return body.rung === 'L0' ? null : line('ask', `  rung     ${body.rung} by ${short(body.candidate)}`);
    case 'call-finished':
      return body.outcome === 'answered' ? null : line('bad', `  call ${body.outcome} after ${body.attempts} attempts`);
    case 'decision-made':
      return line(
        'ask',
        `  decide   ${actionWords[body.action]} (${body.action}): ${body.reason}; ${body.stepBudgetLeft} of the step's retries left`,
      );
    case 'breaker-changed':
      return line(
        body.to === 'closed' ? 'good' : 'ask',
        `  breaker  ${body.target}: ${body.from} -> ${body.to}, ${body.why}`,
      );
    case 'breaker-probed':
    case 'place-waited':
      return null;
    case 'replicas-compared':
      return body.outcome === 'agree'
        ? null
        : line('ask', `  compare  replicas differ (${body.outcome}): ${body.reason}`);
    case 'attempt-withheld':
      return line(
        'soft',
        body.why === 'spending'
          ? `  withheld ${short(body.candidate)}: no money left for it in the budget of the ${body.target}`
          : `  withheld ${short(body.candidate)}: ${body.why} (${body.target})`,
      );
    case 'effect-changed': {
      const words = stateWords[body.to];
      const tone = body.to === 'UNKNOWN' ? 'bad' : body.to === 'PREPARED' ? 'soft' : 'plain';
      return line(tone, `  ledger   ${body.level} ${clip(body.title)}: ${words} (${body.to})`);
    }
    case 'effect-withheld':
      return line('ask', `  ledger   not run again: ${clip(body.title)}: ${body.reason}`);
    case 'command-assessed':
      return body.verdict === 'allow' && body.level < 'R2'
        ? null
        : line('plain', `  guard    ${clip(body.title)}: ${levelWords[body.level]} (${body.level}), ${body.verdict}`);
    case 'question-asked':
      return line('ask', `  question ${body.title}`);
    case 'question-answered':
      return line('ask', `  answer   ${body.answer} (${body.by})`);
    case 'verification-finished':
      return line(
        body.passed ? 'good' : 'bad',
        `  check    ${body.check} ${body.passed ? 'passed' : 'failed'}: ${body.evidence}`,
      );
    case 'notice':
      return line(body.severity === 'info' ? 'soft' : 'bad', `  notice   ${body.message} ${body.remedy}`);
    case 'task-finished':
      return line(body.outcome === 'success' ? 'good' : 'bad', `task ${body.outcome}: ${body.reason}`);
  }
}

/** `provider/account/model@region` without the account. */
export function short(candidate: string): string {
  const pieces = candidate.split('/');
  return pieces.length > 2 ? [pieces[0], ...pieces.slice(2)].join('/') : candidate;
}

/** A sentence with every candidate id shortened. */
export function shortIds(text: string): string {
  return text.replace(/\b[\w.-]+\/[\w.-]+\/[\w.{}-]+@[\w.-]+/g, short);
}

/** Milliseconds as seconds with one or two decimals. */
export function seconds(ms: number): string {
  return ms < 1000 ? `${(ms / 1000).toFixed(2)} s` : `${(ms / 1000).toFixed(1)} s`;
}

function clip(text: string): string {
  const line = text.replaceAll('\n', ' ⏎ ');
  return line.length > 76 ? `${line.slice(0, 75)}…` : line;
}
