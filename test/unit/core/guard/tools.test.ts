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
