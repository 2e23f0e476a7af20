import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../../src/core/chat.ts';
import { compressRequest, trimRequest, withEffectsNamed } from '../../../../src/core/recovery/compress.ts';
import { openEffectLines, type OpenEffect } from '../../../../src/core/recovery/openEffects.ts';
import { NOTE_MARK, turnsBefore, turnsOf, withoutTurns } from '../../../../src/core/recovery/turns.ts';
import { sizeOfRequest, totalChars } from '../../../../src/core/textSize.ts';
import { conversations, effects, isPaired, requestsOf } from '../../../support/conversations.ts';

const sizeOf = (request: ChatRequest): number => totalChars(sizeOfRequest(request));
const target = fc.integer({ min: 0, max: 30_000 });
const unknown: OpenEffect = { key: 'a1b2c3d4e5f60718', title: 'npm publish', state: 'UNKNOWN', step: 4, level: 'R3' };

describe('leaving out turns', () => {
  it('gives a strictly smaller request or none', () => {
    fc.assert(
      fc.property(conversations, target, effects, (request, tokens, open) => {
        const smaller = trimRequest(request, tokens, totalChars, open);
        if (smaller) expect(sizeOf(smaller)).toBeLessThan(sizeOf(request));
      }),
    );
  });

  it('never parts a call from its result', () => {
    fc.assert(
      fc.property(conversations, target, effects, (request, tokens, open) => {
        expect(isPaired(request.messages)).toBe(true);
        expect(isPaired(trimRequest(request, tokens, totalChars, open)?.messages ?? [])).toBe(true);
      }),
    );
  });

  it("keeps system prompt, tools, the person's first and last request and the newest message byte for byte", () => {
    fc.assert(
      fc.property(conversations, target, effects, (request, tokens, open) => {
        const smaller = trimRequest(request, tokens, totalChars, open);
        if (!smaller) return;
        const [before, after] = [requestsOf(request.messages), requestsOf(smaller.messages)];
        expect(after[0]).toStrictEqual(before[0]);
        expect(after.at(-1)).toStrictEqual(before.at(-1));
        expect(smaller.messages.at(-1)).toStrictEqual(request.messages.at(-1));
        expect([smaller.system, smaller.tools, smaller.model]).toStrictEqual([
          request.system,
          request.tools,
          request.model,
        ]);
        expect(smaller.messages.filter((each) => request.messages.includes(each))).toStrictEqual(
          request.messages.filter((each) => smaller.messages.includes(each)),
        );
      }),
    );
  });

  it('names every effect that is not settled, and none that is', () => {
    fc.assert(
      fc.property(conversations, target, effects, (request, tokens, open) => {
        const text = JSON.stringify(trimRequest(request, tokens, totalChars, open)?.messages ?? null);
        if (text === 'null') return;
        for (const line of openEffectLines(open)) expect(text).toContain(line);
        expect(text).not.toContain('COMMITTED)');
      }),
    );
  });

  it('comes to an end when it is done again and again, and then changes nothing', () => {
    fc.assert(
      fc.property(conversations, effects, (request, open) => {
        let now: ChatRequest = request;
        let rounds = 0;
        for (;;) {
          const next = trimRequest(now, 0, totalChars, open);
          if (!next) break;
          expect(sizeOf(next)).toBeLessThan(sizeOf(now));
          now = next;
          rounds++;
        }
        expect(rounds).toBeLessThanOrEqual(2);
        expect(
          now.messages.filter((message) => JSON.stringify(message).includes(NOTE_MARK)).length,
        ).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('leaves out no more than it must', () => {
    fc.assert(
      fc.property(conversations, target, (request, tokens) => {
        const smaller = trimRequest(request, tokens, totalChars, []);
        if (!smaller || sizeOf(smaller) > tokens) return;
        const removable = turnsOf(request.messages).filter(({ isKept }) => !isKept);
        const kept = removable.filter(({ from }) => smaller.messages.includes(request.messages[from]!));
        // With one turn less left out it would not have fitted.
        const left = removable.slice(0, removable.length - kept.length - 1);
        const note = smaller.messages.find((message) => JSON.stringify(message).includes(NOTE_MARK))!;
        if (left.length > 0)
          expect(sizeOf({ ...request, messages: withoutTurns(request.messages, left, note) })).toBeGreaterThan(
            tokens - 1,
          );
      }),
    );
  });

  it('keeps a turn of which a result is missing', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'assistant', content: [{ type: 'tool-call', id: 'a', name: 'x', argsText: '{}' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(5000) }] },
      { role: 'user', content: [{ type: 'text', text: 'and now?' }] },
    ];
    expect(turnsOf(messages).map(({ isKept }) => isKept)).toEqual([true, true, false, true]);
  });

  it("drops the caller's own bytes, which no longer fit", () => {
    const request: ChatRequest = {
      model: 'm',
      system: [],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'go' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(5000) }] },
        { role: 'user', content: [{ type: 'text', text: 'and now?' }] },
      ],
      tools: [],
      toolChoice: { type: 'auto' },
      raw: { wire: 'openai-chat', body: {}, headers: {} },
    };
    expect(trimRequest(request, 0, totalChars, [])).not.toHaveProperty('raw');
  });
});

describe('shortened results', () => {
  it('keep the mention of an effect that is not settled, in a note behind the first request', () => {
    fc.assert(
      fc.property(conversations, target, (request, tokens) => {
        const shorter = compressRequest(request, tokens, totalChars);
        const named = shorter && withEffectsNamed(shorter, request, totalChars, [unknown]);
        if (!named) return;
        expect(JSON.stringify(named.messages)).toContain(openEffectLines([unknown])[0]);
        expect(sizeOf(named)).toBeLessThan(sizeOf(request));
        expect(isPaired(named.messages)).toBe(true);
        expect(requestsOf(named.messages)).toStrictEqual(requestsOf(request.messages));
      }),
    );
  });

  it('get no note where nothing is open', () => {
    fc.assert(
      fc.property(conversations, target, (request, tokens) => {
        const shorter = compressRequest(request, tokens, totalChars);
        if (shorter)
          expect(withEffectsNamed(shorter, request, totalChars, [{ ...unknown, state: 'COMMITTED' }])).toBe(shorter);
      }),
    );
  });
});

describe('turns of a conversation with a note', () => {
  it('are turns of the conversation before: left out there they give the same messages', () => {
    fc.assert(
      fc.property(conversations, fc.nat(), fc.nat(), (request, some, more) => {
        const { messages } = request;
        const removable = turnsOf(messages).filter(({ isKept }) => !isKept);
        const left = removable.slice(0, removable.length === 0 ? 0 : 1 + (some % removable.length));
        if (left.length === 0) return;
        const note = {
          role: 'user' as const,
          isNote: true as const,
          content: [{ type: 'text' as const, text: NOTE_MARK }],
        };
        const now = withoutTurns(messages, left, note);
        const again = turnsOf(now).filter(({ isKept }) => !isKept);
        const next = again.slice(0, 1 + (more % Math.max(1, again.length)));
        const before = turnsBefore(left, messages.length, next);
        expect(withoutTurns(messages, before, note)).toStrictEqual(withoutTurns(now, next, note));
      }),
    );
  });
});
