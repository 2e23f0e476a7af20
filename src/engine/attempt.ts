// One physical try at one candidate: provider stream, timers, classification, cost. It decides nothing about the race.
// It ends exactly once: succeeded, failed (with its fault) or cancelled; and always closes what it opened.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest, FinishReason, StreamEvent, StreamPart, Usage } from '../core/chat.ts';
import { believableUsage, costUsd, estimateTokens } from '../core/cost.ts';
import { classify } from '../core/faults/classify.ts';
import type { Fault, Observation } from '../core/faults/fault.ts';
import { requestChars } from '../core/recovery/compress.ts';
import type { AdvancedSettings } from '../core/settings.ts';
import type { ClockPort, ProviderPort } from './ports.ts';
import { startWatchdog, type ExpiredTimer } from './watchdog.ts';

/** Figures of an ended attempt. */
export interface AttemptFigures {
  readonly elapsedMs: number;
  readonly firstTokenMs: number | null;
  readonly sentChars: number;
  readonly receivedChars: number;
  readonly usage: Usage | null;
  readonly costUsd: number;
  /** Input and output tokens behind `costUsd`, estimated where the provider did not count. */
  readonly billedTokens: number;
  readonly servedModel: string | null;
}

export type AttemptMessage =
  | { readonly type: 'event'; readonly event: StreamEvent; readonly isContent: boolean }
  | { readonly type: 'succeeded'; readonly figures: AttemptFigures; readonly finish: FinishReason }
  | {
      readonly type: 'failed';
      readonly figures: AttemptFigures;
      readonly fault: Fault;
      readonly httpStatus: number | null;
    }
  | { readonly type: 'cancelled'; readonly figures: AttemptFigures };

export interface AttemptInput {
  readonly clock: ClockPort;
  readonly provider: ProviderPort;
  readonly timers: AdvancedSettings['timers'];
  readonly request: ChatRequest;
  readonly candidate: Candidate;
  readonly attemptId: string;
  /** Aborted by the race: the attempt is a loser or the caller has gone. */
  readonly signal: AbortSignal;
}

/** Runs the attempt; `post` gets events in order and last one ending. Its promise is awaited: that is the back-pressure. */
export async function runAttempt(input: AttemptInput, post: (message: AttemptMessage) => Promise<void>): Promise<void> {
  const { clock, candidate, request } = input;
  const socket = new AbortController();
  const abort = (): void => socket.abort();
  input.signal.addEventListener('abort', abort, { once: true });
  const tally = new Tally(clock.nowMs(), request, candidate);
  const expired: { timer: ExpiredTimer | null } = { timer: null };
  const watchdog = startWatchdog(clock, input.timers, (timer) => {
    expired.timer = timer;
    socket.abort();
  });
  try {
    if (input.timers.totalMs <= 0) expired.timer = 'total';
    else if (!input.signal.aborted) {
      for await (const item of input.provider.stream(request, candidate, socket.signal, input.attemptId)) {
        if (socket.signal.aborted) break;
        if ('failed' in item) {
          const fault = classify({ ...item.failed, elapsedMs: clock.nowMs() - tally.startedAtMs }, clock.nowMs());
          await post({
            type: 'failed',
            figures: tally.figures(clock.nowMs()),
            fault,
            httpStatus: item.failed.httpStatus,
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
  // Cut off by us, after it was sent and not refused: providers bill the prompt all the same.
  const figures = tally.figures(nowMs, timer !== null || input.signal.aborted);
  const failed = (observation: Observation): AttemptMessage => ({
    type: 'failed',
    figures,
    fault: classify(observation, nowMs),
    httpStatus: observation.httpStatus,
  });
  if (timer) return failed(timeoutObservation(tally, timer, figures.elapsedMs));
  if (input.signal.aborted) return { type: 'cancelled', figures };
  const { finish } = tally;
  if (finish === 'refusal' || finish === 'content-filter')
    return failed(tally.observation(finish === 'refusal' ? 'refusal' : 'content_filter'));
  if (!finish || !tally.hasContent) return failed(tally.observation(null));
  return { type: 'succeeded', figures, finish };
}

function timeoutObservation(tally: Tally, timer: ExpiredTimer, elapsedMs: number): Observation {
  const message = `no ${timer === 'total' ? 'end' : timer === 'idle' ? 'further content' : 'first token'} in time`;
  return { ...tally.observation(null), clientError: { name: 'TimeoutError', code: 'ETIMEDOUT', message }, elapsedMs };
}

/** Parts that are the answer itself; the others are start-up, accounting or proof of life. */
function isAnswer(part: StreamPart): boolean {
  return (
    part.type === 'text-delta' ||
    part.type === 'tool-call' ||
    part.type === 'thinking-delta' ||
    part.type === 'refusal-delta'
  );
}

/** Counts what an attempt received. */
class Tally {
  readonly startedAtMs: number;
  finish: FinishReason | null = null;
  hasContent = false;
  private readonly request: ChatRequest;
  private readonly candidate: Candidate;
  private hasAnything = false;
  private firstTokenMs: number | null = null;
  private receivedChars = 0;
  private usage: Usage | null = null;
  private servedModel: string | null = null;
  private sentCharsCache: number | null = null;

  constructor(startedAtMs: number, request: ChatRequest, candidate: Candidate) {
    this.startedAtMs = startedAtMs;
    this.request = request;
    this.candidate = candidate;
  }

  /** Takes one event in; true when it carries some of the answer (or of a tool call being written). */
  take(event: StreamEvent, nowMs: number): boolean {
    this.hasAnything = true;
    let isContent = false;
    for (const part of event.parts) {
      if (isAnswer(part)) this.hasContent = true;
      if (isAnswer(part) || part.type === 'tool-call-progress') isContent = true;
      this.count(part);
    }
    if (isContent) this.firstTokenMs ??= nowMs - this.startedAtMs;
    return isContent;
  }

  private count(part: StreamPart): void {
    if (part.type === 'text-delta' || part.type === 'thinking-delta' || part.type === 'refusal-delta')
      this.receivedChars += part.text.length;
    else if (part.type === 'tool-call') this.receivedChars += part.name.length + part.argsText.length;
    else if (part.type === 'finish') this.finish = part.reason;
    else if (part.type === 'response-start') this.servedModel = part.servedModel ?? this.servedModel;
    else if (part.type === 'usage') {
      const usage = believableUsage(part.usage);
      if (!usage) return;
      this.usage = { ...this.usage, ...usage, inputTokens: Math.max(usage.inputTokens, this.usage?.inputTokens ?? 0) };
    }
  }

  private get sentChars(): number {
    this.sentCharsCache ??= requestChars(this.request);
    return this.sentCharsCache;
  }

  /** `mayBeBilled`: the provider took the request and never said no, so its prompt counts although nothing came back. */
  figures(nowMs: number, mayBeBilled = false): AttemptFigures {
    const billed = this.billed(mayBeBilled);
    return {
      elapsedMs: nowMs - this.startedAtMs,
      firstTokenMs: this.firstTokenMs,
      sentChars: this.sentChars,
      receivedChars: this.receivedChars,
      usage: this.finish ? this.usage : null,
      costUsd: costUsd(billed, this.candidate.price),
      billedTokens: billed.inputTokens + billed.outputTokens,
      servedModel: this.servedModel,
    };
  }

  /** Provider figures where the answer is complete; else, worst case first, the prompt in full and the output that came. */
  private billed(mayBeBilled: boolean): Usage {
    if (this.finish && this.usage) return this.usage;
    if (!this.hasAnything && !mayBeBilled) return { inputTokens: 0, outputTokens: 0 };
    const inputTokens = this.usage?.inputTokens ?? estimateTokens(this.sentChars);
    return { inputTokens, outputTokens: Math.max(this.usage?.outputTokens ?? 0, estimateTokens(this.receivedChars)) };
  }

  /** What was seen, for the classifier. */
  observation(finishReason: string | null): Observation {
    return {
      provider: this.candidate.family,
      httpStatus: this.hasAnything ? 200 : null,
      headers: {},
      body: null,
      clientError: null,
      streamPhase: this.finish
        ? 'after_finish'
        : this.hasContent
          ? 'mid_stream'
          : this.hasAnything
            ? 'before_first_token'
            : 'before_headers',
      finishReason,
      operation: 'model_read',
    };
  }
}
