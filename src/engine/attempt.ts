// One physical try at one candidate: provider stream, timers, classification. It decides nothing about the race.
// It ends exactly once: succeeded, failed (with its fault) or cancelled; and always closes what it opened.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest, FinishReason, StreamEvent } from '../core/chat.ts';
import { classify } from '../core/faults/classify.ts';
import type { Fault, Observation } from '../core/faults/fault.ts';
import type { AdvancedSettings } from '../core/settings.ts';
import { Tally, type AttemptFigures, type TokenEstimates } from './attemptTally.ts';
import { untilCancelled } from './cancelTimeout.ts';
import type { ClockPort, ProviderPort } from './ports.ts';
import { startWatchdog, type ExpiredTimer } from './watchdog.ts';

export type AttemptMessage =
  | { readonly type: 'event'; readonly event: StreamEvent; readonly isContent: boolean }
  | { readonly type: 'succeeded'; readonly figures: AttemptFigures; readonly finish: FinishReason }
  | {
      readonly type: 'failed';
      readonly figures: AttemptFigures;
      readonly fault: Fault;
      readonly httpStatus: number | null;
      /** What the fault was read from. */
      readonly observation?: Observation;
    }
  | { readonly type: 'cancelled'; readonly figures: AttemptFigures };

export interface AttemptInput {
  readonly clock: ClockPort;
  readonly provider: ProviderPort;
  readonly timers: AdvancedSettings['timers'];
  readonly request: ChatRequest;
  readonly candidate: Candidate;
  readonly tokens: TokenEstimates;
  readonly attemptId: string;
  /** Aborted by the race: the attempt is a loser or the caller has gone. */
  readonly signal: AbortSignal;
  /** The provider went on when it was told to stop; the attempt has ended without it. */
  readonly onStuck?: () => void;
}

/** Runs the attempt; `post` gets events in order and last one ending. Its promise is awaited: that is the back-pressure. */
export async function runAttempt(input: AttemptInput, post: (message: AttemptMessage) => Promise<void>): Promise<void> {
  const { clock, candidate, request } = input;
  const socket = new AbortController();
  const abort = (): void => socket.abort();
  input.signal.addEventListener('abort', abort, { once: true });
  const tally = new Tally(clock.nowMs(), request, candidate, input.tokens);
  const tellSent = (isSent: boolean, rttMs?: number): void => tally.tellSent(isSent, clock.nowMs(), rttMs);
  const expired: { timer: ExpiredTimer | null } = { timer: null };
  const watchdog = startWatchdog(clock, input.timers, (timer) => {
    expired.timer = timer;
    socket.abort();
  });
  try {
    if (input.timers.totalMs <= 0 || input.signal.aborted) {
      tally.tellSent(false, clock.nowMs());
      if (!input.signal.aborted) expired.timer = 'total';
    } else {
      const source = input.provider.stream(request, candidate, socket.signal, input.attemptId, tellSent);
      const onStuck = input.onStuck ?? ((): void => undefined);
      for await (const item of untilCancelled({ source, signal: socket.signal, clock, onStuck })) {
        // What came in the same moment as the abort is not handed on, but it was written and is paid for.
        if (socket.signal.aborted && !('failed' in item)) tally.take(item, clock.nowMs());
        if (socket.signal.aborted) break;
        if ('failed' in item) {
          tally.failed(item.failed, clock.nowMs());
          const fault = classify({ ...item.failed, elapsedMs: clock.nowMs() - tally.startedAtMs }, clock.nowMs());
          await post({
            type: 'failed',
            figures: tally.figures(clock.nowMs()),
            fault,
            httpStatus: item.failed.httpStatus,
            observation: item.failed,
          });
          return;
        }
        const isContent = tally.take(item, clock.nowMs());
        watchdog.alive(isContent);
        const hasRoom = post({ type: 'event', event: item, isContent });
        watchdog.pause();
        await hasRoom;
        watchdog.resume();
      }
    }
    await post(ending(input, tally, expired.timer));
  } finally {
    watchdog.stop();
    input.signal.removeEventListener('abort', abort);
  }
}

/** How a stream that did not report a failure ended. */
function ending(input: AttemptInput, tally: Tally, timer: ExpiredTimer | null): AttemptMessage {
  const nowMs = input.clock.nowMs();
  const figures = tally.figures(nowMs);
  const failed = (observation: Observation): AttemptMessage => ({
    type: 'failed',
    figures,
    fault: classify(observation, nowMs),
    httpStatus: observation.httpStatus,
    observation,
  });
  if (timer) return failed(timeoutObservation(tally, timer, figures.elapsedMs));
  if (input.signal.aborted) return { type: 'cancelled', figures: tally.figures(nowMs, true) };
  const { finish } = tally;
  if (finish === 'refusal' || finish === 'content-filter')
    return failed(tally.observation(finish === 'refusal' ? 'refusal' : 'content_filter'));
  // Cut off inside its only tool call it has no content either, but asking again would only be cut off again.
  const isCutInCall = finish === 'truncated' && figures.firstTokenMs !== null;
  if (!finish || !(tally.hasContent || isCutInCall)) return failed(tally.observation(null));
  return { type: 'succeeded', figures, finish };
}

function timeoutObservation(tally: Tally, timer: ExpiredTimer, elapsedMs: number): Observation {
  const message = `no ${timer === 'total' ? 'end' : timer === 'idle' ? 'further content' : 'first token'} in time`;
  return { ...tally.observation(null), clientError: { name: 'TimeoutError', code: 'ETIMEDOUT', message }, elapsedMs };
}
