// Collects one call's stream into the message it is: for callers that want the whole answer (Belay's own agent loop).
import type { AssistantMessage, StreamPart, ToolCallPart } from '../core/chat.ts';
import type { CandidateId } from '../core/candidate.ts';
import type { CallEvent, CallFailure, CallSummary } from './call.ts';

export type CollectedAnswer =
  | {
      readonly ok: true;
      readonly message: AssistantMessage;
      readonly text: string;
      readonly toolCalls: readonly ToolCallPart[];
      readonly summary: CallSummary;
      readonly candidate: CandidateId | null;
    }
  | { readonly ok: false; readonly failure: CallFailure | null };

/** Reads `events` to their end. A cancelled call gives no failure (null). */
export async function collectAnswer(events: AsyncIterable<CallEvent>): Promise<CollectedAnswer> {
  const parts: StreamPart[] = [];
  for await (const event of events) {
    if (event.type === 'event') parts.push(...event.event.parts);
    if (event.type === 'failed') return { ok: false, failure: event.failure };
    if (event.type === 'finished') return toAnswer(parts, event.summary);
  }
  return { ok: false, failure: null };
}

function toAnswer(parts: readonly StreamPart[], summary: CallSummary): CollectedAnswer {
  const text = parts
    .map((part) => (part.type === 'text-delta' || part.type === 'refusal-delta' ? part.text : ''))
    .join('');
  const toolCalls = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
  const thinking = parts.map((part) => (part.type === 'thinking-delta' ? part.text : '')).join('');
  const end = parts.find((part) => part.type === 'thinking-end');
  const content: AssistantMessage['content'] = [
    ...(thinking === ''
      ? []
      : [
          {
            type: 'thinking' as const,
            text: thinking,
            ...(end?.signature === undefined ? {} : { signature: end.signature }),
            ...(end?.issuer === undefined ? {} : { issuer: end.issuer }),
          },
        ]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...toolCalls,
  ];
  return { ok: true, message: { role: 'assistant', content }, text, toolCalls, summary, candidate: summary.candidate };
}
