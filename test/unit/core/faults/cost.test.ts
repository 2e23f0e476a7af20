// Classifying costs little whatever the size of what came; what counts is found at the beginning and the end.
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import { capLines, capText } from '../../../../src/core/faults/capText.ts';
import { observe, openaiBody, thrown } from './observe.ts';

/** Time that this thread has spent, in ms: other work on the machine does not count. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const SIZE = 5 * 1024 * 1024;
const repeated = (piece: string, size = SIZE): string => Buffer.alloc(size, piece).toString();

const large: Readonly<Record<string, unknown>> = {
  letters: repeated('a'),
  blanks: repeated(' '),
  'comment lines': repeated(': \n'),
  'rate limits': repeated('rate limit reached, try again in 1s '),
  'closing brackets': repeated('} '),
  events: repeated('data: {"a":1}\n\n'),
  'half a document': repeated('{"error":'),
  'a JSON text': JSON.stringify(openaiBody(repeated('x'), 'rate_limit_error')),
  'a long message': openaiBody(repeated('rate limit '), 'rate_limit_error'),
  'many messages': { errors: Array.from({ length: 400_000 }, () => 'overloaded') },
  'many numbers': Array.from({ length: 1_000_000 }, () => 1),
  'many pieces': { choices: Array.from({ length: 400_000 }, () => ({ delta: { content: 'x' } })) },
  'many JSON texts': Array.from({ length: 5 }, () => JSON.stringify({ message: repeated('y', 1_000_000) })),
  'Chinese words': repeated('服务器繁忙，请稍后再试。', 5 * 1024 * 1024),
  'letters of two alphabets': repeated('соntent рolicy ', 5 * 1024 * 1024),
  'full-width letters': repeated('ｏｖｅｒｌｏａｄ ', 5 * 1024 * 1024),
  waits: repeated('wait 5 hours 34 minutes '),
  'numbers that are no waits': repeated('123456789 '),
  'half refusals': repeated('filtered blocked filtré bloqueado gefiltert '),
  'a long delay': { retry_after: repeated('1'), retryDelay: repeated('1s') },
};

describe('a body of 5 MB', () => {
  it.each(Object.entries(large))('of %s is classified in less than 50 ms', (_name, body) => {
    const best = (seen: Parameters<typeof observe>[0]): number => {
      let bestMs = Infinity;
      for (let i = 0; i < 5; i++) {
        const startedMs = cpuMs();
        classify(observe(seen), 0);
        bestMs = Math.min(bestMs, cpuMs() - startedMs);
      }
      return bestMs;
    };
    expect(best({ httpStatus: 503, body })).toBeLessThan(50);
    expect(best({ httpStatus: 200, body, operation: 'tool_write' })).toBeLessThan(50);
  });

  it('is no reason to read a client error or a header of that size', () => {
    const long = repeated('timeout ');
    const startedMs = cpuMs();
    const headers = { 'retry-after': repeated('1'), 'x-ratelimit-reset': long };
    classify(observe({ clientError: thrown(long, long, long), finishReason: long, provider: long, headers }), 0);
    expect(cpuMs() - startedMs).toBeLessThan(250);
  });

  it('still says at its beginning and at its end what is wrong', () => {
    const padding = repeated('lorem ipsum ');
    for (const body of [`Invalid API key provided. ${padding}`, `${padding} Invalid API key provided.`]) {
      expect(classify(observe({ httpStatus: 500, body })).class).toBe('T7');
    }
  });

  it('gives no leave to send again when its middle was not read', () => {
    const fault = classify(observe({ httpStatus: 503, body: repeated('overloaded ') }));
    expect([fault.class, fault.retryable]).toEqual(['unknown', false]);
  });

  it('may be a stream whose end was read', () => {
    const piece = `data: ${JSON.stringify({ choices: [{ delta: { content: 'word '.repeat(50) } }] })}\n\n`;
    const call = (text: string): string =>
      `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } }] })}\n\n`;
    const middle = `${call('{"a":"')}${piece.repeat(2000)}${call('x"}')}`;
    const end = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'content_filter' }] })}\n\ndata: [DONE]\n\n`;
    const stream = observe({ httpStatus: 200, streamPhase: 'after_finish', body: middle + end });
    expect(classify(stream).class).toBe('T8');
    const cut = observe({ httpStatus: 200, streamPhase: 'mid_stream', body: middle });
    expect(classify(cut)).toMatchObject({ class: 'T1', retryable: true });
  });
});

describe('an ordinary failure', () => {
  const ordinary = [
    observe({
      provider: 'openai',
      httpStatus: 429,
      body: openaiBody('Rate limit reached, try again in 20s', 'tokens', 'x'),
    }),
    observe({ provider: 'anthropic', httpStatus: 529, body: { type: 'error', error: { type: 'overloaded_error' } } }),
    observe({ provider: 'gemini', httpStatus: 400, body: { error: { code: 400, message: 'API key not valid' } } }),
    observe({ clientError: thrown('Error', 'read ECONNRESET', 'ECONNRESET') }),
    observe({
      provider: 'copilot',
      clientError: thrown('LanguageModelError', 'Zu viele Anfragen, warten Sie 5 Minuten'),
    }),
    observe({ httpStatus: 503, body: openaiBody('サーバーが混雑しています。しばらくお待ちください。') }),
    observe({ operation: 'tool_read', body: { exit_code: 1, stdout: '2 tests failed', stderr: '' } }),
  ];

  // 20 µs is the aim; the bound leaves room for a busy machine, and would still catch a pattern that is not linear.
  it('is classified in a few millionths of a second', () => {
    const rounds = 300;
    let bestMs = Infinity;
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const startedMs = cpuMs();
      for (let round = 0; round < rounds; round += 1) for (const seen of ordinary) classify(seen, 0);
      bestMs = Math.min(bestMs, cpuMs() - startedMs);
    }
    expect((bestMs * 1000) / (rounds * ordinary.length)).toBeLessThan(40);
  });
});

describe('a capped text', () => {
  it('keeps 64 KiB of the beginning and 16 KiB of the end, and short texts whole', () => {
    expect(capText('abc')).toEqual({ text: 'abc', isCut: false });
    const { text, isCut } = capText(`b${repeated('x', 200_000)}e`);
    expect([isCut, text.length, text.startsWith('bx'), text.endsWith('xe')]).toEqual([true, 81_922, true, true]);
  });
  it('of lines holds whole lines only', () => {
    const { text, isCut } = capLines(repeated('0123456789\n', 110_000));
    expect(isCut).toBe(true);
    expect(text.split('\n').every((line) => line === '' || line === '0123456789')).toBe(true);
    expect(capLines(repeated('x', 100_000)).text.trim()).toBe('');
  });
});
