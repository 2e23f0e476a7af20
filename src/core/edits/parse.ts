// From what an agent sent to the edit it means. Every form has its own parser; which one is told by the caller or seen from the
// text. A damaged or cut text is refused as a whole: the error names the line and what was expected there.
import type { EditSet } from './editSet.ts';
import { joinFiles } from './joinFiles.ts';
import { hasSearchMarker, parseBlocks } from './parseBlocks.ts';
import { looksLikeDiff, parseDiff } from './parseDiff.ts';
import { hasPatchMarker, parsePatch } from './parsePatch.ts';
import { parseWhole } from './parseWhole.ts';
import type { ParsedFiles } from './parsedFiles.ts';

/** The forms that agents send edits in. */
export type EditFormat = 'blocks' | 'diff' | 'apply-patch' | 'whole';

/** What the caller knows: the form, and the one file that the text is about. */
export interface ParseHint {
  readonly format?: EditFormat;
  readonly path?: string;
}

export type ParsedEdits =
  | { readonly ok: true; readonly set: EditSet; readonly format: EditFormat }
  | { readonly ok: false; readonly error: string };

/** Longer texts are not read: characters. */
const MAX_CHARS = 50_000_000;

/** Parses an edit. Never throws; all or nothing. */
export function parseEdits(text: string, hint: ParseHint = {}): ParsedEdits {
  if (text.length > MAX_CHARS)
    return { ok: false, error: `The edit is too long (${text.length} characters). Send it in parts.` };
  const format = hint.format ?? formatOf(text);
  if (format === null) {
    const error =
      'This is no edit in a form that is known. Send search/replace blocks, a unified diff, an apply_patch text, or a whole file in a fence with its name above.';
    return { ok: false, error };
  }
  const parsed = PARSERS[format](text, hint.path);
  if (!parsed.ok) return parsed;
  const joined = joinFiles(parsed.files);
  return joined.ok ? { ok: true, set: joined.set, format } : joined;
}

const PARSERS: Readonly<Record<EditFormat, (text: string, path?: string) => ParsedFiles>> = {
  blocks: parseBlocks,
  diff: parseDiff,
  'apply-patch': parsePatch,
  whole: parseWhole,
};

/** The most telling mark first: the others may be part of a file's text. */
function formatOf(text: string): EditFormat | null {
  const places = [
    { format: 'apply-patch' as const, at: hasPatchMarker(text) },
    { format: 'blocks' as const, at: hasSearchMarker(text) },
    { format: 'diff' as const, at: looksLikeDiff(text) },
  ].filter(({ at }) => at >= 0);
  const [first] = places.sort((a, b) => a.at - b.at);
  if (first) return first.format;
  return /^ {0,3}(?:`{3,}|~{3,})/m.test(text) ? 'whole' : null;
}
