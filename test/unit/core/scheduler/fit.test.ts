// Who can take a request: sure noes keep it away, what is not known does not, and the window only chooses between several.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../../../src/core/candidate.ts';
import type { ChatRequest } from '../../../../src/core/chat.ts';
import { fitting as fittingBy, type Fit } from '../../../../src/core/scheduler/fit.ts';
import { totalChars } from '../../../../src/core/textSize.ts';
import { candidate } from '../../../support/candidates.ts';

const plain: ChatRequest = {
  model: 'any',
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
  tools: [],
  toolChoice: { type: 'auto' },
};
const image = { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } } as const;
const seeing: ChatRequest = { ...plain, messages: [{ role: 'user', content: [image] }] };
const working: ChatRequest = { ...plain, tools: [{ name: 'ls', parameters: { type: 'object' } }] };
const both: ChatRequest = { ...seeing, tools: working.tools };

const blind = candidate('blind', { capabilities: { images: false } });
const lame = candidate('lame', { capabilities: { tools: false } });
const able = candidate('able', { capabilities: { images: true, tools: true } });
const unknown = candidate('unknown');
/** Four characters a token, for every candidate. */
const fitting = (pool: readonly Candidate[], request: ChatRequest): Fit =>
  fittingBy(pool, request, (_, size) => Math.ceil(totalChars(size) / 4));
const ids = (request: ChatRequest, ...pool: (typeof blind)[]): readonly string[] =>
  fitting(pool, request).candidates.map(({ id }) => id);

describe('a request', () => {
  it('without images or tools goes to everybody, in order', () => {
    expect(ids(plain, lame, blind, able, unknown)).toEqual(['lame', 'blind', 'able', 'unknown']);
  });

  it('with images is kept from those that surely see none', () => {
    expect(ids(seeing, blind, lame, unknown, able)).toEqual(['lame', 'unknown', 'able']);
  });

  it('with an image in a tool result is one with images and with tools', () => {
    const result = { type: 'tool-result', callId: '1', content: [image], isError: false } as const;
    const asked: ChatRequest = { ...plain, messages: [...plain.messages, { role: 'tool', content: [result] }] };
    expect(ids(asked, blind, lame, able)).toEqual(['able']);
  });

  it('with tools is kept from those that surely take none', () => {
    expect(ids(working, blind, lame, unknown)).toEqual(['blind', 'unknown']);
  });

  it('that nobody can take says what is missing', () => {
    expect(fitting([blind], both)).toEqual({ candidates: [], lacking: ['images'] });
    expect(fitting([lame], both)).toEqual({ candidates: [], lacking: ['tools'] });
    expect(fitting([blind, lame], both)).toEqual({ candidates: [], lacking: ['images', 'tools'] });
    expect(fitting([], both)).toEqual({ candidates: [], lacking: [] });
  });

  it('larger than a window goes where it fits, and everywhere where it fits nowhere', () => {
    const long: ChatRequest = { ...plain, system: [{ type: 'text', text: 'x'.repeat(40_004) }] };
    const small = candidate('small', { contextWindowTokens: 10_000 });
    const large = candidate('large', { contextWindowTokens: 20_000 });
    expect(ids(long, small, large)).toEqual(['large']);
    expect(ids(plain, small, large)).toEqual(['small', 'large']);
    expect(ids(long, small, candidate('tiny', { contextWindowTokens: 2000 }))).toEqual(['small', 'tiny']);
    expect(ids(long, small)).toEqual(['small']);
  });

  it('always gets a part of the pool in its order, or a reason', () => {
    const flag = fc.option(fc.boolean(), { nil: undefined });
    const pools = fc.array(fc.record({ images: flag, tools: flag, window: fc.constantFrom(1, 100, 100_000) }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(pools, fc.constantFrom(plain, seeing, working, both), (members, request) => {
        const pool = members.map(({ images, tools, window }, index) =>
          candidate(`c${index}`, {
            capabilities: { ...(images === undefined ? {} : { images }), ...(tools === undefined ? {} : { tools }) },
            contextWindowTokens: window,
          }),
        );
        const { candidates, lacking } = fitting(pool, request);
        expect(pool.filter((each) => candidates.includes(each))).toEqual(candidates);
        expect(lacking.length > 0).toBe(candidates.length === 0 && pool.length > 0);
        if (request !== plain && request !== working)
          expect(candidates.every(({ capabilities }) => capabilities.images !== false)).toBe(true);
      }),
    );
  });
});
