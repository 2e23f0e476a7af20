// Random conversations of an agent: requests, answers with and without tool calls, results, in any sensible order; and what has
// to hold of every conversation that a provider gets.
import fc from 'fast-check';
import type { ChatMessage, ChatRequest } from '../../src/core/chat.ts';
import type { OpenEffect } from '../../src/core/recovery/openEffects.ts';
import { isNote } from '../../src/core/recovery/turns.ts';

const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.integer({ min: 500, max: 6000 }).map((length) => 'abc \n'.repeat(length / 5)) },
);

const said = text.map((words): readonly ChatMessage[] => [{ role: 'user', content: [{ type: 'text', text: words }] }]);
const answered = text.map((words): readonly ChatMessage[] => [
  { role: 'assistant', content: [{ type: 'text', text: words }] },
]);
const called = fc
  .array(fc.record({ args: text, result: text, isError: fc.boolean() }), { minLength: 1, maxLength: 3 })
  .map((calls): readonly ChatMessage[] => [
    {
      role: 'assistant',
      content: calls.map(({ args }, index) => ({
        type: 'tool-call' as const,
        id: `call-${index}`,
        name: 'read_file',
        argsText: JSON.stringify({ args }),
      })),
    },
    {
      role: 'tool',
      content: calls.map(({ result, isError }, index) => ({
        type: 'tool-result' as const,
        callId: `call-${index}`,
        content: [{ type: 'text' as const, text: result }],
        isError,
      })),
    },
  ]);

/** A request with a conversation that begins with the person; tool-call ids are unique in it. */
export const conversations: fc.Arbitrary<ChatRequest> = fc
  .tuple(
    said,
    fc.array(
      fc.oneof({ weight: 1, arbitrary: said }, { weight: 1, arbitrary: answered }, { weight: 4, arbitrary: called }),
      { maxLength: 14 },
    ),
  )
  .map(([first, rest]) => ({
    model: 'm',
    system: [{ type: 'text', text: 'You are careful.' }],
    messages: [first, ...rest].flatMap((turn, index) => turn.map((message) => withOwnIds(message, index))),
    tools: [{ name: 'read_file', parameters: { type: 'object' } }],
    toolChoice: { type: 'auto' },
  }));

function withOwnIds(message: ChatMessage, turn: number): ChatMessage {
  if (message.role === 'assistant')
    return {
      ...message,
      content: message.content.map((part) =>
        part.type === 'tool-call' ? { ...part, id: `${turn}-${part.id}` } : part,
      ),
    };
  if (message.role === 'user') return message;
  return { ...message, content: message.content.map((part) => ({ ...part, callId: `${turn}-${part.callId}` })) };
}

/** Effects of a ledger, open and settled. */
export const effects: fc.Arbitrary<readonly OpenEffect[]> = fc.array(
  fc.record({
    key: fc.stringMatching(/^[0-9a-f]{64}$/),
    title: fc.constantFrom('npm publish', 'git push origin main', 'edit src/a.ts'),
    state: fc.constantFrom('PREPARED', 'UNKNOWN', 'COMMITTED', 'FAILED'),
    step: fc.integer({ min: 1, max: 99 }),
    level: fc.constantFrom('R1', 'R2', 'R3'),
  }),
  { maxLength: 3 },
);

/** Every call has its result in the next message, and no result stands alone. */
export function isPaired(messages: readonly ChatMessage[]): boolean {
  return messages.every((message, index) => {
    const calls =
      message.role === 'assistant'
        ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []))
        : [];
    const next = messages[index + 1];
    const results = next?.role === 'tool' ? next.content.map(({ callId }) => callId) : [];
    const isAnswered = calls.length === 0 || calls.every((id) => results.includes(id));
    const isAsked = message.role !== 'tool' || messages[index - 1]?.role === 'assistant';
    return isAnswered && isAsked;
  });
}

/** The messages of the person, first to last. */
export function requestsOf(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.filter((message) => message.role === 'user' && !isNote(message));
}
