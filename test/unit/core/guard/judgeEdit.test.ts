import { describe, expect, it } from 'vitest';
import { judgeEdit } from '../../../../src/core/guard/judgeEdit.ts';
import { parsePolicy } from '../../../../src/core/guard/policy.ts';
import { assessTool } from '../../../../src/core/guard/tools.ts';

const place = { cwd: '/w', workspace: '/w' };
const edit = (path: string): ReturnType<typeof assessTool> =>
  assessTool('edit_file', { path, search: 'a', replace: 'b' }, place);

describe('an edit with a before-image', () => {
  it('is let through by balanced, asked about by careful', () => {
    expect(judgeEdit(edit('src/a.ts'), parsePolicy({ mode: 'balanced' })).verdict).toBe('allow');
    expect(judgeEdit(edit('src/a.ts'), parsePolicy({ mode: 'careful' })).verdict).toBe('ask');
  });

  it('is asked about outside the workspace and in secret files, whatever the mode', () => {
    expect(judgeEdit(edit('../other/a.ts'), parsePolicy({ mode: 'balanced' })).verdict).toBe('ask');
    expect(judgeEdit(edit('/home/u/.ssh/config'), parsePolicy({ mode: 'autonomous' })).verdict).toBe('ask');
  });
});
