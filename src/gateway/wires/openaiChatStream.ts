// Writes one streamed Chat Completions answer. As long as the events carry bytes of this wire they are passed on as they
// are; from the first event without them on, the parts are written as chunks of the same answer (same id and model).
// What says "finished" (finish_reason, usage, [DONE]) is held until the call is known to be good.
import type { StreamEvent, StreamPart, Usage } from '../../core/chat.ts';
import type { CallSummary } from '../../engine/controller.ts';
import { belayObject, finishWord, usageObject } from './openaiFinish.ts';
import { openaiErrorBody } from './openaiErrors.ts';
import { unfinishedProblem } from './problem.ts';
import { gapAfter, isDone, sseBytes } from './rawEvents.ts';
import type { AnswerChunk, AnswerFacts, StreamEncoder, WireProblem } from './wire.ts';

const WIRE = 'openai-chat';
const DONE = 'data: [DONE]\n\n';
/** Held terminal events beyond this size are let go: no honest ending is that long. */
const MAX_HELD_BYTES = 65_536;

interface StreamOptions {
  /** The model name the caller asked for, used until a provider names the one it served. */
  readonly model: string;
  readonly includeUsage: boolean;
}

type Mode = 'undecided' | 'raw' | 'written';

/** An encoder for one answer. */
export function openaiChatStream(facts: AnswerFacts, options: StreamOptions): StreamEncoder {
  const encoder = new OpenaiChatEncoder(facts, options);
  return {
    encode: (event) => encoder.encode(event),
    finish: (summary) =>
      encoder.hasFinished
        ? { ok: true, value: encoder.ending(summary) }
        : { ok: false, error: unfinishedProblem(facts.requestId) },
    fail: (problem) => encoder.failure(problem),
  };
}

class OpenaiChatEncoder {
  hasFinished = false;
  private readonly facts: AnswerFacts;
  private readonly options: StreamOptions;
  private mode: Mode = 'undecided';
  private id: string;
  private model: string;
  private toolCount = 0;
  /** Something of the answer has been written: its id, model and role are fixed. */
  private hasStarted = false;
  private hasRefusalText = false;
  private hasDone = false;
  private usage: Usage | null = null;
  private hasPassedUsage = false;
  /** The bytes passed on last, as long as nothing of our own came after them. */
  private lastBytes: Uint8Array | null = null;
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  private finishChunk: string | null = null;

  constructor(facts: AnswerFacts, options: StreamOptions) {
    this.facts = facts;
    this.options = options;
    this.id = `chatcmpl-${facts.requestId}`;
    this.model = options.model;
  }

  encode(event: StreamEvent): readonly AnswerChunk[] {
    const bytes = this.mode === 'written' ? null : sseBytes(event, WIRE);
    if (bytes) {
      this.mode = 'raw';
      return this.passOn(event, bytes);
    }
    // A provider's answer that turns from bytes to parts goes on under the id it has.
    this.mode = 'written';
    return event.parts.flatMap((part) => this.write(part));
  }

  ending(summary: CallSummary): readonly AnswerChunk[] {
    const chunks: AnswerChunk[] = this.release();
    if (this.finishChunk !== null) chunks.push(this.finishChunk);
    if (this.mode === 'written' && this.options.includeUsage && !this.hasPassedUsage) {
      const usage = summary.usage ?? this.usage;
      chunks.push(this.chunk({ choices: [], usage: usage && usageObject(usage), belay: belayObject(summary) }));
    }
    if (!this.hasDone) chunks.push(this.gap() + DONE);
    return chunks;
  }

  failure(problem: WireProblem): AnswerChunk {
    return `${this.gap()}data: ${openaiErrorBody(problem)}\n\n`;
  }

  private passOn(event: StreamEvent, bytes: Uint8Array): readonly AnswerChunk[] {
    for (const part of event.parts) this.note(part);
    if (isDone(bytes)) this.hasDone = true;
    this.hasStarted = true;
    this.hasPassedUsage ||= event.parts.some((part) => part.type === 'usage');
    if (!this.hasFinished && !this.hasDone) {
      this.lastBytes = bytes;
      return [bytes];
    }
    this.held.push(bytes);
    this.heldBytes += bytes.length;
    return this.heldBytes > MAX_HELD_BYTES ? this.release() : [];
  }

  private release(): AnswerChunk[] {
    const chunks = this.held;
    this.lastBytes = chunks.at(-1) ?? this.lastBytes;
    this.held = [];
    this.heldBytes = 0;
    return chunks;
  }

  /** Keeps what later chunks must agree with. */
  private note(part: StreamPart): void {
    if (part.type === 'response-start' && !this.hasStarted) {
      if (this.mode === 'raw' && part.responseId !== undefined) this.id = part.responseId;
      this.model = part.servedModel ?? this.model;
    }
    if (part.type === 'tool-call') this.toolCount++;
    if (part.type === 'usage') this.usage = part.usage;
    if (part.type === 'refusal-delta') this.hasRefusalText = true;
    if (part.type === 'finish') this.hasFinished = true;
  }

  private write(part: StreamPart): AnswerChunk[] {
    const index = this.toolCount;
    this.note(part);
    switch (part.type) {
      case 'text-delta':
        return part.text === '' ? [] : [this.delta({ content: part.text })];
      case 'thinking-delta':
        return part.text === '' ? [] : [this.delta({ reasoning_content: part.text })];
      case 'refusal-delta':
        return [this.delta({ refusal: part.text })];
      case 'tool-call':
        return [
          this.delta({
            tool_calls: [
              { index, id: part.id, type: 'function', function: { name: part.name, arguments: part.argsText } },
            ],
          }),
        ];
      case 'finish': {
        const word = finishWord(part.reason, part.rawReason, this.hasRefusalText);
        this.finishChunk = this.chunk({ choices: [{ index: 0, delta: {}, finish_reason: word }] });
        return [];
      }
      case 'response-start':
      case 'thinking-end':
      case 'tool-call-progress':
      case 'usage':
        return [];
      default:
        return part satisfies never;
    }
  }

  private delta(delta: Record<string, unknown>): string {
    const role = this.hasStarted ? {} : { role: 'assistant' };
    this.hasStarted = true;
    return this.chunk({ choices: [{ index: 0, delta: { ...role, ...delta }, finish_reason: null }] });
  }

  private chunk(body: Record<string, unknown>): string {
    const usage = this.options.includeUsage && !('usage' in body) ? { usage: null } : {};
    const head = {
      id: this.id,
      object: 'chat.completion.chunk',
      created: this.facts.createdSeconds,
      model: this.model,
    };
    return `${this.gap()}data: ${JSON.stringify({ ...head, ...body, ...usage })}\n\n`;
  }

  /** What must come before an event of our own. */
  private gap(): '' | '\n\n' {
    const gap = this.lastBytes ? gapAfter(this.lastBytes) : '';
    this.lastBytes = null;
    return gap;
  }
}
