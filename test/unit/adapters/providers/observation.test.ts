import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  bodyWithoutKey,
  clientErrorOf,
  observe,
  usefulHeaders,
  withoutKey,
} from '../../../../src/adapters/providers/observation.ts';

const coded = (message: string, code: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code });

describe('clientErrorOf', () => {
  it('takes the code from the nearest cause that has one', () => {
    const error = new TypeError('fetch failed', {
      cause: new Error('Connection error.', { cause: coded('read ECONNRESET', 'ECONNRESET') }),
    });
    expect(clientErrorOf(error)).toEqual({
      name: 'Error',
      code: 'ECONNRESET',
      message: 'fetch failed: Connection error.: read ECONNRESET',
    });
  });

  it('looks into the parts of an aggregate', () => {
    const error = new AggregateError([coded('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED')], '');
    expect(clientErrorOf(error)).toMatchObject({ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:1' });
  });

  it('names an error without a code, and ends in a circle of causes', () => {
    const error = new TypeError('terminated');
    error.cause = error;
    expect(clientErrorOf(error)).toEqual({ name: 'TypeError', message: 'terminated' });
    expect(clientErrorOf('text')).toEqual({ name: 'Error', message: 'text' });
  });
});

describe('what an observation keeps', () => {
  it('keeps limits and ids and drops cookies, credentials and the rest', () => {
    const kept = {
      'retry-after': '1',
      'retry-after-ms': '5',
      'x-ratelimit-reset-requests': '2s',
      'anthropic-ratelimit-tokens-remaining': '0',
      'x-request-id': 'r',
    };
    expect(usefulHeaders({ ...kept, 'set-cookie': 'x', authorization: 'y', 'x-api-key': 'z', date: 'd' })).toEqual(
      kept,
    );
  });

  it('has no secret in any text: headers, codes, the reason of the finish', () => {
    const secret = 'sk-a/b+c-0123456789';
    const told = `Bearer ${secret} ${encodeURIComponent(secret)}`;
    const observation = observe({
      provider: 'p',
      head: { status: 401, headers: { 'x-request-id': told, 'retry-after': told, 'content-type': told } },
      body: { error: told },
      clientError: { name: told, code: told, message: told },
      phase: 'before_headers',
      finishReason: told,
      secrets: [secret],
    });
    expect(JSON.stringify(observation)).not.toMatch(/sk-a/);
    expect(observation.headers['retry-after']).toBe('Bearer [key] [key]');
    expect(observation.finishReason).toBe('Bearer [key] [key]');
  });

  it('parses JSON, keeps text and tells nothing as null', () => {
    expect([bodyOf('{"a":1}'), bodyOf('<p>'), bodyOf(' \n'), bodyOf('0')]).toEqual([{ a: 1 }, '<p>', null, 0]);
  });

  it('takes the key out of texts and bodies, also one that JSON writes with escapes', () => {
    const key = 'sk-"quoted"\\key';
    expect(withoutKey(`bad ${key}`, key)).toBe('bad [key]');
    expect(bodyWithoutKey({ error: { message: `bad ${key}` }, n: 1 }, key)).toEqual({
      error: { message: 'bad [key]' },
      n: 1,
    });
    expect(bodyWithoutKey(null, key)).toBeNull();
  });
});
