// What a shell's exit code says of the programs in it that run texts of their own (shells, ssh, find), and in the shells that are
// not parsed (cmd, PowerShell).
import { describe, expect, it } from 'vitest';
import { exitCovers } from '../../../../src/core/ledger/probes/exitCover.ts';

const bash = (command: string): boolean => exitCovers({ shell: 'bash', command });
const words = (...command: string[]): boolean => exitCovers({ shell: 'none', command });

describe('a shell in a command', () => {
  it.each(['bash', 'sh', 'dash', 'zsh', 'ksh', 'mksh', 'ash', 'fish', '/bin/bash', '/usr/local/bin/sh', 'bash.exe'])(
    '%s is judged by its text, wherever it stands',
    (shell) => {
      for (const before of [[], ['sudo'], ['timeout', '5'], ['docker', 'exec', 'c']]) {
        expect([...before, words(...before, shell, '-c', 'a; b')]).toEqual([...before, false]);
        expect([...before, words(...before, shell, '-c', 'a && b')]).toEqual([...before, true]);
      }
    },
  );

  it.each([
    [['bash', '-lc', 'a; b'], false],
    [['bash', '-cx', 'a; b'], false],
    [['bash', '-Cc', 'a; b'], false],
    [['bash', '-c', '-x', 'a; b'], false],
    [['bash', '--norc', '-c', 'a; b'], false],
    [['bash', '-o', 'pipefail', '-c', 'a | cat'], false],
    [['bash', '-c', 'a', 'x'], true],
    [['bash', '-c'], true],
    [['su', '-', 'bob', '-c', 'a; b'], false],
    [['su', 'bob', '-c', 'a && b'], true],
    [['bash', 'my-script.sh'], true],
    [['bash', 'x-c', 'a; b'], true],
    [['bash', '-c.sh', 'a; b'], true],
    [['bash', '-x', 'script.sh', 'a; b'], true],
    [['git', '-c', 'a; b', 'bash'], true],
    // What it reads from its input is not known.
    [['bash'], false],
    [['sh', '-s'], false],
    [['sh', '-x', '+e'], false],
    // Not the name of one.
    [['apt-get', 'install', 'bash'], true],
    [['publish', '-c', 'a; b'], true],
    [['bashful', '-c', 'a; b'], true],
    [['./run.sh', '-c', 'a; b'], true],
  ] as const)('%j: %s', (command, isCovered) => {
    expect(words(...command)).toBe(isCovered);
  });

  it.each([
    [['ssh', 'host', 'deploy'], true],
    [['ssh', '-p', '22', 'host', 'a && b'], true],
    [['ssh', 'host', 'a; b'], false],
    [['sudo', '/usr/bin/ssh', 'host', 'a | cat'], false],
    [['ssh', 'host'], true],
    // A name among the words of another shell changes nothing of that one.
    [['bash', '-c', 'a; b', 'ssh'], false],
    [['ssh', 'host', 'sh', '-c', 'a && b'], true],
    [['ssh-keygen', '-t', 'a; b'], true],
  ] as const)('on another machine is judged by its text, too: %j: %s', (command, isCovered) => {
    expect(words(...command)).toBe(isCovered);
  });

  it.each([
    'bash <<E\na\nb\nE',
    'sudo bash -s <<< "a; b"',
    'ssh host <<E\na\nb\nE',
    'sudo bash < script.sh',
    'ssh host < script.sh',
    'echo "a; b" | ssh host',
    'echo "a; b" | sudo sh',
    'echo "a; b" | (sudo sh)',
    'echo "a; b" | if true; then sh; fi',
    'echo "a; b" | sh',
    'sudo sh $FLAGS',
    '$RUN sh -c "a; b"',
    'sh -c "$TEXT"',
    'sudo sh -c "a; b $X"',
    'ssh "$HOST" deploy',
    "sh -c $'a\\nb'",
    'env A=1 sh -c "a; b"',
  ])('is not believed where it reads %s', (command) => {
    expect(bash(command)).toBe(false);
  });

  it.each([
    'echo a | for x in 1 2; do echo "$x"; done',
    'echo a | (deploy)',
    "sh -c 'a' < /dev/null",
    'deploy <<E\na; b\nE',
    "sh -c $'a'",
    'env A=1 deploy',
    'deploy "$X" y=2',
  ])('is believed of %s', (command) => {
    expect(bash(command)).toBe(true);
  });

  it.each(['eval a', 'source x', '. x', 'eval "$X"', '. "$X"', 'trap a EXIT'])('is unknown in %s', (command) => {
    expect(bash(command)).toBe(false);
  });
});

describe('find', () => {
  it.each([
    ['find . -exec a {} ;', false],
    ['find . -execdir a {} +', false],
    ['find . -ok a ;', false],
    ['find . -okdir a ;', false],
    ['/usr/bin/find . -exec a ;', false],
    ['sudo find . -exec a ;', false],
    ['timeout 5 find . -exec a ;', false],
    ['find . -executable', true],
    ['find . -name x-exec', true],
    ['find . -delete', true],
    ['docker run -exec', true],
    ['', true],
  ])('hides what it runs: %s is %s', (command, isCovered) => {
    expect(words(...command.split(' '))).toBe(isCovered);
  });

  it('is not believed with words that are not known', () => {
    expect(['find $x', 'sudo find $x -delete', 'find "$x" -exec a \\;'].map(bash)).toEqual([false, false, false]);
    expect(bash('find "$x" -delete')).toBe(true);
  });
});

describe('cmd', () => {
  it.each(['deploy', 'npm start', 'npm run start -- x', 'a && b && c', 'restart x', 'a (start', 'echo forest x'])(
    'says that %s succeeded',
    (command) => {
      expect(exitCovers({ shell: 'cmd', command })).toBe(true);
    },
  );
  it.each([
    'a & b',
    'a && b & c',
    'a | b',
    'a || b',
    'a\nb',
    'start node x',
    '  START /b node x',
    '(start node x)',
    '@start node x',
    'npm ci && start node x',
    'for %x in (a b) do deploy %x',
  ])('does not say so of %s', (command) => {
    expect(exitCovers({ shell: 'cmd', command })).toBe(false);
  });
});

describe('PowerShell', () => {
  it.each(['deploy', 'npm start', 'npm run start -- x', 'a && b', 'Restart-Service x', 'Get-Job'])(
    'says that %s succeeded',
    (command) => {
      expect(exitCovers({ shell: 'pwsh', command })).toBe(true);
    },
  );
  it.each([
    'a; b',
    'a | b',
    'a || b',
    'a &',
    'a\nb',
    'if ($x) { a }',
    'Start-Process a',
    'npm ci && start-job a',
    'Start-ThreadJob a',
    'saps node',
    'start node x',
    'npm ci && sajb a',
    '(start node x)',
    'iex $text',
    'Invoke-Expression $text',
  ])('does not say so of %s', (command) => {
    expect(exitCovers({ shell: 'pwsh', command })).toBe(false);
  });
});
