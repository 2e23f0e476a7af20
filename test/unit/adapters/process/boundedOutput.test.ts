import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { boundedOutput } from '../../../../src/adapters/process/boundedOutput.ts';
import { encodingOf } from '../../../../src/adapters/process/outputDecoding.ts';

describe('bounded output', () => {
  it('leaves whole lines out, so that no half of a secret is left', () => {
    const kept = boundedOutput(200);
    const line = (i: number): string => `line ${i} token=ghp_0123456789abcdef\n`;
    for (let i = 0; i < 50; i++) kept.push(Buffer.from(line(i)));
    const [first = '', note = '', ...last] = kept.text().split(/\n(?=\[)|(?<=left out\])\n/);
    expect(`${first}\n`).toBe(line(0) + line(1));
    expect(last.join('')).toBe(line(48) + line(49));
    const total = Array.from({ length: 50 }, (_, i) => line(i).length).reduce((a, b) => a + b);
    expect(note).toBe(`[${total - first.length - last.join('').length} of ${total} bytes left out]`);
  });

  it('never splits a character that arrives in pieces', () => {
    const kept = boundedOutput(1000);
    const pieces = [...Buffer.from('a€😀')].map((byte) => kept.push(Buffer.from([byte])));
    expect(pieces.join('')).toBe('a€😀');
    expect(kept.text()).toBe('a€😀');
    expect(kept.totalBytes).toBe(8);
  });

  it('keeps no more than its limit of a flood, and tells its true length', () => {
    const kept = boundedOutput(1000);
    const piece = Buffer.alloc(1024 * 1024, 'a line of some length\n');
    for (let i = 0; i < 100; i++) kept.push(piece);
    kept.push(Buffer.from('the end\n'));
    expect(kept.totalBytes).toBe(100 * 1024 * 1024 + 8);
    expect(kept.text().length).toBeLessThan(1200);
    expect(kept.text()).toMatch(/^a line of some length\n[^]*\n\[\d+ of 104857608 bytes left out\]\n[^]*the end\n$/);
  });

  it('does not show what is no text, and says how much it was', () => {
    const kept = boundedOutput(10_000);
    kept.push(randomBytes(50_000));
    expect(kept.text()).toBe('[50000 bytes that are no text, not shown]');
  });

  it('reads the UTF-16 of Windows programs, also where its middle is left out', () => {
    const text = Array.from({ length: 200 }, (_, i) => `Zeile ${i} für Ä\r\n`).join('');
    for (const start of ['\ufeff', '']) {
      const whole = boundedOutput(100_000);
      whole.push(Buffer.from(start + text, 'utf16le'));
      expect(whole.text()).toBe(text);
      for (const cut of [301, 302]) {
        const part = boundedOutput(cut);
        part.push(Buffer.from(start + text, 'utf16le'));
        expect(part.text()).toMatch(/^Zeile 0 für Ä\r\n[^]*bytes left out\]\n[^]*Zeile 199 für Ä\r\n$/);
        expect(part.text()).not.toContain('\ufffd');
      }
    }
  });
});

describe('what bytes are', () => {
  it.each([
    { what: 'nothing', bytes: Buffer.alloc(0), is: 'utf8' },
    { what: 'plain text', bytes: Buffer.from('all tests passed\n'), is: 'utf8' },
    { what: 'Chinese text', bytes: Buffer.from('全部测试通过\n'.repeat(40)), is: 'utf8' },
    { what: 'coloured text', bytes: Buffer.from('\u001b[32m✓\u001b[0m ok\r\n'.repeat(50)), is: 'utf8' },
    { what: 'Latin-1 text', bytes: Buffer.from('Größe der Übertragung: fünf\n'.repeat(9), 'latin1'), is: 'utf8' },
    { what: 'names with NUL between them', bytes: Buffer.from('src/a.ts\0src/b.ts\0'), is: 'utf8' },
    { what: 'zeros', bytes: Buffer.alloc(4000), is: 'binary' },
    {
      what: 'a PNG',
      bytes: Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(5000)]),
      is: 'binary',
    },
    {
      what: 'a program',
      bytes: Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(60), randomBytes(500)]),
      is: 'binary',
    },
  ])('takes $what for $is', ({ bytes, is }) => {
    expect(encodingOf(bytes)).toBe(is);
  });
});
