// Paths of commands as paths of the workspace; and what becomes of values that no key can be made of.
import { describe, expect, it } from 'vitest';
import { canonicalText } from '../../../../src/core/ledger/key.ts';
import { workspacePath } from '../../../../src/core/ledger/workspacePath.ts';

const place = { cwd: '/home/ada/repo/src', workspace: '/home/ada/repo' };

describe('a path of a command', () => {
  it.each([
    ['a.ts', 'src/a.ts'],
    ['./b//c.ts', 'src/b/c.ts'],
    ['/home/ada/repo/x', 'x'],
    ['.', 'src'],
    ['/home/ada/repo', ''],
    ['/home/ada/other/x', null],
    ['/home/eve/repo/x', null],
    ['/etc/passwd', null],
    ['/home/ada', null],
    ['../a.ts', null],
    ['/home/ada/repo/../x', null],
    ['a..b', 'src/a..b'],
  ])('%s is %j in the workspace', (target, wanted) => {
    expect(workspacePath(place, target)).toBe(wanted);
  });

  it('is not known where the workspace or the folder is written with ".."', () => {
    expect(workspacePath({ cwd: '/home/../ada', workspace: '/home/../ada' }, 'x')).toBeNull();
    expect(workspacePath({ cwd: '/ada', workspace: '/home/../ada' }, 'x')).toBeNull();
    expect(workspacePath({ cwd: '/ada/..', workspace: '/ada' }, 'x')).toBeNull();
  });
});

describe('a value without a JSON form', () => {
  it('is a bug of the caller, and named as that', () => {
    expect(() => canonicalText(undefined)).toThrow('canonicalText: the value has no JSON form');
  });
});
