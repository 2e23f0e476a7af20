// Redirections: what a command line writes and reads beside its programs. A target that is not a known path inside the
// workspace makes the line R3, and so does everything under /dev/tcp and /dev/udp.
import type { Redirection } from 'unbash';
import { note } from '../effects.ts';
import { noteSecretRead, noteWrite, type Stdin, type Walk } from '../walk.ts';
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
    noteSecretRead(walk, target);
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

/** Where the command's standard input comes from, with its text where that is literally here. */
export function stdinOf(redirects: readonly Redirection[], piped: boolean, walk: Walk): Stdin {
  let stdin: Stdin = { from: piped ? 'pipe' : 'caller' };
  for (const redirect of redirects) {
    if (redirect.type === 'HereString') {
      const word = redirect.target === undefined ? undefined : toShellWord(redirect.target, walk);
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
