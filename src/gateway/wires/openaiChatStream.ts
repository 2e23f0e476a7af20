// Writes one streamed Chat Completions answer. As long as the events carry bytes of this wire they are passed on as they
// are; from the first event on whose parts must be written instead, all are written as chunks of the same answer (same id
// and model). What says "finished" (finish_reason, usage) is held until the call is known to be good, and the end mark is
// always ours.
import type { StreamEvent, StreamPart, Usage } from '../../core/chat.ts';
import type { CallSummary } from '../../engine/controller.ts';
import { belayObject, finishWord, usageObject } from './openaiFinish.ts';
import { openaiErrorBody } from './openaiErrors.ts';
import { unfinishedProblem } from './problem.ts';
import { sseBytes } from './rawEvents.ts';
import type { AnswerChunk, AnswerFacts, StreamEncoder, WireProblem } from './wire.ts';

const WIRE = 'openai-chat';
const DONE = 'data: [DONE]\n\n';
/** Held terminal events beyond this size are dropped: no honest ending is that long. */
const MAX_HELD_BYTES = 65_536;

interface StreamOptions {
  /** The model name the caller asked for, used until a provider names the one it served. */
  readonly model: string;
  readonly includeUsage: boolean;
}

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
  /** Some bytes have been passed on: the answer has the provider's id. */
  private isRaw = false;
  /** Some parts have been written: from here on all are. */
  private isWritten = false;
  private readonly ownId: string;
  private providerId: string | null = null;
  private model: string;
  private toolCount = 0;
  /** Something of the answer has been written: its id, model and role are fixed. */
  private hasStarted = false;
  private hasRefusalText = false;
  private usage: Usage | null = null;
  private hasPassedUsage = false;
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  private finishChunk: string | null = null;

  constructor(facts: AnswerFacts, options: StreamOptions) {
    this.facts = facts;
    this.options = options;
    this.ownId = `chatcmpl-${facts.requestId}`;
    this.model = options.model;
  }

  encode(event: StreamEvent): readonly AnswerChunk[] {
    const bytes = this.isWritten ? null : sseBytes(event, WIRE);
    return bytes ? this.passOn(event, bytes) : event.parts.flatMap((part) => this.write(part));
  }

  ending(summary: CallSummary): readonly AnswerChunk[] {
    const chunks: AnswerChunk[] = this.held;
    if (this.finishChunk !== null) chunks.push(this.finishChunk);
    if ((this.isWritten || !this.isRaw) && this.options.includeUsage && !this.hasPassedUsage) {
      const usage = summary.usage ?? this.usage;
      chunks.push(this.chunk({ choices: [], usage: usage && usageObject(usage), belay: belayObject(summary) }));
    }
    chunks.push(DONE);
    return chunks;
  }

  failure(problem: WireProblem): AnswerChunk {
    return `data: ${openaiErrorBody(problem)}\n\n`;
  }

  private passOn(event: StreamEvent, bytes: Uint8Array): readonly AnswerChunk[] {
    const isAfterFinish = this.hasFinished;
    for (const part of event.parts) this.note(part);
    this.isRaw = true;
    this.hasStarted = true;
    if (!this.hasFinished) {
      this.hasPassedUsage ||= hasUsage(event);
      return [bytes];
    }
    // The finish itself may come with all the tool calls of an answer; what follows it is small.
    if (isAfterFinish) {
      this.heldBytes += bytes.length;
      if (this.heldBytes > MAX_HELD_BYTES) return [];
    }
    this.hasPassedUsage ||= hasUsage(event);
    this.held.push(bytes);
    return [];
  }

  /** Keeps what later chunks must agree with. */
  private note(part: StreamPart): void {
    if (part.type === 'response-start' && !this.hasStarted) {
      this.providerId = part.responseId ?? null;
      this.model = part.servedModel ?? this.model;
    }
    if (part.type === 'tool-call') this.toolCount++;
    if (part.type === 'usage') this.usage = part.usage;
    if (part.type === 'refusal-delta') this.hasRefusalText = true;
    if (part.type === 'finish') this.hasFinished = true;
  }

  private write(part: StreamPart): AnswerChunk[] {
    const index = this.toolCount;
    if (part.type === 'finish' && this.hasFinished) return [];
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
        this.isWritten = true;
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
    this.isWritten = true;
    return this.chunk({ choices: [{ index: 0, delta: { ...role, ...delta }, finish_reason: null }] });
  }

  private chunk(body: Record<string, unknown>): string {
    const usage = this.options.includeUsage && !('usage' in body) ? { usage: null } : {};
    const head = {
      // The provider's own id only where the client has it from the provider's own bytes.
      id: (this.isRaw ? this.providerId : null) ?? this.ownId,
      object: 'chat.completion.chunk',
      created: this.facts.createdSeconds,
      model: this.model,
    };
    return `data: ${JSON.stringify({ ...head, ...body, ...usage })}\n\n`;
  }
}

function hasUsage(event: StreamEvent): boolean {
  return event.parts.some((part) => part.type === 'usage');
}
