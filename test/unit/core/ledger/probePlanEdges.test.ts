// What may stand beside a probed effect, and what takes the probe away.
import { describe, expect, it } from 'vitest';
import { probePlan } from '../../../../src/core/ledger/probePlan.ts';

const kindOf = (command: string, env: Record<string, string> = {}): string | null =>
  probePlan({ shell: 'bash', command, env })?.kind ?? null;

describe('beside an append', () => {
  it.each(['date', 'date +%s', 'git status', 'git log -3', 'git diff', 'ls', ': x'])('%s does no harm', (command) => {
    expect(kindOf(`${command} && echo a >> f`)).toBe('append');
    expect(kindOf(`echo a >> f && ${command}`)).toBe('append');
  });

  it.each([
    'date -s 12:00',
    'date 010100002030',
    'git diff --output=x',
    'git log --output x',
    'ls > x',
    'git status > x',
    'git add x',
    'git add x > y',
    'git commit -m x',
    'unknown',
  ])('%s takes the probe away', (command) => {
    expect(kindOf(`${command} && echo a >> f`)).toBeNull();
    expect(kindOf(`echo a >> f && ${command}`)).toBeNull();
  });
});

describe('staging', () => {
  it('belongs to the commit after it, and to nothing else', () => {
    expect(kindOf('git add x && git commit -m x')).toBe('git-commit');
    expect(kindOf('git add x && git add y && git commit -m x')).toBe('git-commit');
    expect(kindOf('git commit -m x && git add x')).toBeNull();
    expect(kindOf('git add x && git tag v1')).toBeNull();
    expect(kindOf('git add x')).toBeNull();
    expect(kindOf('git add x > y && git commit -m x')).toBeNull();
    expect(kindOf('git -C sub add x && git commit -m x')).toBe('git-commit');
  });
});

describe('a probe that asks git', () => {
  it('is none where the environment turns git elsewhere, while others do not care', () => {
    const elsewhere = { GIT_DIR: '/elsewhere/.git' };
    for (const command of ['git commit -m x', 'git tag v1', 'git push', 'npm version patch'])
      expect([command, kindOf(command), kindOf(command, elsewhere)]).toEqual([command, expect.any(String), null]);
    expect(kindOf('echo a >> f', elsewhere)).toBe('append');
  });
});

describe('a command that only looks', () => {
  it.each(['ls', 'git status', 'sleep 1', 'true && pwd'])('%s has no probe', (command) => {
    expect(kindOf(command)).toBeNull();
  });
});
