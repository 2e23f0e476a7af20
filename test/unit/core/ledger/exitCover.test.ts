import { describe, expect, it } from 'vitest';
import { exitCovers } from '../../../../src/core/ledger/probes/exitCover.ts';

const bash = (command: string): boolean => exitCovers({ shell: 'bash', command });

describe('exit code 0 of a command', () => {
  it.each([
    'npm publish; echo done',
    'deploy\necho done',
    'echo x >> missing/f; echo y >> g',
    './deploy.sh | cat',
    './deploy.sh 2>&1 | tee log.txt',
    './deploy.sh || true',
    'make a || make b',
    'a && b || c',
    'test -d x && deploy || echo no',
    'cp missing b; cp c d',
    '! deploy',
    'deploy; exit 0',
    'for h in a b; do deploy $h; done',
    'while read -r x; do deploy "$x"; done < list',
    'if deploy; then echo ok; fi',
    'if test -f x; then a; b; fi',
    'find . -name x -exec deploy {} \\;',
    "eval 'a; b'",
    '. ./script.sh',
    "bash -c 'a; b'",
    "sudo sh -c 'a | b'",
    'timeout 5 bash -lc "a; b"',
    'echo $(deploy)',
    'echo `deploy`',
    'diff <(deploy) x',
    'f() { a; b; }; f',
    '$RUN x',
    'set -e; a && b; c',
    'cd elsewhere; deploy',
    '(a; b)',
    // In the background.
    'sleep 9 && deploy &',
    '(sleep 9; echo late >> a.txt) & echo started',
    'if true; then deploy & fi',
    '{ a & }; b',
    'x=$(a & b)',
    "bash -c 'deploy &'",
    'echo "not closed & ',
  ])('is not believed of %s', (command) => {
    expect(bash(command)).toBe(false);
    expect(exitCovers({ shell: 'none', command: ['sh', '-c', command] })).toBe(false);
  });

  it.each([
    'deploy',
    'deploy $x "$(date)" > out.txt 2>&1',
    'cd sub && npm publish',
    'a && b && c',
    'sleep 1; deploy',
    'echo start; pwd; deploy',
    'echo "$text" | deploy',
    'cat list | head -3 | deploy',
    'deploy || exit 1',
    'a && b || false',
    'test -d x || mkdir x',
    '[ -f x ] && deploy',
    'if [ -f x ]; then deploy; else mkdir x && deploy; fi',
    'case $x in a) deploy a;; *) deploy b;; esac',
    'set -e; a; b; c',
    'set -euo pipefail\na\nb',
    'VERSION=1.2; deploy "$VERSION"',
    'x=$(date)',
    "bash -c 'a && b'",
    "sudo sh -c 'deploy'",
    '(cd sub && deploy)',
    'git commit -m "salt & pepper; more | less"',
    "curl 'http://x/?a=1&b=2'",
    'find . -name x -delete',
    'a &> out',
  ])('says that all of %s succeeded', (command) => {
    expect(bash(command)).toBe(true);
  });

  it('is judged by signs alone for the other shells, and for words only where a shell reads them', () => {
    const covers = (shell: 'pwsh' | 'cmd', command: string): boolean => exitCovers({ shell, command });
    for (const text of ['Start-Process node x.js', 'node x.js &', 'a; b', 'a | b', 'if ($x) { a }'])
      expect(covers('pwsh', text), text).toBe(false);
    for (const text of ['npm publish', 'a && b']) expect(covers('pwsh', text), text).toBe(true);
    for (const text of ['start node x.js', 'a & b', 'a | b', 'a || b']) expect(covers('cmd', text), text).toBe(false);
    for (const text of ['npm start', 'a && b']) expect(covers('cmd', text), text).toBe(true);
    expect(exitCovers({ shell: 'none', command: ['git', 'commit', '-m', 'a & b; c'] })).toBe(true);
  });
});
