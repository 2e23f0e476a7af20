// Which tool is proposed in place of one that failed (HFR 4.4, compatibility layer; table 3, DEGRADE_TOOL): only one whose
// contract fits, that is not failing itself, and nothing in place of an irreversible write (table 7, R3).
import { describe, expect, it } from 'vitest';
import { equivalentTool, programOf } from '../../../../src/core/recovery/equivalentTool.ts';
import { toolsSchema, type ToolContracts } from '../../../../src/core/settingsTools.ts';

/** As a person would write it under `belay.advanced.tools.contracts`. */
const contractsOf = (contracts: Readonly<Record<string, unknown>>): ToolContracts =>
  toolsSchema.parse({ contracts }).contracts;

const text = { type: 'string' };
const search = { takes: { pattern: text }, gives: { lines: text }, level: 'R0' };
const none = (): boolean => false;
const instead = (...tools: readonly string[]): object => ({ equivalents: tools.map((tool) => ({ tool })) });

const readers = contractsOf({
  grep: { ...search, equivalents: [{ tool: 'rg', hint: 'rg -n PATTERN' }, { tool: 'ag' }] },
  rg: search,
  ag: search,
});

describe('in place of a read', () => {
  it('the first one that the contract names and that fits is proposed, with the hint on its use', () => {
    expect(equivalentTool(readers, 'grep', 'R0', none)).toEqual({
      tool: 'rg',
      hint: 'rg -n PATTERN',
      match: 'equivalent',
    });
  });

  it('one that is failing itself is passed over, and with none left nothing is proposed', () => {
    expect(equivalentTool(readers, 'grep', 'R0', (tool) => tool === 'rg')?.tool).toBe('ag');
    expect(equivalentTool(readers, 'grep', 'R0', () => true)).toBeNull();
  });

  it('one whose failures cannot be mapped is proposed as similar only', () => {
    const contracts = contractsOf({
      grep: { ...search, ...instead('rg') },
      rg: { ...search, errors: { QUOTA: 'T2' } },
    });
    expect(equivalentTool(contracts, 'grep', 'R0', none)?.match).toBe('similar');
  });

  it('one whose contract does not fit is passed over for the next', () => {
    const contracts = contractsOf({
      grep: { ...search, ...instead('count', 'ag') },
      count: { ...search, gives: { lines: { type: 'integer' } } },
      ag: search,
    });
    expect(equivalentTool(contracts, 'grep', 'R0', none)?.tool).toBe('ag');
  });

  it('fields of another name fit where the contract says how they are called', () => {
    const find = { takes: { regex: text }, gives: { hits: text }, level: 'R0' };
    const named = { tool: 'find', takes: { pattern: 'regex' }, gives: { lines: 'hits' } };
    const plain = contractsOf({ grep: { ...search, ...instead('find') }, find });
    expect(equivalentTool(plain, 'grep', 'R0', none)).toBeNull();
    const mapped = contractsOf({ grep: { ...search, equivalents: [named] }, find });
    expect(equivalentTool(mapped, 'grep', 'R0', none)?.tool).toBe('find');
  });
});

describe('nothing is proposed', () => {
  it('for a tool without a contract, though its name is one that every object has', () => {
    expect(equivalentTool(readers, 'awk', 'R0', none)).toBeNull();
    expect(equivalentTool(readers, 'toString', 'R0', none)).toBeNull();
  });

  it('that has no contract itself', () => {
    const contracts = contractsOf({ grep: { ...search, ...instead('toString', 'awk', 'rg') }, rg: search });
    expect(equivalentTool(contracts, 'grep', 'R0', none)?.tool).toBe('rg');
  });

  it('that is the failed tool itself', () => {
    expect(equivalentTool(contractsOf({ grep: { ...search, ...instead('grep') } }), 'grep', 'R0', none)).toBeNull();
  });
});

describe('in place of a write', () => {
  const writers = (level: string): ToolContracts => {
    const write = { takes: { path: text }, level, effect: 'file.append' };
    return contractsOf({ first: { ...write, ...instead('second') }, second: write });
  };

  it('one with exactly the same effect is proposed, where the effect can be settled', () => {
    expect(equivalentTool(writers('R2'), 'first', 'R2', none)?.match).toBe('equivalent');
  });

  it('nothing is proposed where the guard says that it cannot be undone, nor where the contract does', () => {
    expect(equivalentTool(writers('R3'), 'first', 'R3', none)).toBeNull();
    expect(equivalentTool(writers('R3'), 'first', 'R2', none)).toBeNull();
    expect(equivalentTool(writers('R3'), 'first', 'R0', none)).toBeNull();
  });

  it('a contract that claims less than the guard saw is not believed, one that claims more is', () => {
    expect(equivalentTool(readers, 'grep', 'R1', none)).toBeNull();
    expect(equivalentTool(writers('R1'), 'first', 'R2', none)).toBeNull();
    expect(equivalentTool(writers('R2'), 'first', 'R1', none)?.tool).toBe('second');
  });
});

describe('the program of a command', () => {
  it.each([
    ['rg price src', 'rg'],
    ['  rg price', 'rg'],
    ['A=1  B=2 /usr/bin/rg price', 'rg'],
    [['C:\\tools\\rg.exe', 'x'], 'rg.exe'],
  ] as const)('of %j is %s, without its folder and what is set for it', (command, name) => {
    expect(programOf(command, '')).toBe(name);
  });

  it.each(['$(which rg) x', 'rg;ls', '', 'A=1', []] as const)('of %j is not guessed', (command) => {
    expect(programOf(command, '')).toBe('');
  });

  // What each shell prints for a missing program; the words of the command alone would blame `cd`.
  it.each([
    ['bash', 'bash: line 1: rg: command not found'],
    ['bash after other output', 'src\nbash: line 1: rg: command not found'],
    ['dash', 'sh: 1: rg: not found'],
    ['ksh', 'rg: not found'],
    ['zsh', 'zsh:1: command not found: rg'],
    ['zsh with its old message', 'zsh: command not found: rg'],
    ['fish', 'fish: Unknown command: rg'],
  ])('that is missing is the one that %s names', (_shell, stderr) => {
    expect(programOf('cd src && rg price', stderr)).toBe('rg');
  });

  it('that is missing is the one of the words where the shell names none', () => {
    expect(programOf('rg price', 'No such file or directory')).toBe('rg');
    expect(programOf('cat x', 'page: not foundation')).toBe('cat');
  });
});
