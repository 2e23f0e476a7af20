// When a tool's claim to be repeatable is believed.
import { describe, expect, it } from 'vitest';
import {
  believedLevel,
  CONTRACT_CASES,
  definitionHash,
  judgeContract,
  readContracts,
  withContract,
} from '../../../../src/core/ledger/toolContract.ts';
import type { ContractCase, ContractObservation, ToolContract } from '../../../../src/core/ledger/toolContract.ts';

/** What a faithful tool shows. */
const FAITHFUL: Readonly<Record<ContractCase, number>> = {
  once: 1,
  repeated: 0,
  together: 1,
  'cut-off': 1,
  'other-key': 1,
  'other-arguments': 0,
};

function observed(changes: Partial<Record<ContractCase, number | null>> = {}, detail = ''): ContractObservation[] {
  return CONTRACT_CASES.map((name) => ({ name, effects: changes[name] ?? FAITHFUL[name], detail }));
}

/** The observations with one case unreadable. */
function unread(name: ContractCase): ContractObservation[] {
  return observed().map((one) => (one.name === name ? { ...one, effects: null } : one));
}

describe('a contract', () => {
  it('is passed by a tool that acts once for a key, however it is called', () => {
    expect(judgeContract(observed())).toEqual({ isPassed: true, problems: [], untried: [] });
  });

  it.each<[ContractCase, number, string]>([
    ['once', 2, 'several effects'],
    ['once', 0, 'nothing can be proved'],
    ['repeated', 1, 'the same key again acts again'],
    ['repeated', -1, 'the count fell'],
    ['together', 2, 'at the same time both act'],
    ['together', 0, 'do not act at all'],
    ['cut-off', 2, 'acts twice'],
    ['cut-off', 0, 'does not act at all'],
    ['other-key', 0, 'takes different actions for one'],
    ['other-key', 2, 'acts several times'],
    ['other-arguments', 1, 'other arguments acts'],
    ['other-arguments', -1, 'the count fell'],
  ])('is broken by "%s" with %i effects', (name, effects, words) => {
    const verdict = judgeContract(observed({ [name]: effects }));
    expect(verdict.isPassed).toBe(false);
    expect(verdict.problems).toHaveLength(1);
    expect(verdict.problems[0]).toContain(`${name}: `);
    expect(verdict.problems[0]).toContain(words);
  });

  it.each(CONTRACT_CASES)('is not passed where the effects of "%s" cannot be read', (name) => {
    expect(judgeContract(unread(name))).toMatchObject({
      isPassed: false,
      problems: [`${name}: the number of effects could not be read`],
    });
    expect(judgeContract(observed({ [name]: 0.5 })).isPassed).toBe(false);
  });

  it.each(CONTRACT_CASES)('says that "%s" was not tried, and needs all but other arguments', (name) => {
    const verdict = judgeContract(observed().filter((one) => one.name !== name));
    const isNeeded = name !== 'other-arguments';
    expect(verdict.isPassed).toBe(!isNeeded);
    expect(verdict.problems).toEqual(isNeeded ? [`${name}: it was not tried`] : []);
    expect(verdict.untried).toEqual(isNeeded ? [] : [name]);
  });

  it('needs every moment of a cut to hold, and quotes what the broken one answered', () => {
    const cut = { name: 'cut-off' as const, effects: 2, detail: 'cut off after 30 ms; answered' };
    expect(judgeContract([...observed(), cut]).problems).toEqual([
      'cut-off: a call that was cut off and sent again acts twice (cut off after 30 ms; answered)',
    ]);
  });

  it('is not passed by no observations at all', () => {
    expect(judgeContract([])).toMatchObject({ isPassed: false, untried: ['other-arguments'] });
    expect(judgeContract([]).problems).toHaveLength(5);
  });
});

const PASSED: ToolContract = {
  tool: 'pay',
  definition: definitionHash({ version: 1 }),
  testedAtMs: 5,
  isPassed: true,
  problems: [],
  evidence: ['once: 1 effect'],
};
const FAILED: ToolContract = { ...PASSED, isPassed: false, problems: ['repeated: the same key again acts again'] };

describe('the kept contracts', () => {
  it('come back as they were written', () => {
    expect(readContracts(withContract([], PASSED))).toEqual([PASSED]);
  });

  it('hold one verdict for a tool and definition, the latest, and leave others alone', () => {
    const other = { ...PASSED, tool: 'mail' };
    const newer = { ...PASSED, definition: definitionHash({ version: 2 }) };
    const text = withContract(readContracts(withContract([PASSED, other, newer], FAILED)), newer);
    expect(readContracts(text)).toEqual([other, FAILED, newer]);
  });

  it.each([null, '', 'no json', '[]', '{"version":2,"contracts":[]}', '{"version":1,"contracts":[{"tool":"pay"}]}'])(
    'are none where the document is %j',
    (text) => {
      expect(readContracts(text)).toEqual([]);
    },
  );
});

describe('a definition', () => {
  it('has the same hash in whatever order it is written, and another for another version', () => {
    expect(definitionHash({ a: 1, b: [2] })).toBe(definitionHash({ b: [2], a: 1 }));
    expect(definitionHash({ version: 1 })).not.toBe(definitionHash({ version: 2 }));
    expect(definitionHash({})).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a claimed level', () => {
  const tool = { name: 'pay', definition: PASSED.definition, hasProbe: true };
  const blind = { ...tool, hasProbe: false };

  it('is R1 only with a passed contract of exactly this tool and definition', () => {
    expect(believedLevel(tool, 'R1', [PASSED])).toBe('R1');
    expect(believedLevel(blind, 'R1', [PASSED])).toBe('R1');
    expect(believedLevel({ ...tool, name: 'mail' }, 'R1', [PASSED])).toBe('R2');
    expect(believedLevel({ ...tool, definition: definitionHash({ version: 2 }) }, 'R1', [PASSED])).toBe('R2');
  });

  it('is R2 where a probe exists and R3 where none does, as long as nothing is proved', () => {
    expect(believedLevel(tool, 'R1', [])).toBe('R2');
    expect(believedLevel(blind, 'R1', [])).toBe('R3');
    expect(believedLevel(tool, 'R1', [FAILED])).toBe('R2');
    expect(believedLevel(blind, 'R1', [FAILED])).toBe('R3');
  });

  it('is not believed where two verdicts of the same tool contradict each other', () => {
    expect(believedLevel(tool, 'R1', [FAILED, PASSED])).toBe('R2');
    expect(believedLevel(tool, 'R1', [PASSED, FAILED])).toBe('R2');
  });

  it('stays as it is where it is not about keys', () => {
    for (const level of ['R0', 'R2', 'R3'] as const) expect(believedLevel(blind, level, [])).toBe(level);
  });
});
