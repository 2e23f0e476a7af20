// find and fd: tests and printing read; -exec and its kin run a command for names that are not known yet; -delete deletes;
// -fprint writes. A test or action that is not listed is R3.
import { isOpenEnded } from '../arguments.ts';
import { note } from '../effects.ts';
import type { Call } from '../rules/match.ts';
import { CALLER_STDIN, deeper, noteSecretRead, noteWrite, type Stdin, type Walk } from '../walk.ts';
import type { ShellWord } from '../word.ts';
import { withUnknownInput } from '../wrappers.ts';
import type { Claim } from './inspector.ts';

const PLAIN =
  /^-(a|o|not|and|or|true|false|print|print0|ls|prune|quit|depth|d|daystart|empty|executable|readable|writable|mount|xdev|noleaf|ignore_readdir_race|nouser|nogroup|follow|warn|nowarn|H|L|P|E|X|s|x|O[0-3])$/;
const VALUED =
  /^-(name|iname|path|ipath|wholename|iwholename|regex|iregex|lname|ilname|type|xtype|size|perm|user|group|uid|gid|links|inum|samefile|newer\w*|anewer|cnewer|mtime|atime|ctime|mmin|amin|cmin|used|maxdepth|mindepth|regextype|printf|fstype|context)$/;

/** Judges one call of find. */
export function inspectFind(call: Call, _stdin: Stdin, walk: Walk): Claim {
  const words = call.words;
  note(walk.findings, { level: 'R0', reason: 'find lists files', kind: 'read-file' });
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i];
    if (word === undefined) break;
    if (isOpenEnded(word)) return refuse(walk, 'find with a word that may become several, one of them an action');
    if (!word.canBeOption || /^[(!)]$/.test(word.known)) {
      noteSecretRead(walk, word);
      continue;
    }
    if (word.kind !== 'literal') return refuse(walk, 'find with a test or action that is known only when it runs');
    if (PLAIN.test(word.known)) continue;
    if (VALUED.test(word.known)) {
      i += 1;
      const value = words[i];
      if (value !== undefined && (isOpenEnded(value) || value.kind === 'glob'))
        return refuse(walk, 'find with a value that may become several words');
    } else if (/^-(exec|execdir|ok|okdir)$/.test(word.known)) i = runAction(words, i, walk);
    else if (/^-(fprint|fprint0|fls|fprintf)$/.test(word.known)) {
      i += 1;
      const target = words[i];
      if (target !== undefined) noteWrite(walk, target, { level: 'R1', kind: 'write-file', verb: 'find writes' });
      if (word.known === '-fprintf') i += 1;
    } else if (word.known === '-delete') {
      note(walk.findings, { level: 'R3', reason: 'find -delete deletes every file it finds', kind: 'delete-file' });
    } else return refuse(walk, `find ${word.known} is not known to the guard`);
  }
  return 'claimed';
}

function refuse(walk: Walk, reason: string): Claim {
  note(walk.findings, { level: 'R3', reason, kind: 'run-hidden-text' });
  return 'claimed';
}

function runAction(words: readonly ShellWord[], start: number, walk: Walk): number {
  let end = start + 1;
  while (end < words.length && !isEnd(words[end], words[end - 1])) end += 1;
  const inner = words.slice(start + 1, end);
  if (inner.length === 0 || end >= words.length) refuse(walk, 'find -exec without a command or an end');
  else deeper(walk, () => walk.runWords(withUnknownInput(inner, '{}'), CALLER_STDIN));
  return end;
}

function isEnd(word: ShellWord | undefined, before: ShellWord | undefined): boolean {
  return word?.known === ';' || (word?.known === '+' && before?.known === '{}');
}

const FD_FLAGS =
  /^-[HIuasigpLl0FqE1]+$|^--(hidden|no-ignore(-vcs)?|unrestricted|absolute-path|case-sensitive|ignore-case|glob|full-path|follow|list-details|print0|fixed-strings|quiet|strip-cwd-prefix)$/;
const FD_VALUED =
  /^-(t|e|d|E|S|c|j)$|^--(type|extension|max-depth|min-depth|exact-depth|exclude|size|color|threads|changed-within|changed-before|max-results)$/;

/** Judges one call of fd: reads unless -x or -X, standing alone, gives a command, which takes all that follows. */
export function inspectFd(call: Call, _stdin: Stdin, walk: Walk): Claim {
  const { words } = call;
  note(walk.findings, { level: 'R0', reason: 'fd lists files', kind: 'read-file' });
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i];
    if (word === undefined) break;
    if (isOpenEnded(word) || (word.canBeOption && word.kind !== 'literal'))
      return refuse(walk, 'fd with an option that is known only when it runs');
    if (!word.canBeOption) noteSecretRead(walk, word);
    else if (/^(-[xX]|--exec(-batch)?)$/.test(word.known)) return runForEach(words.slice(i + 1), walk);
    else if (FD_VALUED.test(word.known)) i += 1;
    else if (!FD_FLAGS.test(word.known) && !FD_VALUED.test(word.known.split('=')[0] ?? ''))
      return refuse(walk, `fd ${word.known} is not known to the guard`);
  }
  return 'claimed';
}

function runForEach(words: readonly ShellWord[], walk: Walk): Claim {
  const inner = words.filter((word) => word.known !== ';');
  if (inner.length === 0) return refuse(walk, 'fd -x without a command');
  const replaced = inner.some((word) => word.known.includes('{'))
    ? withUnknownInput(inner, '{')
    : withUnknownInput(inner, undefined);
  deeper(walk, () => walk.runWords(replaced, CALLER_STDIN));
  return 'claimed';
}
