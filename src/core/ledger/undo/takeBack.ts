// One file, one change of Belay to take back: what the file becomes. Where somebody changed it since, his changes are kept by a
// three-way merge (base: what Belay left, ours: what is there, theirs: what was there before Belay); what cannot be merged for
// certain is left. Pure; knows texts only by their hash until it is told them.
import { mergeThreeWay } from '../../edits/merge.ts';
import { encodeText } from '../../edits/textFormat.ts';
import type { TextFormat } from '../../edits/textFormat.ts';
import { sha256HexOfBytes } from '../key.ts';

/** What is known of the bytes of a hash. `unknown`: nobody has looked yet. */
export type KnownText =
  | { readonly kind: 'text'; readonly text: string; readonly format: TextFormat }
  | { readonly kind: 'not-text' }
  /** The bytes are not kept (any more). */
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'unknown' };

/** Content of a file: bytes that are kept or stand on the disk, or a text that a merge has made. */
export type Version =
  | { readonly kind: 'stored'; readonly hash: string }
  | { readonly kind: 'merged'; readonly hash: string; readonly text: string; readonly format: TextFormat };

/**
 * Why a file is left as it is. `changed`: both changed the same lines. `made`: Belay made it and somebody changed it since.
 * `occupied`: something else stands where a file belongs. `binary`: changed since and no text. `no-image`: the bytes that a
 * merge needs are not kept. `blocked`: it cannot be read or used. `waits`: another file that is left is in its way.
 */
export type LeftReason = 'changed' | 'made' | 'occupied' | 'binary' | 'no-image' | 'blocked' | 'waits';

/** What taking one change back makes of a file (version null: there is no file). */
export type TakenBack =
  | { readonly kind: 'done'; readonly version: Version | null; readonly isMerged: boolean }
  /** It is as it was before already. */
  | { readonly kind: 'already' }
  /** Somebody deleted the file: it stays deleted. */
  | { readonly kind: 'gone' }
  | LeftAsIs;

/** The file is left as it is. */
interface LeftAsIs {
  readonly kind: 'left';
  readonly reason: LeftReason;
  readonly message: string;
}

/** Hashes of what Belay found and left; null: no file. */
export interface Sides {
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
}

/** Asks for the text of a hash; an asked hash that is `unknown` is remembered by the caller and asked again later. */
export type TextOf = (hash: string) => KnownText;

/** Takes a change back from what is there now. `restoresDeleted`: also a file that somebody deleted since. */
export function takeBack(
  now: Version | null,
  { beforeHash, afterHash }: Sides,
  textOf: TextOf,
  restoresDeleted: boolean,
): TakenBack {
  const nowHash = now?.hash ?? null;
  const before: Version | null = beforeHash === null ? null : { kind: 'stored', hash: beforeHash };
  if (nowHash === afterHash) return { kind: 'done', version: before, isMerged: false };
  if (nowHash === beforeHash) return { kind: 'already' };
  if (now === null) return restoresDeleted ? { kind: 'done', version: before, isMerged: false } : { kind: 'gone' };
  if (afterHash === null) return left('occupied', 'something else stands there now');
  if (beforeHash === null)
    return left('made', 'it was changed since Belay made it; delete it yourself if nothing in it is wanted');
  return merged(now, beforeHash, afterHash, textOf);
}

/**
 * May what stands at the new place of a moved file go back to the old one? Null: yes, with whatever was changed in it since. A
 * file that has little of the moved one is another file, which somebody put there.
 */
export function movedBack(now: Version, movedHash: string, textOf: TextOf): LeftAsIs | null {
  if (now.hash === movedHash) return null;
  const [ours, base] = [
    now.kind === 'merged' ? ({ ...now, kind: 'text' } as const) : textOf(now.hash),
    textOf(movedHash),
  ];
  if (base.kind === 'missing' || base.kind === 'unknown' || ours.kind === 'missing' || ours.kind === 'unknown')
    return left('no-image', 'it was changed since it was moved, and what it was is not kept');
  if (base.kind === 'text' && ours.kind === 'text' && isMostlyKept(base.text, ours.text)) return null;
  return left('changed', 'what stands there now has too little of the file that was moved there');
}

/** Half of the lines, the measure by which git takes a file for a renamed one. */
const KEPT_RATIO = 0.5;

function isMostlyKept(base: string, now: string): boolean {
  const left = new Map<string, number>();
  for (const line of linesOf(now)) left.set(line, (left.get(line) ?? 0) + 1);
  const lines = linesOf(base);
  let keptCount = 0;
  for (const line of lines) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    keptCount++;
  }
  // Of no lines at all nothing is kept: 0 / 0 is not a number.
  return keptCount / lines.length >= KEPT_RATIO;
}

/** Lines that say something. */
function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

function merged(now: Version, beforeHash: string, afterHash: string, textOf: TextOf): TakenBack {
  const ours = now.kind === 'merged' ? ({ ...now, kind: 'text' } as const) : textOf(now.hash);
  const [base, theirs] = [textOf(afterHash), textOf(beforeHash)];
  const texts = [ours, base, theirs];
  const missing = texts.find((one) => one.kind === 'missing' || one.kind === 'unknown');
  if (missing) {
    const why = missing.kind === 'missing' ? `: ${missing.reason}` : '';
    return left('no-image', `it was changed since, and the bytes that a merge needs are not kept${why}`);
  }
  if (ours.kind !== 'text' || base.kind !== 'text' || theirs.kind !== 'text')
    return left('binary', 'it was changed since and is no text, so nothing can be merged');
  const format = formatOf(base.format, ours.format, theirs.format);
  if (!format) return left('changed', 'its encoding was changed both by Belay and since');
  const { text, conflicts } = mergeThreeWay(base.text, ours.text, theirs.text);
  const [first] = conflicts;
  if (first) {
    const more = conflicts.length > 1 ? ` and at ${conflicts.length - 1} more` : '';
    return left('changed', `the same lines were changed since (at line ${first.line}${more})`);
  }
  const bytes = encodeText(text, format);
  if (!bytes) return left('changed', 'its encoding cannot hold both the old text and what was written since');
  const hash = sha256HexOfBytes(bytes);
  if (hash === now.hash) return { kind: 'already' };
  const version: Version = hash === beforeHash ? { kind: 'stored', hash } : { kind: 'merged', hash, text, format };
  return { kind: 'done', version, isMerged: true };
}

/** Encodings merge like texts: the side that changed it wins; null where both did, differently. */
function formatOf(base: TextFormat, ours: TextFormat, theirs: TextFormat): TextFormat | null {
  if (isSame(ours, theirs) || isSame(base, theirs)) return ours;
  return isSame(base, ours) ? theirs : null;
}

function isSame(a: TextFormat, b: TextFormat): boolean {
  return a.encoding === b.encoding && a.hasMark === b.hasMark;
}

function left(reason: LeftReason, message: string): LeftAsIs {
  return { kind: 'left', reason, message };
}
