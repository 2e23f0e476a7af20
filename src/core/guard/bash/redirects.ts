// Redirections: what a command line writes and reads beside its programs. A target that is not a known path inside the
// workspace makes the line R3, and so does everything under /dev/tcp and /dev/udp.
import type { Redirection } from 'unbash';
import { note } from '../effects.ts';
import { locate } from '../paths.ts';
import { noteSecretRead, noteWrite, type Stdin, type Walk } from '../walk.ts';
import type { ShellWord } from '../word.ts';
import { holdsIndexCode } from './numbers.ts';
import { toShellWord } from './words.ts';

/** Judges one redirection. `empties`: the command before it prints nothing, so `>` only destroys what the file held. */
export function noteRedirect(redirect: Redirection, empties: boolean, walk: Walk): void {
  if (redirect.type !== 'Redirect') return;
  const operator = redirect.operator;
  if (redirect.target === undefined) {
    note(walk.findings, { level: 'R3', reason: 'a redirection has no target', kind: 'not-understood' });
    return;
  }
  const target = toShellWord(redirect.target, walk);
  if (/^\/dev\/(tcp|udp)\//.test(target.known)) {
    note(walk.findings, {
      level: 'R3',
      reason: `opens a network connection through ${target.known}`,
      kind: 'network-write',
      target: target.known,
    });
    return;
  }
  if (operator === '<') {
    noteInput(target, walk);
    return;
  }
  if ((operator === '>&' || operator === '<&') && /^(\d+|-|\d+-)$/.test(target.known) && target.kind === 'literal')
    return;
  if (operator === '<&') {
    note(walk.findings, {
      level: 'R3',
      reason: 'copies a file descriptor that is known only when it runs',
      kind: 'not-understood',
    });
    return;
  }
  if (operator === '>>' || operator === '&>>') {
    noteWrite(walk, target, { level: 'R2', kind: 'append-file', verb: 'appends to' });
  } else if (operator === '<>') {
    noteWrite(walk, target, { level: 'R2', kind: 'write-file', verb: 'opens for writing' });
  } else if (empties) {
    const at = noteWrite(walk, target, { level: 'R3', kind: 'delete-file', verb: 'empties' });
    if (at.place === 'discard') return;
  } else {
    noteWrite(walk, target, { level: 'R1', kind: 'write-file', verb: 'overwrites' });
  }
}

/** Reading is R0, but a name under /dev may be a connection or a device, and one that is not known may be that. */
function noteInput(target: ShellWord, walk: Walk): void {
  noteSecretRead(walk, target);
  for (const word of target.choices ?? [target]) {
    const isOpen = word.kind !== 'literal' && (word.known === '' || /^(\/|[*?[])/.test(word.known));
    const at = isOpen ? undefined : locate({ ...word, kind: 'literal' }, walk);
    if (at?.path?.startsWith('/dev/') === false || at?.place === 'discard') continue;
    if (at !== undefined && at.path === undefined) continue;
    note(walk.findings, {
      level: 'R3',
      reason: 'reads from a device or from a file that is known only when it runs',
      kind: 'network-write',
    });
  }
}

/** Where the command's standard input comes from, with its text where that is literally here. */
export function stdinOf(redirects: readonly Redirection[], piped: boolean, walk: Walk): Stdin {
  let stdin: Stdin = { from: piped ? 'pipe' : 'caller' };
  for (const redirect of redirects) {
    if (redirect.type === 'HereString') {
      const word = redirect.target === undefined ? undefined : toShellWord(redirect.target, walk);
      if (word !== undefined && holdsIndexCode(word.known))
        note(walk.findings, { level: 'R3', reason: 'the input holds shell code as text', kind: 'run-hidden-text' });
      stdin = word?.kind === 'literal' ? { from: 'text', text: word.known } : { from: 'file' };
    } else if (redirect.type === 'HereDoc') {
      const literal = redirect.delimiter?.quoted === true || redirect.body.parts === undefined;
      stdin = literal ? { from: 'text', text: redirect.body.text } : { from: 'file' };
    } else if (redirect.operator === '<' || redirect.operator === '<&' || redirect.operator === '<>') {
      stdin = { from: 'file' };
    }
  }
  return stdin;
}
