// Levels of Belay's own agent tools.
import { describe, expect, it } from 'vitest';
import { assessTool } from '../../../../src/core/guard/tools.ts';
import { PLACE } from './commands.ts';

describe('assessTool', () => {
  it('lets reading tools read', () => {
    expect(assessTool('read_file', { path: 'src/a.ts' }, PLACE).level).toBe('R0');
    expect(assessTool('list_files', {}, PLACE).level).toBe('R0');
    expect(assessTool('search', { query: 'x' }, PLACE).level).toBe('R0');
  });

  it('names a secret that is read', () => {
    expect(assessTool('read_file', { path: '.env' }, PLACE).effects).toContainEqual({
      kind: 'read-secret',
      target: '.env',
    });
  });

  it('makes an edit R2 inside the workspace and R3 elsewhere', () => {
    expect(assessTool('edit_file', { path: 'src/a.ts' }, PLACE).level).toBe('R2');
    expect(assessTool('edit_file', { path: '../a.ts' }, PLACE).level).toBe('R3');
    expect(assessTool('edit_file', { path: '.git/config' }, PLACE).level).toBe('R3');
    expect(assessTool('edit_file', { path: 'src/a.ts' }).level).toBe('R3');
    expect(assessTool('edit_file', { path: '/dev/null' }, PLACE).level).toBe('R3');
  });

  it.each([
    '..\\a',
    'src\\a',
    '.git.\\hooks\\a',
    'C:a',
    'C:\\w\\p\\a',
    '\\\\host\\share\\a',
    'a::$DATA',
    'GIT~1/a',
    'AGENTS.md',
    '.cursorrules',
    'a\u200b',
    'a ',
  ])('asks about an edit of %j', (path) => {
    for (const place of [PLACE, { cwd: 'C:\\w\\p', workspace: 'C:\\w\\p' }])
      expect(assessTool('edit_file', { path }, place).level).toBe('R3');
  });

  it('levels every edit tool by its files: R2, and R3 for what it deletes', () => {
    const level = (name: string, args: unknown): string => assessTool(name, args, PLACE).level;
    expect(level('write_file', { path: 'src/a.ts', content: 'x' })).toBe('R2');
    expect(level('move_file', { path: 'src/a.ts', to: 'src/b.ts' })).toBe('R2');
    expect(level('delete_file', { path: 'src/a.ts' })).toBe('R3');
    expect(level('edit_file', { path: 'src/a.ts', edits: [{ search: 'a', replace: 'b', all: true }] })).toBe('R2');
    expect(assessTool('delete_file', { path: 'src/a.ts' }, PLACE).effects).toEqual([
      { kind: 'delete-file', target: '/w/p/src/a.ts' },
    ]);
  });

  it.each([
    ['write_file', { path: '.git/hooks/pre-commit', content: 'x' }],
    ['write_file', { path: '../a.ts', content: 'x' }],
    ['move_file', { path: 'src/a.ts', to: '.vscode/tasks.json' }],
    ['move_file', { path: 'src/a.ts', to: '/etc/passwd' }],
    ['move_file', { path: '../a.ts', to: 'src/a.ts' }],
    ['move_file', { path: 'AGENTS.md', to: 'a.md' }],
  ])('makes %s with %j R3', (name, args) => {
    expect(assessTool(name, args, PLACE).level).toBe('R3');
  });

  it('levels a patch by its most dangerous file', () => {
    const patch = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
    const level = (text: string): string => assessTool('apply_patch', { patch: text }, PLACE).level;
    const harmless = ['*** Add File: src/a.ts', '+one'];
    expect(level(patch(...harmless))).toBe('R2');
    expect(level(patch(...harmless, '*** Delete File: src/b.ts'))).toBe('R3');
    expect(level(patch(...harmless, '*** Add File: .husky/pre-commit', '+rm -rf /'))).toBe('R3');
    expect(level(patch(...harmless, '*** Update File: src/b.ts', '*** Move to: ../b.ts', '@@', '-a', '+b'))).toBe('R3');
  });

  it.each([
    ['edit_file', { path: 'src/a.ts', search: 'a', replace: 'b', force: true }],
    ['write_file', { path: 'src/a.ts', content: 'x', mode: '0755' }],
    ['delete_file', { path: 'src/a.ts', recursive: true }],
    ['write_file', { path: 'src/a.ts' }],
    ['move_file', { path: 'src/a.ts' }],
    ['edit_file', { path: 'src/a.ts', edits: 'all' }],
    ['apply_patch', { patch: 'not a patch' }],
    ['apply_patch', { patch: '*** Begin Patch\n*** End Patch' }],
    ['apply_patch', {}],
  ])('makes %s with %j, which does not fit, R3', (name, args) => {
    const assessment = assessTool(name, args, PLACE);
    expect(assessment.level).toBe('R3');
    expect(assessment.effects).toContainEqual({ kind: 'unknown-program' });
  });

  it('levels a command by the command', () => {
    expect(assessTool('run_command', { command: 'ls' }, PLACE).level).toBe('R0');
    expect(assessTool('run_command', { command: 'rm -r a' }, PLACE).level).toBe('R3');
    expect(assessTool('run_command', { command: 'Get-Date', shell: 'pwsh' }, PLACE).level).toBe('R0');
  });

  it.each([
    ['read_file', {}],
    ['read_file', null],
    ['edit_file', { path: 3 }],
    ['edit_file', { path: '' }],
    ['run_command', { command: ['ls'] }],
    ['run_command', { command: 'ls', shell: 'cmd' }],
    ['delete_everything', {}],
    ['', {}],
  ])('is R3 for %s with %j', (name, args) => {
    expect(assessTool(name, args, PLACE).level).toBe('R3');
  });
});
