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
      /** The output limit ended the answer inside a tool call, which is therefore not among `toolCalls`. */
      readonly isCutInCall: boolean;
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
  return {
    ok: true,
    message: { role: 'assistant', content: contentOf(parts) },
    text,
    toolCalls,
    summary,
    candidate: summary.candidate,
    isCutInCall: isCutInCall(parts),
  };
}

/** What a call's progress may count beside its own name and arguments. */
const PROGRESS_SLACK_CHARS = 100;

/** Was a tool call begun that never came to its end, since the output limit was reached? Told by what arrived of calls. */
function isCutInCall(parts: readonly StreamPart[]): boolean {
  if (!parts.some((part) => part.type === 'finish' && part.reason === 'truncated')) return false;
  let begunChars = 0;
  let wholeChars = 0;
  let calls = 0;
  for (const part of parts) {
    if (part.type === 'tool-call-progress') begunChars += part.chars;
    if (part.type !== 'tool-call') continue;
    wholeChars += part.name.length + part.argsText.length;
    calls++;
  }
  return calls === 0 ? begunChars > 0 : begunChars > wholeChars + PROGRESS_SLACK_CHARS;
}

type Content = AssistantMessage['content'][number];

/** The blocks in the order in which they came: a signature is good only for its own block, in its own place. */
function contentOf(parts: readonly StreamPart[]): Content[] {
  const content: Content[] = [];
  let thought = '';
  const endThought = (proof: { readonly signature?: string; readonly issuer?: string } = {}): void => {
    const { signature, issuer } = proof;
    if (thought !== '' || signature !== undefined) {
      content.push({
        type: 'thinking',
        text: thought,
        ...(signature === undefined ? {} : { signature }),
        ...(issuer === undefined ? {} : { issuer }),
      });
    }
    thought = '';
  };
  for (const part of parts) {
    if (part.type === 'thinking-delta') thought += part.text;
    if (part.type === 'thinking-end') endThought(part);
    if (part.type === 'text-delta' || part.type === 'refusal-delta') {
      endThought();
      const last = content.at(-1);
      if (last?.type === 'text') content[content.length - 1] = { type: 'text', text: last.text + part.text };
      else content.push({ type: 'text', text: part.text });
    }
    if (part.type === 'tool-call') {
      endThought();
      content.push(part);
    }
  }
  endThought();
  return content;
}
