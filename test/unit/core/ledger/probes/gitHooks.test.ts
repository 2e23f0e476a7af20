import { describe, expect, it } from 'vitest';
import { presentHooks, stoppedHooks } from '../../../../../src/core/ledger/probes/gitHooks.ts';
import { modelGit, playGit } from '../../../../support/modelGit.ts';
import type { ModelGit } from '../../../../support/modelGit.ts';

const NAMES = ['post-commit', 'post-rewrite'];
const present = (model: ModelGit, hooksPath: string | null = null, at: readonly string[] = []): readonly string[] =>
  playGit(presentHooks('/w', NAMES, hooksPath, at), model);

describe('the hooks that a repository has', () => {
  it('are those of the names whose files stand where git says its hooks are', () => {
    expect(present(modelGit())).toEqual([]);
    expect(present(modelGit({ files: ['/w/.git/hooks/post-rewrite', '/w/.git/hooks/pre-push'] }))).toEqual([
      'post-rewrite',
    ]);
    const both = ['/w/.git/hooks/post-rewrite', '/w/.git/hooks/post-commit'];
    expect(present(modelGit({ files: both }))).toEqual(NAMES);
    expect(present(modelGit({ files: ['/w/post-commit', '/post-commit', 'post-commit'] }))).toEqual([]);
  });

  it('are looked for where the command itself says, and there only', () => {
    const files = ['/w/.git/hooks/post-commit', '/h/post-rewrite'];
    expect(present(modelGit({ files }), '/h')).toEqual(['post-rewrite']);
    expect(present(modelGit({ files }), null)).toEqual(['post-commit']);
    expect(present(modelGit({ files }), '/dev/null')).toEqual([]);
    expect(present(modelGit({ files: ['/w/own/post-commit'] }), 'own')).toEqual(['post-commit']);
  });

  it('may be those of another repository', () => {
    const model = modelGit({ files: ['/w/.git/hooks/post-commit', '/r/hooks/post-rewrite'], others: { '/r': '/r' } });
    expect(present(model, null, ['-C', '/r'])).toEqual(['post-rewrite']);
    expect(present(model, null, ['-C', '/gone'])).toEqual([]);
  });

  it.each([
    { 'rev-parse': 'end' },
    { 'rev-parse': 'late' },
    { 'hash-object': 'end' },
    { 'hash-object': 'late' },
  ] as const)('are none where git cannot say: %j', (failing) => {
    expect(present(modelGit({ files: ['/w/.git/hooks/post-commit', '/post-commit'], failing }))).toEqual([]);
  });

  it('are none where an answer of a git that failed, or an empty one, names a folder that has them', () => {
    for (const value of [
      { exitCode: 1, stdout: '/w/.git/hooks\n' },
      { exitCode: 0, stdout: '\n' },
    ]) {
      const looking = presentHooks('/w', NAMES);
      looking.next();
      expect(looking.next({ ask: 'query', seen: { ok: true, value } })).toEqual({ done: true, value: [] });
    }
  });

  it('are not asked for without a name, and asking touches nothing', () => {
    expect(presentHooks('/w', []).next()).toEqual({ done: true, value: [] });
    const model = modelGit({ files: ['/w/.git/hooks/post-commit'] });
    present(model);
    present(model, '/h', ['-C', '/w']);
    expect([...model.touched]).toEqual([]);
  });

  it('are asked for in the folder itself, and waited for 10 s', () => {
    expect(presentHooks('/w', NAMES).next().value).toMatchObject({ cwd: '/w', timeoutMs: 10_000 });
  });
});

describe('what a stopped run may have left undone', () => {
  it('is nothing without hooks', () => {
    expect(stoppedHooks([])).toBeUndefined();
  });
  it('names the hooks and whose they are, as the end of a sentence', () => {
    expect(stoppedHooks(['post-commit'])).toMatch(/^; the hook post-commit of git may have been stopped/);
    expect(stoppedHooks(['a', 'b', 'c'], 'the remote')).toMatch(/^; the hooks a, b, c of the remote may have been/);
  });
});
