// Decision events of one call from a short script: what was launched, and how and when it ended.
import type { DecisionEvent, EventBody } from '../../../../../src/core/events.ts';
import type { Fault } from '../../../../../src/core/faults/fault.ts';

const fault: Fault = {
  class: 'T1',
  confidence: 1,
  secondary: null,
  detail: null,
  retryable: true,
  explicit: true,
  action: 'RETRY',
  retryAfterMs: null,
  evidence: [],
};

/** One attempt: from when to when (ms), how it ended, and what it cost. */
export interface Tried {
  readonly from: number;
  readonly to: number;
  readonly how: 'succeeded' | 'failed' | 'cancelled';
  readonly costUsd?: number;
}

type Outcome = Extract<EventBody, { type: 'call-finished' }>['outcome'];

/** The events in the order of their times; attempts are named by their places, and so are their candidates. */
export function eventsOf(
  call: string,
  tried: readonly Tried[],
  outcome: Outcome = 'answered',
): readonly DecisionEvent[] {
  const timed: { atMs: number; attempt?: string; body: EventBody }[] = [
    { atMs: 0, body: { type: 'call-started', model: 'm', role: 'chat', policy: 'stream' } },
  ];
  let endedAtMs = 0;
  for (const [place, { from, to, how, costUsd = 1 }] of tried.entries()) {
    const attempt = `${call}-${place}`;
    const ended = { candidate: `c${place}`, elapsedMs: to - from, costUsd, billedTokens: 10 };
    timed.push({ atMs: from, attempt, body: { type: 'attempt-launched', candidate: `c${place}`, reason: 'first' } });
    const body: EventBody =
      how === 'succeeded'
        ? { type: 'attempt-succeeded', ...ended, usage: null, servedModel: null }
        : how === 'failed'
          ? { type: 'attempt-failed', ...ended, fault }
          : { type: 'attempt-cancelled', ...ended };
    timed.push({ atMs: to, attempt, body });
    if (how === 'succeeded') endedAtMs = endedAtMs === 0 ? to : Math.min(endedAtMs, to);
  }
  const winner = tried.findIndex(({ how, to }) => how === 'succeeded' && to === endedAtMs);
  timed.push({
    atMs: winner < 0 ? Math.max(0, ...tried.map(({ to }) => to)) : endedAtMs,
    body: {
      type: 'call-finished',
      outcome,
      candidate: winner < 0 ? null : `c${winner}`,
      rung: 'L0',
      attempts: tried.length,
      costUsd: 0,
      elapsedMs: 0,
    },
  });
  const ids = { tenant: 't', client: 'c', task: 'k', step: 1, call };
  return timed
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ atMs, attempt, body }, index) => ({
      seq: index + 1,
      atMs,
      ids: { ...ids, ...(attempt === undefined ? {} : { attempt }) },
      body,
    }));
}
