// How a push reaches its remote, and so what its end says. A repository on this machine is written by children of the command,
// which are stopped with it. A server goes on by itself with what it was sent, whatever becomes of the client.
import { gitSays } from './git.ts';
import type { RunEnd } from './probe.ts';
import type { Looking } from './reading.ts';

/** `helper`: by a program of its own (https too), whose lost connection looks like a rejection by the exit code. */
export type Transport = 'local' | 'direct' | 'helper';

/** The transport of an address as git takes it (git-push(1), "GIT URLS"); anything unusual is a `helper`. */
export function* transportOf(folder: string, remote: string, address: string): Looking<Transport> {
  // The other side may be any program then.
  const own = ['config', '--get-regexp', String.raw`^remote\.${remote}\.(receivepack|vcs)$`];
  if ((yield* gitSays(folder, own)) !== false) return 'helper';
  if (address.startsWith('file://')) return 'local';
  if (/^[\w.+-]+::/.test(address)) return 'helper';
  const [, scheme] = /^([\w.+-]+):\/\//.exec(address) ?? [];
  if (scheme !== undefined) return /^(?:ssh|git|git\+ssh|ssh\+git)$/.test(scheme) ? 'direct' : 'helper';
  return /^[^/]*:/.test(address) ? 'direct' : 'local';
}

/** A line by which git says that a ref was rejected, here or there; also with `--porcelain`. */
const REJECTED = /^ ?![ \t].*\[(?:remote )?rejected\]/gm;
/** The exit code of a push that was rejected; a lost connection is 128, but not with a helper. */
const REJECTED_CODE = 1;

/** Whether a push that ended so was surely not taken, and nobody works on it any longer. */
export function isOver(transport: Transport, { exitCode, output }: RunEnd, refCount: number): boolean {
  if (transport === 'local') return true;
  if (exitCode !== REJECTED_CODE || output.includes('[remote failure]')) return false;
  return transport === 'direct' || (output.match(REJECTED)?.length ?? 0) >= refCount;
}
