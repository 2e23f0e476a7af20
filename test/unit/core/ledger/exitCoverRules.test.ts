// What a shell's exit code says, construct by construct (bash(1), POSIX 2.8.2 and 2.11): each line is a way in which 0 hides
// that a part failed, or a way in which it cannot.
import { describe, expect, it } from 'vitest';
import { exitCovers } from '../../../../src/core/ledger/probes/exitCover.ts';

const bash = (command: string): boolean => exitCovers({ shell: 'bash', command });

describe('a list', () => {
  it.each([
    '',
    '# only a comment',
    'export A=1; deploy',
    'set -x; deploy',
    'shopt -s nullglob; unset A; readonly B=1; deploy',
    'echo a; echo b; deploy',
    'echo "it is 5 o\'clock" > /dev/null; deploy',
    'ls 2>&1; deploy',
    'ls >&2; deploy',
    'cat < list; deploy',
    'cat <<E; deploy\nx\nE',
    'cat <<< x; deploy',
    'x=1 y=2; deploy',
    '(echo a; pwd); deploy',
    '{ echo a; pwd; }; deploy',
    'for x in a b; do echo $x; done; deploy',
    'while test -f lock; do sleep 1; done; deploy',
    '[[ -f x ]]; deploy',
    '((n = 1)); deploy',
    'echo a && pwd; deploy',
    'echo a | head -1; deploy',
    '! test -f x; deploy',
  ])('is told by its last part where the others do nothing: %s', (command) => {
    expect(bash(command)).toBe(true);
  });

  it.each([
    'ls > list; deploy',
    'ls >> list; deploy',
    'ls &> list; deploy',
    'ls >&list; deploy',
    'ls >&12x; deploy',
    'ls >&x1; deploy',
    'ls > 1; deploy',
    'ls > /dev/null > list; deploy',
    '> list; deploy',
    'A=1 work; deploy',
    '"$WORK"; deploy',
    '(echo a; work); deploy',
    '(work; echo a); deploy',
    '{ work; }; deploy',
    'for x in a b; do work $x; echo $x; done; deploy',
    'while test -f lock; do work; sleep 1; done; deploy',
    'while work; do sleep 1; done; deploy',
    'echo a && work; deploy',
    'work && echo a; deploy',
    'echo a | work; deploy',
    'work | cat; deploy',
    'echo a; work; deploy',
    'case x in x) work;; esac; deploy',
    'select x in a; do work; done; deploy',
    'coproc work; deploy',
    'for ((i = 0; i < 2; i++)); do work; done; deploy',
    '(echo a & ); deploy',
    'f() { work; }; deploy',
  ])('hides what another part did: %s', (command) => {
    expect(bash(command)).toBe(false);
  });
});

describe('set -e', () => {
  it.each([
    'set -e; a; b; c',
    'set -eu; a; b',
    'set -xe\na\nb',
    "set '-e'; a; b",
    'set -e; (a && b); c',
    'set -e; echo x | a; b',
    'set -e; test -f x && pwd; a; b',
    'set -e; cd sub; a; b && c',
  ])('ends a text where a part fails: %s', (command) => {
    expect(bash(command)).toBe(true);
  });

  it.each([
    'set -u; a; b',
    'set +e; a; b',
    'set e; a; b',
    'set -U-e; a; b',
    'set x-e; a; b',
    'setx -e; a; b',
    'set; a; b',
    'a; set -e; b',
    'set -e; a && b; c',
    'set -e; a; b && c; d',
    'set -e; a; b; c & d',
    'set -e; a | cat; b',
    'set -e; a; b || true',
    'set -e; a & b',
    'set -e; b; a &',
    // Off again.
    'set -e; set +e; a; b',
    'set -e; a; set +eu; b; c',
    'set -e; { set +e; }; a; b',
    // A part of `&&` and `||` does not end it, nor does what such a part stands in, unless it is a shell of its own.
    'set -e; { a && b; }; c',
    'set -e; if test -f x; then a && b; fi; c',
    'set -e; case $x in a) a && b;; esac; c',
    '(set -e; a; b) || exit 1',
    '(set -e; a; b) && c',
    'set -e; ! a; b',
    "set -e; trap 'exit 0' EXIT; a; b",
    'set -e; (set -e; a; b) && c; d',
  ])('does not end it in %s', (command) => {
    expect(bash(command)).toBe(false);
  });
});

describe('a chain', () => {
  it.each([
    'a || false',
    'a || exit 1',
    'a || exit 255',
    'a || return 3',
    'false || a',
    'echo a && pwd || b',
    'test -f x && exit 1 || b',
    'time a',
    'a && echo b',
    'time -p a && b',
    '! test -f x',
    'a && ! test -f x',
  ])('needs every part of %s', (command) => {
    expect(bash(command)).toBe(true);
  });

  it.each([
    'a || false now',
    'a || exit 0',
    'a || exit 256',
    'a || exit 00',
    'a || exit 1 2',
    'a || exit x',
    'a || exit -- 1',
    'a || leave 1',
    'a || return 0',
    'a || return',
    'a || "$LEAVE" 1',
    'a || (exit 1) || true',
    'a || echo no',
    'a && b || pwd',
    'echo a && b || c',
    'a || b && c',
    '! a && b',
    '! echo a | work',
    'work | echo a | cat',
    'echo a | work | cat',
  ])('hides a failure in %s', (command) => {
    expect(bash(command)).toBe(false);
  });
});

describe('a branch', () => {
  it.each([
    'if test -f x; then a; elif test -f y; then b; else c; fi',
    'if [ -f x ] && [ -f y ]; then a; fi',
    'if [[ $x == y ]]; then a; fi',
    'if test -f x; then (a && b); fi > log',
    'case $x in a) a;; b) echo b; b;; esac',
    '{ a && b; } > log 2>&1',
    '(a) > log',
    'for x in a b; do echo $x; done',
    'until test -f x; do sleep 1; done',
  ])('tells how the part that ran ended: %s', (command) => {
    expect(bash(command)).toBe(true);
  });

  it.each([
    'if a; then b; fi',
    'if test -f x; a; then b; fi',
    'if a; test -f x; then b; fi',
    'if test -f x; then a; elif b; then c; fi',
    'if test -f x; then a; b; fi',
    'if test -f x; then a; else b; c; fi',
    'if test -f x; then a; elif test -f y; then b; c; else d; fi',
    'case $x in a) a; b;; b) c;; esac',
    'case $x in a) a;; b) b; c;; esac',
    '{ a; b; } > log',
    '(a; b) > log',
    'for x in a b; do work $x; done',
    'until work; do sleep 1; done',
    'select x in a; do work; done',
  ])('hides a failure in %s', (command) => {
    expect(bash(command)).toBe(false);
  });
});

describe('a substitution', () => {
  it.each([
    'echo $(date) `pwd`',
    'deploy "$(cat version)" $((1 + 2)) ${X:-y}',
    'x=$(cat a; pwd)',
    'diff <(cat a) b',
    'for x in $(ls); do echo $x; done',
    '[[ -n $(ls) ]] && deploy',
  ])('that only reads hides nothing: %s', (command) => {
    expect(bash(command)).toBe(true);
  });

  it.each([
    'echo $(date; work)',
    'echo $(work; date)',
    'echo "a $(work)"',
    'echo ${X:-$(work)}',
    'echo $((1 + $(work)))',
    'echo $(echo $(work))',
    'x=$(work)',
    'x=(a $(work))',
    'A=$(work) deploy',
    'deploy > $(work)',
    'deploy > >(work)',
    '(deploy) > >(work)',
    'cat <<E\n$(work)\nE',
    'for x in $(work); do echo $x; done',
    '[[ -n $(work) ]]',
    '[[ -n $(work) ]] && deploy',
    '(( $(work) > 1 ))',
    'case $(work) in a) deploy;; esac',
    'if [[ $(work) == x ]]; then deploy; fi',
    'set -e; x=$(work); deploy',
    'echo $([[ -n $(work) ]])',
  ])('hides how it ended: %s', (command) => {
    expect(bash(command)).toBe(false);
  });
});

describe('a text that is no script', () => {
  it.each(['echo "open', 'a &&', 'if a', '(a', 'a )', '${', '&'])('says nothing: %s', (command) => {
    expect(bash(command)).toBe(false);
  });
});
