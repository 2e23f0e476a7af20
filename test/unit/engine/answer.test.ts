// The message that a whole answer is: its blocks in their order, each thought with its own signature.
import { describe, expect, it } from 'vitest';
import type { StreamPart } from '../../../src/core/chat.ts';
import { collectAnswer } from '../../../src/engine/answer.ts';
import type { CallEvent } from '../../../src/engine/call.ts';

const SUMMARY = {
  requestId: 'r',
  outcome: 'answered',
  candidate: 'a',
  attempt: null,
  servedModel: null,
  rung: 'L0',
  attempts: 1,
  costUsd: 0,
  usage: null,
  elapsedMs: 0,
} as const;

async function contentOf(...parts: readonly StreamPart[]): Promise<unknown> {
  // eslint-disable-next-line @typescript-eslint/require-await -- everything is there already
  async function* events(): AsyncGenerator<CallEvent> {
    for (const part of parts) yield { type: 'event', event: { parts: [part] } };
    yield { type: 'finished', summary: SUMMARY };
  }
  const answer = await collectAnswer(events());
  return answer.ok ? answer.message.content : null;
}

describe('a collected answer', () => {
  it('keeps two thoughts apart, each with its own signature and in its own place', async () => {
    const call = { type: 'tool-call', id: 'c', name: 'read', argsText: '{}' } as const;
    expect(
      await contentOf(
        { type: 'thinking-delta', text: 'a' },
        { type: 'thinking-delta', text: 'b' },
        { type: 'thinking-end', signature: 's1', issuer: 'i' },
        { type: 'text-delta', text: 'x' },
        { type: 'text-delta', text: 'y' },
        { type: 'thinking-delta', text: 'c' },
        { type: 'thinking-end', signature: 's2', issuer: 'i' },
        call,
      ),
    ).toEqual([
      { type: 'thinking', text: 'ab', signature: 's1', issuer: 'i' },
      { type: 'text', text: 'xy' },
      { type: 'thinking', text: 'c', signature: 's2', issuer: 'i' },
      call,
    ]);
  });

  it('keeps a signature without text, as encrypted thoughts have', async () => {
    expect(
      await contentOf({ type: 'thinking-end', signature: 's', issuer: 'i' }, { type: 'text-delta', text: 'x' }),
    ).toEqual([
      { type: 'thinking', text: '', signature: 's', issuer: 'i' },
      { type: 'text', text: 'x' },
    ]);
  });

  it('keeps a thought that was cut, unsigned', async () => {
    expect(await contentOf({ type: 'thinking-delta', text: 'a' }, { type: 'text-delta', text: 'x' })).toEqual([
      { type: 'thinking', text: 'a' },
      { type: 'text', text: 'x' },
    ]);
  });
});
