// A call goes only to candidates that can take its images and tools and hold its prompt; where nobody can, it says so.
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../src/core/chat.ts';
import { call, request } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers, fails } from '../../support/scriptedProvider.ts';

const asked: ChatRequest = {
  ...request,
  messages: [
    { role: 'user', content: [{ type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } }] },
  ],
};
const blind = candidate('blind', { capabilities: { images: false } });
const seeing = candidate('seeing');

describe('a call with images', () => {
  it('never reaches a model without eyes, also when the others fail', async () => {
    const { text, seen } = await call(
      [blind, seeing],
      { blind: [answers('guessed')], seeing: [fails(503), answers('seen')] },
      { asked },
    );
    expect(text).toBe('seen');
    expect(new Set(seen.map(({ candidate: id }) => id))).toEqual(new Set(['seeing']));
  });

  it('fails at once, naming what is missing, where nobody has eyes', async () => {
    const { events, seen } = await call([blind], { blind: [answers('guessed')] }, { asked });
    expect(seen).toEqual([]);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: 'failed',
      failure: {
        status: 400,
        message:
          'No model that may serve "any" takes images. Add one that does to its route, or correct the capabilities of its models in belay.providers.',
      },
    });
  });

  it('fails also where the blind model is pinned', async () => {
    const { events } = await call([blind], { blind: [answers('guessed')] }, { asked, pinned: true });
    expect(events[0]).toMatchObject({ type: 'failed', failure: { status: 400 } });
  });

  it('goes to a lower tier that sees, held and told, where the requested one is blind', async () => {
    const small = candidate('small', { tier: 'small' });
    const { events, text, log } = await call([blind, small], { small: [answers('seen')] }, { asked });
    expect(text).toBe('seen');
    expect(events[0]).toMatchObject({ type: 'committed', candidate: 'small', rung: 'L3' });
    const notices = log.flatMap(({ body }) => (body.type === 'notice' ? [body.message] : []));
    expect(notices).toEqual(['No model of the requested tier of "any" takes images: a lower tier answers.']);
  });

  it('is not degraded where it is critical: it fails', async () => {
    const small = candidate('small', { tier: 'small' });
    const context = { criticality: 'high' as const };
    const { events, seen } = await call([blind, small], { small: [answers('seen')] }, { asked, context });
    expect(seen).toEqual([]);
    expect(events[0]).toMatchObject({ type: 'failed', failure: { status: 400 } });
  });
});

describe('a call with a long prompt', () => {
  it('is not sent where it does not fit while it fits somewhere else', async () => {
    const long: ChatRequest = { ...request, system: [{ type: 'text', text: 'x'.repeat(80_000) }] };
    const narrow = candidate('narrow', { contextWindowTokens: 8000 });
    const wide = candidate('wide', { contextWindowTokens: 100_000 });
    const { text, seen } = await call(
      [narrow, wide],
      { narrow: [answers('cut')], wide: [answers('whole')] },
      { asked: long },
    );
    expect(text).toBe('whole');
    expect(seen.map(({ candidate: id }) => id)).toEqual(['wide']);
  });
});
