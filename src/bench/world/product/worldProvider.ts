// The product's provider port on the world: a stream that arrives as the world's call does, from the same draws as every policy's.
// A request names its step in its first words; one that names none (a breaker's probe) is a call of its own.
import type { Candidate } from '../../../core/candidate.ts';
import type { ChatRequest, StreamPart } from '../../../core/chat.ts';
import type { Observation } from '../../../core/faults/fault.ts';
import type { ProviderEvent, ProviderPort } from '../../../engine/ports.ts';
import type { AttemptFailureKind, WorldAttempt, WorldPort, WorldStep } from '../policy.ts';

/** Pieces of an answer arrive so often while it is written. */
const PIECE_EVERY_S = 1;
const CHARS_PER_TOKEN = 4;
const STEP_WORDS = /^step (\d+)/;
/** A call for no step asks for so many tokens. */
const SIDE_TOKENS = { prompt: 20, output: 1 } as const;

/** The words by which a request is known as that of a step. */
export function wordsOf(step: WorldStep): string {
  return `step ${step.ordinal}`;
}

/** One stream: what has arrived and was not taken yet. */
class Channel {
  attempt: WorldAttempt | null = null;
  isOver = false;
  sentTokens = 0;
  private readonly waiting: ProviderEvent[] = [];
  private wake: (() => void) | null = null;

  push(event: ProviderEvent, isLast: boolean): void {
    this.waiting.push(event);
    this.end(isLast);
  }

  end(isLast = true): void {
    if (isLast) this.isOver = true;
    this.wake?.();
    this.wake = null;
  }

  /** The next event; null at the end. */
  async take(): Promise<ProviderEvent | null> {
    for (;;) {
      const event = this.waiting.shift();
      if (event !== undefined) return event;
      if (this.isOver) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

export class WorldProvider implements ProviderPort {
  private readonly world: WorldPort;
  private readonly stepOf: (ordinal: number) => WorldStep | undefined;
  private readonly places: ReadonlyMap<string, number>;
  private readonly channels = new Map<WorldAttempt, Channel>();
  /** By the product's attempt id; a step's entries go with it. */
  private readonly attempts = new Map<string, WorldAttempt>();

  /** `stepOf` finds a running step by its ordinal. */
  constructor(world: WorldPort, stepOf: (ordinal: number) => WorldStep | undefined) {
    this.world = world;
    this.stepOf = stepOf;
    this.places = new Map(world.candidates.map(({ name }, index) => [name, index]));
  }

  async *stream(
    request: ChatRequest,
    candidate: Candidate,
    signal: AbortSignal,
    attemptId = '',
  ): AsyncGenerator<ProviderEvent> {
    if (signal.aborted) return;
    const place = this.places.get(candidate.model);
    if (place === undefined) throw new Error(`world: no candidate ${candidate.model}`);
    const step = this.stepOf(ordinalOf(request));
    const attempt = step
      ? this.world.start(step, place, Infinity)
      : this.world.startSide(place, SIDE_TOKENS.prompt, SIDE_TOKENS.output, Infinity);
    const channel = new Channel();
    channel.attempt = attempt;
    this.channels.set(attempt, channel);
    this.attempts.set(attemptId, attempt);
    const abort = (): void => {
      this.world.cancel(attempt);
      channel.end();
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      for (let event = await channel.take(); event !== null; event = await channel.take()) yield event;
    } finally {
      signal.removeEventListener('abort', abort);
      this.world.cancel(attempt);
      this.channels.delete(attempt);
    }
  }

  /** The world's attempt behind the product's, until it is forgotten. */
  attempt(attemptId: string): WorldAttempt | undefined {
    return this.attempts.get(attemptId);
  }

  /** The step is over: ids of its attempts are not asked for again. */
  forget(step: WorldStep): void {
    for (const [id, attempt] of this.attempts) if (step.attempts.includes(attempt)) this.attempts.delete(id);
  }

  firstToken(attempt: WorldAttempt): void {
    const channel = this.channels.get(attempt);
    if (!channel) return;
    this.sendPiece(channel, attempt, [{ type: 'response-start' }]);
    this.pieceLater(channel, attempt);
  }

  /** The world's call has ended by itself. */
  ended(attempt: WorldAttempt, promptTokens: number): void {
    const channel = this.channels.get(attempt);
    if (!channel || channel.isOver) return;
    if (attempt.status === 'succeeded') {
      const outputTokens = Math.round(attempt.outputTokens);
      this.sendPiece(channel, attempt, []);
      channel.push({ parts: lastParts('stop', Math.round(promptTokens), outputTokens) }, true);
    } else if (attempt.failure === 'invalid') {
      // A whole answer that the deterministic check of tool calls rejects.
      const broken: StreamPart = { type: 'tool-call', id: 'call', name: 'answer', argsText: '{' };
      const written = Math.round(this.world.receivedTokens(attempt));
      channel.push({ parts: [broken, ...lastParts('tool-calls', Math.round(promptTokens), written)] }, true);
    } else channel.push({ failed: observationOf(attempt.failure ?? 'reset', channel.sentTokens > 0) }, true);
  }

  private pieceLater(channel: Channel, attempt: WorldAttempt): void {
    this.world.callAt(this.world.nowS + PIECE_EVERY_S, () => {
      if (channel.isOver || attempt.status !== 'running') return;
      this.sendPiece(channel, attempt, []);
      this.pieceLater(channel, attempt);
    });
  }

  /** What was written since the last piece. */
  private sendPiece(channel: Channel, attempt: WorldAttempt, first: readonly StreamPart[]): void {
    const tokens = Math.max(channel.sentTokens + 1, Math.round(this.world.receivedTokens(attempt)));
    const text = 'x'.repeat(CHARS_PER_TOKEN * (tokens - channel.sentTokens));
    channel.sentTokens = tokens;
    channel.push({ parts: [...first, { type: 'text-delta', text }] }, false);
  }
}

function ordinalOf(request: ChatRequest): number {
  const [message] = request.messages;
  const part = message?.role === 'user' ? message.content[0] : undefined;
  const digits = part?.type === 'text' ? STEP_WORDS.exec(part.text)?.[1] : undefined;
  return digits === undefined ? -1 : Number(digits);
}

function lastParts(reason: 'stop' | 'tool-calls', inputTokens: number, outputTokens: number): readonly StreamPart[] {
  return [
    { type: 'usage', usage: { inputTokens, outputTokens } },
    { type: 'finish', reason },
  ];
}

/** What an adapter would have seen. */
function observationOf(failure: AttemptFailureKind, hasBegun: boolean): Observation {
  const status = { 'rate-limited': 429, 'server-error': 503 };
  const httpStatus = failure === 'rate-limited' || failure === 'server-error' ? status[failure] : hasBegun ? 200 : null;
  const code = failure === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET';
  return {
    httpStatus,
    headers: {},
    body: null,
    clientError: httpStatus === null || httpStatus === 200 ? { name: 'Error', code, message: 'connection lost' } : null,
    streamPhase: hasBegun ? 'mid_stream' : 'before_headers',
    finishReason: null,
    operation: 'model_read',
  };
}
