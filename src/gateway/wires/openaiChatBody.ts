// Collects one Chat Completions answer that is sent whole. A single event that carries a JSON body of this wire is that
// body, byte for byte; everything else is written from the parts, as far as they are not too much to hold.
import type { FinishReason, StreamEvent, StreamPart, ToolCallPart, Usage } from '../../core/chat.ts';
import type { CallSummary } from '../../engine/controller.ts';
import { belayObject, finishWord, usageObject } from './openaiFinish.ts';
import { tooLongProblem, unfinishedProblem } from './problem.ts';
import { jsonBytes } from './rawEvents.ts';
import type { AnswerCollector, AnswerFacts } from './wire.ts';

/** Characters of text, thoughts and tool calls that are held of one answer; 64 Mi is more than any model writes. */
const MAX_HELD_CHARS = 67_108_864;

/** A collector for one answer; `model` is the name the caller asked for. */
export function openaiChatBody(facts: AnswerFacts, model: string, maxChars = MAX_HELD_CHARS): AnswerCollector {
  const answer = new CollectedAnswer(facts, model);
  let chars = 0;
  let events = 0;
  let body: Uint8Array | null = null;
  return {
    add: (event: StreamEvent) => {
      events++;
      body = jsonBytes(event, 'openai-chat');
      for (const part of event.parts) {
        chars += heldChars(part);
        if (chars <= maxChars) answer.add(part);
      }
    },
    finish: (summary) => {
      if (chars > maxChars) return { ok: false, error: tooLongProblem(facts.requestId) };
      if (!answer.finish) return { ok: false, error: unfinishedProblem(facts.requestId) };
      return { ok: true, value: events === 1 && body ? body : JSON.stringify(answer.toJson(summary)) };
    },
  };
}

/** Characters that a part keeps in memory, and a few for itself. */
function heldChars(part: StreamPart): number {
  const own = 32;
  if ('text' in part) return part.text.length + own;
  return part.type === 'tool-call' ? part.id.length + part.name.length + part.argsText.length + own : 0;
}

class CollectedAnswer {
  finish: { readonly reason: FinishReason; readonly rawReason: string | undefined } | null = null;
  private readonly facts: AnswerFacts;
  private model: string;
  private texts: string[] = [];
  private thoughts: string[] = [];
  private refusals: string[] = [];
  private calls: ToolCallPart[] = [];
  private usage: Usage | null = null;

  constructor(facts: AnswerFacts, model: string) {
    this.facts = facts;
    this.model = model;
  }

  add(part: StreamPart): void {
    switch (part.type) {
      case 'response-start':
        this.model = part.servedModel ?? this.model;
        break;
      case 'text-delta':
        this.texts.push(part.text);
        break;
      case 'thinking-delta':
        this.thoughts.push(part.text);
        break;
      case 'refusal-delta':
        this.refusals.push(part.text);
        break;
      case 'tool-call':
        this.calls.push(part);
        break;
      case 'usage':
        this.usage = part.usage;
        break;
      case 'finish':
        this.finish = { reason: part.reason, rawReason: part.rawReason };
        break;
      case 'thinking-end':
      case 'tool-call-progress':
        break;
      default:
        part satisfies never;
    }
  }

  toJson(summary: CallSummary): Record<string, unknown> {
    const { finish, facts } = this;
    const refusal = this.refusals.join('');
    const text = this.texts.join('');
    const thoughts = this.thoughts.join('');
    const usage = summary.usage ?? this.usage;
    const message = {
      role: 'assistant',
      content: text === '' && (this.calls.length > 0 || refusal !== '') ? null : text,
      refusal: refusal === '' ? null : refusal,
      ...(thoughts === '' ? {} : { reasoning_content: thoughts }),
      ...(this.calls.length === 0 ? {} : { tool_calls: this.calls.map(toolCallObject) }),
    };
    const reason = finish && finishWord(finish.reason, finish.rawReason, refusal !== '');
    return {
      id: `chatcmpl-${facts.requestId}`,
      object: 'chat.completion',
      created: facts.createdSeconds,
      model: this.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
      ...(usage ? { usage: usageObject(usage) } : {}),
      belay: belayObject(summary),
    };
  }
}

function toolCallObject(call: ToolCallPart): Record<string, unknown> {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.argsText } };
}
