// A call that Belay makes for the sake of another one: a summary, an opinion. It is executed once and never again, so that it
// takes nothing of what the other may retry with; and nobody waits for it longer than for its limit, whatever it does.
import type { ChatRequest } from '../core/chat.ts';
import type { RequestContext } from '../core/context.ts';
import { collectAnswer, type CollectedAnswer } from './answer.ts';
import type { CallEvent, CallOptions } from './call.ts';
import type { ClockPort } from './ports.ts';

/** The controller's way of making a call. */
export type Complete = (
  request: ChatRequest,
  context: RequestContext,
  options: CallOptions,
  signal: AbortSignal,
) => AsyncIterable<CallEvent>;

/** The time between its own end at its deadline, with all that is known of its cost, and being left alone. */
const LATE_MS = 500;

export interface HelperCall {
  readonly complete: Complete;
  readonly clock: ClockPort;
  readonly request: ChatRequest;
  /** Of the call that it is made for. */
  readonly context: RequestContext;
  /** Its own role: no helper has helpers. */
  readonly role: string;
  /** ms; more than 0. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** The helper's answer; null: none in time. Rejects only as `complete` does. */
export function askHelper(helper: HelperCall): Promise<CollectedAnswer | null> {
  const { complete, clock, request, limitMs } = helper;
  const context = helperContext(helper, clock.nowMs() + limitMs);
  return inTime(helper, (signal) => collectAnswer(complete(request, context, { policy: 'hold' }, signal)));
}

/** What `ask` gives; null where that is not within the limit. Its signal is aborted when nobody waits for it any more. */
export async function inTime<T>(
  { clock, limitMs, signal }: Pick<HelperCall, 'clock' | 'limitMs' | 'signal'>,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const nobody = (): null => null;
  const late = clock.sleep(limitMs + LATE_MS, either).then(nobody, nobody);
  try {
    return await Promise.race([ask(either), late]);
  } finally {
    over.abort();
  }
}

function helperContext({ context, role }: HelperCall, deadlineMs: number): RequestContext {
  const { verifyMs: _checked, ...served } = context;
  return { ...served, role, criticality: 'low', qualityFloor: 0, isHelper: true, deadlineMs };
}
