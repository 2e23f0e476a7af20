import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../src/core/chat.ts';
import { compressRequest } from '../../../src/core/recovery/compress.ts';
import {
  addSizes,
  noSize,
  sizeOfArguments,
  sizeOfMessage,
  sizeOfRequest,
  sizeOfText,
  totalChars,
} from '../../../src/core/textSize.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 600 });

describe('the size of a text', () => {
  it('tells letters, blanks, signs, wide characters and others apart', () => {
    expect(sizeOfText('Ab c\n1{}').chars).toEqual([3, 2, 3, 0, 0]);
    expect(sizeOfText('漢字かな한글！é🙂').chars).toEqual([0, 0, 0, 7, 3]);
  });

  it('counts every character once, however long the text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, times) => {
        expect(totalChars(sizeOfText(text.repeat(times)))).toBe(text.length * times);
      }),
    );
    // Every length around the block that is summed at once.
    for (let length = 0; length < 600; length++) {
      expect(sizeOfText('x'.repeat(length)).chars).toEqual([length, 0, 0, 0, 0]);
      expect(sizeOfText('é'.repeat(length)).chars).toEqual([0, 0, 0, 0, length]);
    }
  });

  it('adds up over a cut', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(sizeOfText(a + b)).toEqual(addSizes(sizeOfText(a), sizeOfText(b)));
      }),
    );
  });

  it('spreads arguments of which only the length is known over the kinds that JSON has', () => {
    expect(totalChars(sizeOfArguments(1000))).toBeCloseTo(1000);
    expect(sizeOfArguments(0)).toBe(noSize);
  });
});

const text = (words: string) => ({ type: 'text' as const, text: words });
const request: ChatRequest = {
  model: 'm',
  system: [text('system')],
  messages: [
    {
      role: 'user',
      content: [text('look'), { type: 'image', source: { kind: 'url', url: 'https://x.example/a.png' } }],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hmm' },
        { type: 'tool-call', id: '1', name: 'read', argsText: '{"path":"a"}' },
      ],
    },
    {
      role: 'tool',
      content: [{ type: 'tool-result', callId: '1', content: [text('x'.repeat(5000))], isError: false }],
    },
  ],
  tools: [{ name: 'read', description: 'reads', parameters: { type: 'object' } }],
  toolChoice: { type: 'auto' },
};

describe('the size of a request', () => {
  it('holds the system prompt, tool definitions, all that was said, calls, results and images', () => {
    const words = [
      'system',
      'read',
      'reads',
      '{"type":"object"}',
      'look',
      'hmm',
      'read',
      '{"path":"a"}',
      'x'.repeat(5000),
    ];
    expect(sizeOfRequest(request)).toEqual({ chars: sizeOfText(words.join('')).chars, images: 1 });
  });

  it('is measured once for a request, and for the messages that a shorter one shares with it', () => {
    expect(sizeOfRequest(request)).toBe(sizeOfRequest(request));
    const shorter = compressRequest(request, 100, totalChars)!;
    expect(totalChars(sizeOfRequest(shorter))).toBeLessThan(2000);
    expect(sizeOfMessage(shorter.messages[0]!)).toBe(sizeOfMessage(request.messages[0]!));
  });
});
