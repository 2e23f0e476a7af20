// One question of one token to one candidate: is it there, and how fast. Nothing of the caller's is in it. Whoever begins to answer
// is there; what it would say is of no interest. It judges nothing.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { EventIds } from '../core/context.ts';
import { classify } from '../core/faults/classify.ts';
import type { Fault, Observation } from '../core/faults/fault.ts';
import { Tally, type TokenEstimates } from './attemptTally.ts';
import { untilCancelled, type CancelTimeouts } from './cancelTimeout.ts';
import { isDisclosureDenial } from './disclosureProvider.ts';
import type { Emit } from './eventLog.ts';
import type { ClockPort, ProviderPort } from './ports.ts';

export interface PingInput {
  readonly clock: ClockPort;
  readonly tokens: TokenEstimates;
  readonly emit: Emit;
  readonly newId: (prefix: string) => string;
  readonly cancels: CancelTimeouts;
  readonly shutdown: AbortSignal;
}

export interface PingTarget {
  readonly candidate: Candidate;
  /** The name the caller asked for. */
  readonly model: string;
  readonly provider: ProviderPort;
  readonly ids: EventIds;
  /** Without any answer for so long it has failed. */
  readonly timeoutMs: number;
}

/** `fault` null: it was answered. `httpStatus` null: no headers came. */
export interface PingResult {
  readonly fault: Fault | null;
  readonly httpStatus: number | null;
  readonly elapsedMs: number;
  readonly costUsd: number;
}

const OVER = new Error('the ping is over');

/** Asks once. */
export async function ping(input: PingInput, target: PingTarget): Promise<PingResult> {
  const { clock, tokens, shutdown, cancels, emit, newId } = input;
  const { candidate, model, provider, ids, timeoutMs } = target;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, shutdown]);
  const request = question(model);
  const tally = new Tally(clock.nowMs(), request, candidate, tokens);
  const timer = clock.sleep(timeoutMs, signal).then(
    () => over.abort(OVER),
    () => undefined,
  );
  const id = newId('probe');
  const onStuck = (): void => cancels.tell(candidate, ids, emit);
  let failed: Observation | null = null;
  let isAnswered = false;
  try {
    const source = provider.stream(request, candidate, signal, id, (isSent) => tally.tellSent(isSent, clock.nowMs()));
    for await (const item of untilCancelled({ source, signal, clock, onStuck })) {
      if ('failed' in item) {
        failed = item.failed;
        tally.failed(failed, clock.nowMs());
        break;
      }
      tally.take(item, clock.nowMs());
      if (!isStartOnly(item.parts)) isAnswered = true;
      if (isAnswered) break;
    }
  } finally {
    over.abort(OVER);
    await timer;
  }
  const { elapsedMs, costUsd } = tally.figures(clock.nowMs(), isAnswered);
  const fault = isAnswered ? null : classify(failed ?? tally.observation(null), clock.nowMs());
  return { fault, httpStatus: failed?.httpStatus ?? null, elapsedMs, costUsd };
}

/** Whether it says nothing of the candidate: it was not allowed to go out, or Belay's own end has cut it off. */
export function isMute({ fault }: Pick<PingResult, 'fault'>, shutdown: AbortSignal): boolean {
  return fault !== null && (shutdown.aborted || isDisclosureDenial(fault));
}

function isStartOnly(parts: readonly { readonly type: string }[]): boolean {
  return parts.every((part) => part.type === 'response-start');
}

/** The shortest question there is. */
function question(model: string): ChatRequest {
  return {
    model,
    system: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'ping' }] }],
    tools: [],
    toolChoice: { type: 'auto' },
    maxOutputTokens: 1,
  };
}
