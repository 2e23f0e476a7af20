// One lane of a race: the running attempt and what it has said so far. It buffers what may not go out yet:
// start-up events before the first content, and every event from the first sign of a tool call to the finish.
import type { Candidate } from '../core/candidate.ts';
import type { StreamEvent, StreamPart, ToolCallPart, ToolSpec } from '../core/chat.ts';
import type { HeldAnswer } from '../core/scheduler/raceWords.ts';
import type { ReplicaAnswer } from '../core/scheduler/redundancy/normalised.ts';
import { toolCallProblem } from '../core/toolCalls.ts';
import type { ReceivedSoFar } from '../core/scheduler/raceWords.ts';
import type { AttemptFigures } from './attemptTally.ts';

/** Longer tool calls of one answer are not compared. */
const MOST_NOTED_CHARS = 1_000_000;

export class Lane {
  readonly attemptId: string;
  readonly candidate: Candidate;
  /** When its attempt was started: after it got a place. */
  startedAtMs: number;
  readonly abort = new AbortController();
  /** The race has told it to stop since another one won, and nobody else had done so before. */
  isSuperseded = false;
  /** What has come of the answer so far, tool calls included: how fast it is being written. Null: nothing. */
  received: ReceivedSoFar | null = null;
  /** True once content has arrived. */
  isStreaming = false;
  /** How long its answer, which was accepted, was kept back for a better one; null: not at all. */
  held: HeldAnswer | null = null;
  /** Set when the attempt has ended, whichever way. */
  figures: AttemptFigures | null = null;
  private readonly buffered: StreamEvent[] = [];
  private readonly toolCalls: ToolCallPart[] = [];
  private toolChars = 0;
  private isHoldingTools = false;
  private hasFinish = false;

  constructor(attemptId: string, candidate: Candidate, startedAtMs: number) {
    this.attemptId = attemptId;
    this.candidate = candidate;
    this.startedAtMs = startedAtMs;
  }

  /** Stops it in favour of another lane. */
  supersede(reason: Error): void {
    if (!this.abort.signal.aborted) this.isSuperseded = true;
    this.abort.abort(reason);
  }

  /** Takes an event in, at `nowMs`; true when it carries text that could go to the caller now (no tool call is open). */
  take(event: StreamEvent, nowMs: number): boolean {
    this.buffered.push(event);
    let hasText = false;
    let chars = 0;
    for (const part of event.parts) {
      if (part.type === 'tool-call') this.keepCall(part);
      if (isToolPart(part)) this.isHoldingTools = true;
      if (part.type === 'text-delta' || part.type === 'thinking-delta') hasText = true;
      if (part.type === 'finish') this.hasFinish = true;
      chars += charsOf(part);
    }
    if (chars > 0) this.received = { chars: (this.received?.chars ?? 0) + chars, lastAtMs: nowMs };
    return hasText && !this.isHoldingTools;
  }

  /** Its tool calls, as far as a comparison needs them; null: too much was written to be kept for that. */
  get comparable(): ReplicaAnswer | null {
    return this.toolChars > MOST_NOTED_CHARS ? null : { kind: 'model-answer', text: '', toolCalls: this.toolCalls };
  }

  private keepCall(part: ToolCallPart): void {
    this.toolCalls.push(part);
    this.toolChars += part.name.length + part.argsText.length;
  }

  /**
   * Events that may go out now, the only way out of a lane. `open`: those before a tool call. `accepted`: the answer was judged
   * good as a whole. `refused`: what is shown of a refusal; a tool call in it was never judged and stays here, and so do the bytes.
   */
  release(as: 'open' | 'accepted' | 'refused'): readonly StreamEvent[] {
    if (as === 'accepted' || !this.isHoldingTools) return this.buffered.splice(0);
    return as === 'open'
      ? []
      : this.buffered.splice(0).map((event) => ({ parts: event.parts.filter((part) => !isToolPart(part)) }));
  }

  /** Whether the provider itself ended the answer, e.g. with a refusal that can be shown as it came. */
  get isFinished(): boolean {
    return this.hasFinish;
  }

  /** What came and was not released yet; of a held answer that is all of it. */
  get heldParts(): readonly StreamPart[] {
    return this.buffered.flatMap(({ parts }) => parts);
  }

  /** What is wrong with the tool calls of a complete answer, or null. */
  toolProblem(tools: readonly ToolSpec[]): string | null {
    return toolCallProblem(this.toolCalls, tools);
  }
}

/** A tool call was counted while it was written. */
function charsOf(part: StreamPart): number {
  if (part.type === 'text-delta' || part.type === 'thinking-delta' || part.type === 'refusal-delta')
    return part.text.length;
  return part.type === 'tool-call-progress' ? part.chars : 0;
}

function isToolPart(part: StreamPart): boolean {
  return part.type === 'tool-call' || part.type === 'tool-call-progress';
}
