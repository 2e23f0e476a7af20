import { describe, expect, it } from 'vitest';
import { refWords } from '../../../../../src/core/ledger/probes/gitRefWords.ts';
import type { RefWords } from '../../../../../src/core/ledger/probes/gitRefWords.ts';

function wordsOf(...[command = '', ...rest]: readonly string[]): RefWords | null {
  return refWords({ folder: '', command, rest, hooksPath: null });
}
const made = (ref: string, more: Partial<RefWords['changes'][number]> = {}): RefWords['changes'][number] => {
  return { ref, isDeleted: false, isAnnotated: false, message: null, ...more };
};
const gone = (ref: string): RefWords['changes'][number] => made(ref, { isDeleted: true });

describe('the branches that git branch makes', () => {
  it.each([
    { words: ['topic'], start: 'HEAD' },
    { words: ['topic', 'main~2'], start: 'main~2' },
    { words: ['-f', 'topic', 'main'], start: 'main' },
    { words: ['--force', 'topic'], start: 'HEAD' },
    { words: ['-q', 'topic'], start: 'HEAD' },
    { words: ['--quiet', 'topic'], start: 'HEAD' },
    { words: ['topic', '-q', 'main'], start: 'main' },
    { words: ['--quiet', '-f', 'topic'], start: 'HEAD' },
  ])('start at $start by the words $words', ({ words, start }) => {
    expect(wordsOf('branch', ...words)).toEqual({ changes: [made('refs/heads/topic')], enters: null, start });
  });

  it.each([
    [[]],
    [['-q']],
    [['']],
    [['--list']],
    [['-a']],
    [['-r']],
    [['-v']],
    [['-m', 'old', 'new']],
    [['-c', 'old', 'new']],
    [['--track', 'topic', 'origin/main']],
    [['--unset-upstream']],
    [['topic', '-f']],
    [['topic', '--force', 'main']],
    [['topic', 'main', 'more']],
    [['topic', '']],
    [['topic', 'main@{yesterday}']],
    [['topic', ':/text']],
    [['topic', 'HEAD:file']],
    [['-f']],
  ])('are not known of the words %j', (words) => {
    expect(wordsOf('branch', ...words)).toBeNull();
  });

  it.each([
    'HEAD',
    '.hidden',
    'a..b',
    'a//b',
    'a.lock',
    'a.lock/b',
    'a/.b',
    'a/',
    'a.',
    'a b',
    'a*',
    'a~1',
    'a:b',
    '@',
  ])('are none of the name %j, which git refuses or could read as something else', (name) => {
    expect(wordsOf('branch', name)).toBeNull();
    expect(wordsOf('branch', '-d', name)).toBeNull();
    expect(wordsOf('tag', name)).toBeNull();
  });

  it.each(['HEADS', 'feature/a-b', 'a.lockstep', 'v1.2.3+x', '_a', '9'])('may have the name %j', (name) => {
    expect(wordsOf('branch', name)?.changes).toEqual([made(`refs/heads/${name}`)]);
  });
});

describe('the branches that git branch deletes', () => {
  it.each([
    { words: ['-d', 'a'], names: ['a'] },
    { words: ['-D', 'a', 'b'], names: ['a', 'b'] },
    { words: ['--delete', 'b', 'a'], names: ['b', 'a'] },
    { words: ['-q', '-d', 'a'], names: ['a'] },
    { words: ['-D', 'a', '--quiet'], names: ['a'] },
    { words: ['-d', 'a', 'b', 'a'], names: ['a', 'b'] },
  ])('are all that $words names, each once', ({ words, names }) => {
    const changes = names.map((name) => gone(`refs/heads/${name}`));
    expect(wordsOf('branch', ...words)).toEqual({ changes, enters: null, start: 'HEAD' });
  });

  it.each([[['-d']], [['-d', '-r', 'origin/a']], [['-d', 'a', '-f']], [['-D', 'a', 'HEAD']], [['-D', 'HEAD', 'a']]])(
    'are not known of the words %j',
    (words) => {
      expect(wordsOf('branch', ...words)).toBeNull();
    },
  );
});

describe('the branch that is made and entered', () => {
  it.each([
    ['checkout', '-b', 'topic'],
    ['checkout', '-q', '-b', 'topic'],
    ['checkout', '--quiet', '-b', 'topic'],
    ['checkout', '-b', 'topic', '-q'],
    ['switch', '-c', 'topic'],
    ['switch', '--create', 'topic'],
    ['switch', '-q', '--create', 'topic'],
    ['switch', '-c', 'topic', '--quiet'],
  ])('starts where HEAD is: git %s %s %s %s', (...words) => {
    const changes = [made('refs/heads/topic')];
    expect(wordsOf(...words)).toEqual({ changes, enters: 'refs/heads/topic', start: 'HEAD' });
  });

  it.each([
    [['checkout', 'topic']],
    [['checkout', '--', 'file']],
    [['checkout', '-b']],
    [['checkout', '-b', 'topic', 'main']],
    [['checkout', '-B', 'topic']],
    [['checkout', '-c', 'topic']],
    [['checkout', '-b', 'a..b']],
    [['checkout']],
    [['switch', 'topic']],
    [['switch', '-b', 'topic']],
    [['switch', '-C', 'topic']],
    [['switch', '-c', 'topic', 'main']],
    [['switch', '--detach', 'main']],
  ])('is none where files, another commit or more would be entered: %j', (words) => {
    expect(wordsOf(...words)).toBeNull();
  });
});

describe('the tags that git tag makes', () => {
  const plain = { isAnnotated: false, message: null };
  const unread = { isAnnotated: true, message: null };
  const saying = (message: string): { isAnnotated: true; message: string } => ({ isAnnotated: true, message });
  it.each([
    { words: ['v1'], tag: plain },
    { words: ['-f', 'v1'], tag: plain },
    { words: ['v1', '--force'], tag: plain },
    { words: ['-a', 'v1'], tag: unread },
    { words: ['--annotate', 'v1'], tag: unread },
    { words: ['v1', '-m', 'one'], tag: saying('one') },
    { words: ['-a', 'v1', '-m', 'one'], tag: saying('one') },
    { words: ['-am', 'one', 'v1'], tag: saying('one') },
    { words: ['-fam', 'one', 'v1'], tag: saying('one') },
    { words: ['--message', 'one', 'v1'], tag: saying('one') },
    { words: ['--message=one', 'v1'], tag: saying('one') },
    { words: ['v1', '--message='], tag: saying('') },
    { words: ['-m', 'one', '-m', 'two', 'v1'], tag: saying('one\n\ntwo') },
    { words: ['-m', 'one', '--message=two', 'v1'], tag: saying('one\n\ntwo') },
    { words: ['-m', '-d', 'v1'], tag: saying('-d') },
    { words: ['-m', '-s', 'v1'], tag: saying('-s') },
    { words: ['-m', '--signed off', 'v1'], tag: saying('--signed off') },
  ])('are annotated and say what the words say: $words', ({ words, tag }) => {
    expect(wordsOf('tag', ...words)).toEqual({ changes: [made('refs/tags/v1', tag)], enters: null, start: 'HEAD' });
  });

  it.each([
    [['-s', 'v1', '-m', 'one']],
    [['--sign', 'v1', '-m', 'one']],
    [['v1', '--message=one', '-s']],
    [['-sm', 'one', 'v1']],
    [['-asm', 'one', 'v1']],
    [['-fsm', 'one', 'v1']],
    [['-s', 'v1']],
  ])('are annotated by a text that is not known when they are signed: %j', (words) => {
    expect(wordsOf('tag', ...words)?.changes).toEqual([made('refs/tags/v1', unread)]);
  });

  it('may stand at another commit', () => {
    expect(wordsOf('tag', 'v1', 'main~3')?.start).toBe('main~3');
    expect(wordsOf('tag', '-m', 'x', 'v1', 'main')?.start).toBe('main');
  });

  it.each([
    [[]],
    [['-l']],
    [['-n3', 'v1']],
    [['-v', 'v1']],
    [['-F', 'file', 'v1']],
    [['-u', 'key', 'v1']],
    [['-asx', 'v1']],
    [['--signoff', 'v1']],
    [['x-a', '-b']],
    [['-mx', 'v1']],
    [['v1', 'main', 'more']],
    [['-m', 'only']],
    [['-e', 'v1']],
    [['--', 'v1']],
    [['']],
  ])('are not known of the words %j', (words) => {
    expect(wordsOf('tag', ...words)).toBeNull();
  });

  it.each(['x-a', 'x-s', 'release-m', 'a--sign', 'v-', '1--message', 'x--message'])(
    'may have a name that ends like an option: %s',
    (name) => {
      expect(wordsOf('tag', name)?.changes).toEqual([made(`refs/tags/${name}`)]);
    },
  );
});

describe('the tags that git tag deletes', () => {
  it.each([[['-d', 'v1', 'v2']], [['--delete', 'v1', 'v2']], [['v1', 'v2', '-d']], [['-d', '-f', 'v1', 'v2']]])(
    'are all that the words name: %j',
    (words) => {
      const changes = [gone('refs/tags/v1'), gone('refs/tags/v2')];
      expect(wordsOf('tag', ...words)).toEqual({ changes, enters: null, start: 'HEAD' });
    },
  );

  it.each([[['-d']], [['-d', '-a', 'v1']], [['-d', '-m', 'x', 'v1']], [['-a', '-d', '-m', 'x', 'v1']], [['-d', '-x']]])(
    'are not known of the words %j',
    (words) => {
      expect(wordsOf('tag', ...words)).toBeNull();
    },
  );
});

it.each(['rebase', 'worktree', 'stash', 'fetch', ''])('git %s has no refs in its words', (command) => {
  expect(wordsOf(command, '-c', 'topic')).toBeNull();
  expect(wordsOf(command, 'topic')).toBeNull();
});
