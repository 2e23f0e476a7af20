import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runJsonLines } from '../../../src/cli/jsonLines.ts';
import { chunksOf } from './memoryIo.ts';

const schema = z.object({ id: z.string(), count: z.number().optional() });

async function run(chunks: readonly (string | Uint8Array)[]): Promise<{ code: number; answers: unknown[] }> {
  const lines: string[] = [];
  const code = await runJsonLines(
    chunksOf(chunks),
    (line) => lines.push(line),
    schema,
    ({ id }) => ({ id }),
  );
  return { code, answers: lines.map((line) => JSON.parse(line) as unknown) }; // the test wrote them itself
}

describe('runJsonLines', () => {
  it('answers each line and ends with 0', async () => {
    expect(await run(['{"id":"a"}\n{"id":"b"}\n'])).toEqual({ code: 0, answers: [{ id: 'a' }, { id: 'b' }] });
  });

  it('reads a byte order mark, CRLF, blank lines and a last line without newline', async () => {
    const bytes = new TextEncoder().encode('\ufeff{"id":"a"}\r\n\r\n  \n{"id":"b"}');
    expect(await run([bytes])).toEqual({ code: 0, answers: [{ id: 'a' }, { id: 'b' }] });
  });

  it('joins lines and characters that are split between chunks', async () => {
    const bytes = new TextEncoder().encode('{"id":"zażółć 限流"}\n{"id":"b"}');
    const chunks = Array.from(bytes, (_byte, index) => bytes.slice(index, index + 1));
    expect(await run(chunks)).toEqual({ code: 0, answers: [{ id: 'zażółć 限流' }, { id: 'b' }] });
  });

  it('drops the byte order mark only at the beginning', async () => {
    const { code, answers } = await run(['{"id":"a"}\n\ufeff{"id":"b"}\n']);
    expect(code).toBe(2);
    expect(answers[0]).toEqual({ id: 'a' });
  });

  it('reads a line of megabytes that arrives in small chunks', async () => {
    const id = 'x'.repeat(3_000_000);
    const text = `{"id":"${id}"}\n{"id":"end"}\n`;
    const chunks: string[] = [];
    for (let at = 0; at < text.length; at += 65_536) chunks.push(text.slice(at, at + 65_536));
    const { code, answers } = await run(chunks);
    expect(code).toBe(0);
    expect(answers.at(-1)).toEqual({ id: 'end' });
    expect(answers).toHaveLength(2);
  });

  it('names line, field and what was expected, and runs the rest', async () => {
    const { code, answers } = await run(['{"id":"a"}\n\n{"id":7,"count":"x"}\n{"id":"b"}\n']);
    expect(code).toBe(2);
    expect(answers).toEqual([
      { id: 'a' },
      {
        line: 3,
        error:
          'id: Invalid input: expected string, received number; count: Invalid input: expected number, received string',
      },
      { id: 'b' },
    ]);
  });

  it('says where a line stops being JSON without repeating the line', async () => {
    const { code, answers } = await run(['{"id": "secret-value", oops}\n']);
    expect(code).toBe(2);
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({ line: 1 });
    expect(JSON.stringify(answers[0])).toMatch(/not JSON: .*character 24.*expected one JSON object/);
    expect(JSON.stringify(answers[0])).not.toContain('secret-value');
  });

  it('refuses a line that is JSON but no object', async () => {
    const { code, answers } = await run(['[1]\nnull\n"x"\n']);
    expect(code).toBe(2);
    expect(answers).toHaveLength(3);
    expect(answers[0]).toEqual({ line: 1, error: 'line: Invalid input: expected object, received array' });
  });

  it('answers nothing to nothing', async () => {
    expect(await run([])).toEqual({ code: 0, answers: [] });
    expect(await run([''])).toEqual({ code: 0, answers: [] });
  });

  it('replaces bytes that are no UTF-8 instead of ending', async () => {
    const bytes = new Uint8Array([
      ...new TextEncoder().encode('{"id":"'),
      0xff,
      0xc3,
      ...new TextEncoder().encode('"}\n{"id":"b"}\n'),
    ]);
    const { code, answers } = await run([bytes]);
    expect(code).toBe(0);
    expect(answers[1]).toEqual({ id: 'b' });
  });
});
