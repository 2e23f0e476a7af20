// The probe of an append (`echo text >> file`, `tee -a`): length and hash of the file before, and the hash it has with the
// command's own text at its end. Same bytes is ABSENT, exactly old bytes and own text is COMMITTED. A file that is not text
// works as well, as long as it is small or its hash alone is asked for.
// Another writer of the same bytes looks the same: that is weighed in ../rivals.ts.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import { sha256Hex, utf8LengthBytes } from '../key.ts';
import { pathOf } from './paths.ts';
import { defineProbe, restOf } from './probe.ts';
import type { Scope, Verdict } from './probe.ts';
import { bytesOf, look } from './reading.ts';
import type { Facts, Looking } from './reading.ts';
import { printedText } from './script.ts';
import type { Step } from './script.ts';

const schema = z.object({
  /** Root of the workspace. */
  workspace: z.string(),
  path: z.string(),
  /** Bytes before; null: the file did not exist. */
  sizeBytes: z.number().int().nonnegative().nullable(),
  /** Hash of the whole file before. */
  prefixHash: z.string(),
  /** Length and hash of the exact text the command adds, never the text itself; null: not known from its words. */
  tail: z.object({ sizeBytes: z.number().int().nonnegative(), hash: z.string() }).nullable(),
  /** Hash of the file with the command's text at its end; null: not known. */
  afterHash: z.string().nullable().default(null),
  isAlone: z.boolean(),
});

export type AppendBaseline = z.infer<typeof schema>;

/** A command that only adds to the end of one file. */
interface AppendWords {
  readonly target: string;
  readonly tail: string | null;
}

/** Bytes of larger files are not read, so that only ABSENT can be told of them. */
const MAX_READ_BYTES = 4 * 1024 * 1024;
const NO_BYTES = new Uint8Array();

export const appendProbe = defineProbe<AppendWords, AppendBaseline>({
  kind: 'append',
  schema,
  plan: appendWords,
  targets: ({ target }) => [target],
  before: appendBefore,
  *after(data) {
    const seen = yield* look(data.path);
    return seen.ok ? compareAppend(data, seen.value) : { says: 'UNKNOWN', detail: seen.error };
  },
  footprint: ({ workspace, path }) => ({ workspace, paths: [path], refs: [], runsPrograms: false }),
});

function appendWords({ words, output, input }: Step): AppendWords | null {
  const [name, ...rest] = words;
  if (output?.isAppend && (name === 'echo' || name === 'printf' || name === 'cat')) {
    if (name === 'cat' && rest.length > 0) return null;
    return { target: output.path, tail: printedText({ words, input }) };
  }
  const [flag, target, ...more] = rest;
  if (name !== 'tee' || output || more.length > 0 || target === undefined) return null;
  return flag === '-a' || flag === '--append' ? { target, tail: input } : null;
}

function* appendBefore({ target, tail }: AppendWords, scope: Scope): Looking<AppendBaseline | null> {
  const path = yield* pathOf(scope, target);
  if (path === null) return null;
  const seen = yield* look(path);
  if (!seen.ok || (seen.value.kind !== 'file' && seen.value.kind !== 'missing')) return null;
  const { kind, hash, sizeBytes } = seen.value;
  const isRead = tail !== null && hash !== null && sizeBytes > 0 && sizeBytes <= MAX_READ_BYTES;
  const read = isRead ? yield* bytesOf(path, hash) : null;
  const bytes = read?.ok ? read.value : sizeBytes === 0 ? NO_BYTES : null;
  return {
    workspace: scope.workspace,
    path,
    sizeBytes: kind === 'missing' ? null : sizeBytes,
    prefixHash: hash ?? sha256Hex(''),
    tail: tail === null ? null : { sizeBytes: utf8LengthBytes(tail), hash: sha256Hex(tail) },
    afterHash: tail === null || !bytes ? null : bytesToHex(sha256(concatBytes(bytes, utf8ToBytes(tail)))),
    isAlone: scope.isAlone,
  };
}

/** Compares a file with what it was before an append. */
export function compareAppend(before: AppendBaseline, now: Facts): Verdict {
  const { path, tail } = before;
  const unknown = (detail: string): Verdict => ({ says: 'UNKNOWN', detail });
  if (now.kind === 'missing') {
    if (before.sizeBytes === null) return { says: 'ABSENT', detail: `${path} still does not exist` };
    return unknown(`${path} has disappeared`);
  }
  if (now.kind !== 'file') return unknown(`${path} is no file any more`);
  const size = before.sizeBytes ?? 0;
  if (now.hash === before.prefixHash) {
    if (before.sizeBytes === null) return unknown(`${path} was created but is empty`);
    return { says: 'ABSENT', detail: `${path} is as it was (${size} bytes)` };
  }
  const grown = now.sizeBytes - size;
  if (now.hash === before.afterHash && tail?.sizeBytes === grown) {
    const detail = `${path} grew by exactly the ${grown} bytes of this command${restOf(before.isAlone)}`;
    return { says: 'COMMITTED', detail };
  }
  if (grown <= 0) return unknown(`what was in ${path} before has changed`);
  return unknown(`${path} grew by ${grown} bytes that this command alone does not explain`);
}
