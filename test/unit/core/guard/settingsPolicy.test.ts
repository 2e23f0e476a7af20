import { describe, expect, it } from 'vitest';
import { assess } from '../../../../src/core/guard/assess.ts';
import { judge } from '../../../../src/core/guard/judge.ts';
import { settingsPolicy } from '../../../../src/core/guard/settingsPolicy.ts';
import { parseSettings } from '../../../../src/core/settings.ts';

function verdictOf(command: string, rules: readonly Record<string, unknown>[], mode = 'balanced'): string {
  const { settings } = parseSettings({ 'belay.guard.mode': mode, 'belay.guard.rules': rules });
  return judge(assess({ shell: 'bash', command, cwd: '/w', workspace: '/w' }), settingsPolicy(settings), command)
    .verdict;
}

describe('guard rules in the settings', () => {
  it('name a program with its subcommand', () => {
    expect(verdictOf('git commit -m x', [])).toBe('ask');
    expect(verdictOf('git commit -m x', [{ match: 'git commit', verdict: 'allow' }])).toBe('allow');
    expect(verdictOf('git status', [{ match: 'git status', verdict: 'deny' }])).toBe('deny');
  });

  it('name one whole command and nothing beside it', () => {
    const rules = [{ match: 'git commit -m x', verdict: 'allow' }];
    expect(verdictOf('git commit -m x', rules)).toBe('allow');
    expect(verdictOf('git commit -m y', rules)).toBe('ask');
  });

  it('cannot lift the floor, not even in the most permissive mode', () => {
    expect(verdictOf('rm -rf /etc', [{ match: 'rm', verdict: 'allow' }], 'autonomous')).not.toBe('allow');
  });

  it('make everything careful when one of them cannot be read', () => {
    expect(verdictOf('git commit -m x', [{ match: 'git commit', verdict: 'sure' }], 'autonomous')).toBe('ask');
  });
});
