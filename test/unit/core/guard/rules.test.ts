// The effect table tests itself, and its self-test can fail.
import { describe, expect, it } from 'vitest';
import { ALL_RULES } from '../../../../src/core/guard/programs.ts';
import { checkRules, checkWrappers } from '../../../../src/core/guard/rules/checkRules.ts';
import { base } from '../../../../src/core/guard/rules/rule.ts';
import { WRAPPERS } from '../../../../src/core/guard/rules/wrappers.ts';

describe('the effect table', () => {
  it('fires on its own examples and on none of the counter-examples', () => {
    expect(checkRules()).toEqual([]);
  });

  it('peels every wrapper in its own examples', () => {
    expect(checkWrappers()).toEqual([]);
  });

  it('covers more than 300 programs', () => {
    expect(new Set(ALL_RULES.flatMap(({ programs }) => programs)).size).toBeGreaterThan(300);
  });

  it('reports by id a row that does not fire, fires too much, has no example or repeats an id', () => {
    const read = ALL_RULES.find(({ id }) => id === 'read-files')!;
    const broken = [
      base('not-in-the-table', 'ls', '*', 'R0', 'read-file', 'reads', ['ls a'], ['ls b']),
      { ...read, examples: { match: ['ls'], notMatch: ['cat a'] } },
      base('bare', 'ls', '*', 'R0', 'read-file', 'reads', [], []),
      base('bare', 'ls', '*', 'R0', 'read-file', 'reads', [], ['ls']),
    ];
    expect(checkRules(broken)).toEqual([
      { rule: 'not-in-the-table', example: 'ls a', problem: 'does not fire' },
      { rule: 'read-files', example: 'cat a', problem: 'fires but must not' },
      { rule: 'bare', example: '', problem: 'has no example' },
      { rule: 'bare', example: '', problem: 'has the id of another row' },
      { rule: 'bare', example: '', problem: 'has no example' },
    ]);
  });

  it('reports a wrapper that does not reach the command inside', () => {
    const env = WRAPPERS.find(({ programs }) => programs.includes('env'))!;
    expect(checkWrappers([{ ...env, examples: { match: ['env --odd ls'], notMatch: ['env ls'] } }])).toEqual([
      { rule: 'env', example: 'env --odd ls', problem: 'does not fire' },
      { rule: 'env', example: 'env ls', problem: 'fires but must not' },
    ]);
  });
});
