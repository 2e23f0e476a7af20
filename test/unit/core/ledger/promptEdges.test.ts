// Where questions end: how long a line may be, how far back is looked, and what a terminal would show of it.
import { describe, expect, it } from 'vitest';
import { howToAnswer, questionAtEnd, questionIn } from '../../../../src/core/ledger/promptText.ts';

const ASKS = 'Continue? [y/N]';

describe('a line that asks', () => {
  it('may have 500 characters and no more, and is shown with its last 200', () => {
    const padded = (length: number): string => `${'x'.repeat(length - ASKS.length)}${ASKS}`;
    const shown = questionIn(padded(500));
    expect(shown).toHaveLength(200);
    expect(shown?.endsWith(ASKS)).toBe(true);
    expect(questionIn(padded(501))).toBeNull();
  });

  it('is not one that ends in a percent sign or dots, but may have them in it', () => {
    for (const end of ['100%', '100% ', '…', '...']) expect(questionIn(`${ASKS} ${end}`)).toBeNull();
    expect(questionIn(`100% done... ${ASKS}`)).toBe(`100% done... ${ASKS}`);
    expect(questionIn('')).toBeNull();
    expect(questionIn(' \t ')).toBeNull();
  });

  it('is what a terminal shows: without colours, titles and control characters, after the last carriage return', () => {
    expect(questionIn(`\u001b[1m${ASKS}\u001b[0m `)).toBe(ASKS);
    expect(questionIn(`\u001b]0;title\u0007${ASKS}`)).toBe(ASKS);
    expect(questionIn(`\u0000Contin\u0008ue? [y/N]`)).toBe(ASKS);
    expect(questionIn(`50 of 100\r  ${ASKS}  `)).toBe(ASKS);
    expect(questionIn(`${ASKS}\r`)).toBe(ASKS);
  });
});

describe('the end of an output', () => {
  it('is its last six lines that are not empty', () => {
    const after = (count: number): string => `${ASKS}\n${'ok\n\n'.repeat(count)}`;
    expect(questionAtEnd(after(5))).toBe(ASKS);
    expect(questionAtEnd(after(6))).toBeNull();
    expect(questionAtEnd('')).toBeNull();
  });

  it('tells the latest question, also where the program wrote on when its input ended', () => {
    expect(questionAtEnd(`Proceed (Y/n)?\n${ASKS}\n`)).toBe(ASKS);
    expect(questionAtEnd(`${ASKS} Abort.`)).toBe(ASKS);
    expect(questionAtEnd(`${ASKS} operation cancelled!`)).toBe(ASKS);
    expect(questionAtEnd(`${ASKS} n`)).toBe(ASKS);
    expect(questionAtEnd(`${ASKS}aborting...`)).toBe(ASKS);
  });

  it('is told without what a program writes when it gives up', () => {
    for (const end of [
      '.',
      '...',
      '!',
      'y',
      'yes',
      'canceled',
      'Cancelled.',
      'operation canceled',
      'exiting...',
      'no',
      'aborted!',
    ])
      expect([end, questionAtEnd(`${ASKS} ${end}`)]).toEqual([end, end.startsWith('y') ? null : ASKS]);
  });

  it('tells a refusal by its first 200 characters, of a line with at most 500', () => {
    const refusal = "could not read Username for 'https://example.org'";
    const line = (length: number): string => `fatal: ${refusal}${'x'.repeat(length - 7 - refusal.length)}`;
    expect(questionAtEnd(line(500))).toBe(line(500).slice(0, 200));
    expect(questionAtEnd(line(501))).toBeNull();
    expect(questionAtEnd(`${ASKS}\n${line(501)}`)).toBe(ASKS);
  });

  it('is looked at past a line that is too long, which is no question', () => {
    expect(questionAtEnd(`${ASKS}\n${'x'.repeat(501)}`)).toBe(ASKS);
    expect(questionAtEnd(`x\n${'x'.repeat(486)}${ASKS}`)).toBeNull();
  });
});

describe('how to do without an answer', () => {
  it('is said of a question nobody knows, too', () => {
    expect(howToAnswer('Quo vadis?')).toContain('an option that gives the answer');
    expect(howToAnswer('[sudo] password for bob:')).not.toContain('an option that gives the answer');
  });
});
