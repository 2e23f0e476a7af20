import { describe, expect, it } from 'vitest';
import { probePlan } from '../../../../src/core/ledger/probePlan.ts';
import { printedText, stepsOf } from '../../../../src/core/ledger/probes/script.ts';

const planOf = (command: string, env: Record<string, string> = {}): unknown => {
  const plan = probePlan({ shell: 'bash', command, env });
  return plan && { kind: plan.kind, words: plan.words, isAlone: plan.isAlone, folder: plan.folder };
};

describe('the probe of a command', () => {
  it.each([
    ['echo a b >> f', { target: 'f', tail: 'a b\n' }, true],
    [`sleep 0.1; echo "it's" 'a  b' >> dir/f && true`, { target: 'dir/f', tail: "it's a  b\n" }, false],
    [String.raw`printf 'x\ny\n' >> f`, { target: 'f', tail: 'x\ny\n' }, true],
    [`printf '%s' a >> f`, { target: 'f', tail: 'a' }, true],
    ['echo -n a >> f', { target: 'f', tail: null }, true],
    [String.raw`echo 'a\tb' >> f`, { target: 'f', tail: null }, true],
    ['echo a | tee -a f', { target: 'f', tail: 'a\n' }, false],
    ['tee -a f < /dev/null', { target: 'f', tail: '' }, true],
    ['tee -a f <<< word', { target: 'f', tail: 'word\n' }, true],
    ['tee -a f < other', { target: 'f', tail: null }, true],
  ])('%s is an append of %j', (command, words, isAlone) => {
    expect(planOf(command)).toEqual({ kind: 'append', words, isAlone, folder: '' });
  });

  it.each([
    ['git commit -m fix', 'git-commit', ''],
    ['git commit', 'git-commit', ''],
    ['git add -A && git commit -qm "fix it"', 'git-commit', ''],
    [`git commit --message='a' -m body -- file`, 'git-commit', ''],
    ['cd sub && git commit -m x && git status', 'git-commit', 'sub'],
    ['cd /w/sub && cd deep && git -C er commit -m x', 'git-commit', '/w/sub/deep/er'],
    ['git -c user.name=x commit --amend --no-edit', 'git-commit', ''],
    ['git push 2>&1 | tail -3', 'git-push', ''],
    ['git push -u origin HEAD~1:refs/heads/x', 'git-push', ''],
    ['git tag -a v1 -m x', 'git-ref', ''],
    ['git checkout -b topic', 'git-ref', ''],
    ['npm version patch', 'npm-version', ''],
    ['touch a && ls', 'file-create', ''],
    ['mkdir -p a/b > /dev/null 2>&1', 'file-create', ''],
    ['cp a b', 'file-copy', ''],
    ['mv a b', 'file-move', ''],
  ])('%s is %s in "%s"', (command, kind, folder) => {
    expect(planOf(command)).toMatchObject({ kind, folder });
  });

  it.each([
    'echo a >> f; echo b >> f',
    'echo a >> f & ',
    'echo a >> f || true',
    'echo $HOME >> f',
    'echo a >> $F',
    'echo a >> ~/f',
    'echo *.ts >> f',
    'echo {a,b} >> f',
    'echo `id` >> f',
    'echo $(id) > f',
    'echo "$x" | tee f',
    'cat <<END > f\n$x\nEND',
    'cat <<-END > f\n\tx\n\tEND',
    'cat other > f',
    'echo a 2>> f',
    'echo a >& f',
    'echo a >> f >> g',
    'echo a > f 2> g',
    'echo a >&2 > f',
    'X=1 echo a >> f',
    '! echo a >> f',
    'time echo a >> f',
    'curl -X POST http://x; echo a >> f',
    'cd dir; echo a >> f',
    'cd .. && echo a >> f',
    'cd - && echo a >> f',
    'cd $D && echo a >> f',
    '(echo a) >> f',
    'for x in a; do echo a >> f; done',
    'git add -A; echo a >> f',
    'git add -A',
    'git commit -m',
    'git commit --dry-run',
    'git commit -m x && git push',
    'git -c core.worktree=/x commit -m x',
    'git -c alias.push=x push',
    'git --git-dir=/x commit -m x',
    'git -C .. commit -m x',
    'git push --mirror',
    'git push --exec=x origin main',
    'git push user@host:repo main',
    'git branch -m a b',
    'git branch --list',
    'git tag -s v1 --local-user x',
    'git checkout main',
    'git switch main',
    'npm version patch --workspaces',
    'npm version',
    'npm version patch minor',
    'date -s tomorrow > /dev/null',
    'echo "unclosed >> f',
    'tee f < other',
    'tee',
    'touch',
    'touch -t 2001 f',
    'mkdir -m 700 d',
    'cp a',
    'cp -t d a',
    'mv -b a b',
    'rm f',
    'ls',
    'sleep 1',
    '',
  ])('there is none for %s', (command) => {
    expect(planOf(command)).toBeNull();
  });

  it('sees through sh -c and knows nothing of PowerShell', () => {
    const plan = { kind: 'append', words: { target: 'f', tail: 'a\n' }, isAlone: true };
    expect(probePlan({ shell: 'none', command: ['sh', '-c', 'echo a >> f'] })).toMatchObject(plan);
    expect(probePlan({ shell: 'none', command: ['git', 'commit', '-m', 'x'] })).toMatchObject({ kind: 'git-commit' });
    expect(probePlan({ shell: 'none', command: ['touch', '$x'] })).toMatchObject({ words: { targets: ['$x'] } });
    expect(probePlan({ shell: 'none', command: ['node', '-e', 'echo a >> f'] })).toBeNull();
    expect(probePlan({ shell: 'pwsh', command: 'echo a >> f' })).toBeNull();
  });

  it('believes neither a folder that CDPATH could change nor git where a variable leads it elsewhere', () => {
    expect(planOf('cd sub && touch f', { CDPATH: '/x' })).toBeNull();
    expect(planOf('cd ./sub && touch f', { CDPATH: '/x' })).toMatchObject({ folder: './sub' });
    expect(probePlan({ shell: 'bash', command: 'cd sub && touch f' })).toBeNull();
    for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_CONFIG_COUNT']) {
      expect([name, planOf('git commit -m x', { [name]: '1' })]).toEqual([name, null]);
      expect(planOf('touch f', { [name]: '1' })).not.toBeNull();
    }
    expect(planOf('npm version patch', { GIT_DIR: '/x' })).toBeNull();
    expect(planOf('git commit -m x', { GIT_AUTHOR_NAME: 'Ada' })).not.toBeNull();
  });

  it('does not believe a name that a function of the environment has taken', () => {
    expect(planOf('git commit -m x', { 'BASH_FUNC_git%%': '() { other; }' })).toBeNull();
    expect(planOf('touch f', { 'BASH_FUNC_git%%': '() { other; }' })).not.toBeNull();
  });

  it('takes no words for a proof when the shell reads more than them', () => {
    const words = (shell: string, env: Record<string, string>): unknown =>
      probePlan({ shell: 'none', command: [shell, '-c', 'touch f'], env });
    for (const name of ['BASH_ENV', 'SHELLOPTS', 'BASHOPTS']) {
      const env = { [name]: '/x' };
      expect([name, planOf('touch f', env), words('/bin/bash', env), words('sh', env)]).toEqual([
        name,
        null,
        null,
        null,
      ]);
      expect(planOf('touch f', { [name]: '' })).not.toBeNull();
      // No shell reads it.
      expect(probePlan({ shell: 'none', command: ['touch', 'f'], env })).not.toBeNull();
    }
    expect([words('sh', { ENV: '/x' }), words('/bin/dash', { ENV: '/x' })]).toEqual([null, null]);
    expect([planOf('touch f', { ENV: 'production' }), words('bash', { ENV: 'production' })]).not.toContain(null);
  });

  it('does not believe a folder when a function of the environment has taken cd', () => {
    const env = { 'BASH_FUNC_cd%%': '() { other; }' };
    expect([planOf('cd /w && touch f', env), planOf('touch f', env) === null]).toEqual([null, false]);
  });

  it('marks the commits of those that make some', () => {
    const isMarked = (command: string): unknown => probePlan({ shell: 'bash', command })?.isMarked;
    expect(['git commit -m x', 'npm version patch', 'git push', 'touch f'].map(isMarked)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('the steps of a command', () => {
  it('carry words, output, input and folder', () => {
    expect(stepsOf({ shell: 'bash', command: 'cd /w && cat <<E | tee a b\nx\nE', env: {} })).toEqual([
      { words: ['cat'], output: null, input: 'x\n', decidesExit: false, folder: '/w' },
      { words: ['tee', 'a', 'b'], output: null, input: 'x\n', decidesExit: true, folder: '/w' },
    ]);
    expect(stepsOf({ shell: 'bash', command: '>| f' })).toEqual([
      { words: [], output: { path: 'f', isAppend: false }, input: '', decidesExit: true, folder: '' },
    ]);
    expect(stepsOf({ shell: 'bash', command: 'git show HEAD~1^2 a=b c:d' })?.[0]?.words).toEqual([
      'git',
      'show',
      'HEAD~1^2',
      'a=b',
      'c:d',
    ]);
    expect(stepsOf({ shell: 'bash', command: 'git show x=~/y' })).toBeNull();
  });

  it('know what is printed only where every shell agrees', () => {
    const text = (words: string[], input: string | null = ''): string | null => printedText({ words, input });
    expect(text(['echo'])).toBe('\n');
    expect(text(['printf', '%s\\n', 'a', 'b'])).toBe('a\nb\n');
    expect(text(['printf', '%d', '1'])).toBeNull();
    expect(text(['printf', 'a%%'])).toBeNull();
    expect(text(['printf', '-v', 'x'])).toBeNull();
    expect(text(['cat'], null)).toBeNull();
    expect(text(['cat', '-'], 'x')).toBe('x');
    expect(text(['cat', 'f'], 'x')).toBeNull();
    expect(text(['ls'])).toBeNull();
  });
});
