// Unified diffs as git and diff write them, and as models write them: with wrong numbers, without headers, in fences, several
// files. What an edit of text cannot do (binary content, modes, copies, links) refuses the whole diff. Formats: git-diff(1),
// "generating patch text with -p"; GNU diffutils, unified format.
import { HUNK_START, isFileStart, readHunk, strayMessage } from './diffHunks.ts';
import { gitLinePaths, headerPath, NO_FILE, withoutPrefixes } from './diffPaths.ts';
import type { FileEdit, Hunk } from './editSet.ts';
import { isFence } from './fileNames.ts';
import { editLines, refusedAt, shown } from './parsedFiles.ts';
import type { ParsedFiles } from './parsedFiles.ts';

/** Where a diff starts; -1: nowhere. */
export function looksLikeDiff(text: string): number {
  const place = text.search(/^(?:diff --git |--- .+\r?\n\+\+\+ |@@ -\d)/m);
  return place;
}

/** One file of a diff while it is read. */
interface Section {
  readonly line: number;
  readonly git: readonly [string, string] | null;
  before: string | null;
  after: string | null;
  renameFrom: string | null;
  renameTo: string | null;
  newMode: number | null;
  isNew: boolean;
  isGone: boolean;
  isEmptyBlob: boolean;
  readonly hunks: Hunk[];
  readonly newStarts: (number | null)[];
}

type Outcome = { readonly ok: false; readonly error: string } | null;

/** Parses a diff. `path`: the file it is about, where its headers do not say or do not agree. */
export function parseDiff(text: string, path?: string): ParsedFiles {
  const lines = editLines(text);
  const files: FileEdit[] = [];
  let section: Section | null = null;
  let at = 0;
  const close = (): Outcome => {
    const edit = section ? editOf(section, path) : null;
    section = null;
    if (edit && 'error' in edit) return edit;
    if (edit) files.push(...edit.files);
    return null;
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (isFileStart(lines, at) && !(line.startsWith('--- ') && section !== null && isOpen(section))) {
      const closed = close();
      if (closed) return closed;
      section = sectionAt(lines, at);
      if (!line.startsWith('--- ')) {
        at++;
        continue;
      }
    }
    if (HUNK_START.test(line)) {
      section ??= sectionAt(lines, at);
      const read = readHunk(lines, at);
      if (!read.ok) return read;
      section.hunks.push(read.hunk);
      section.newStarts.push(read.newStart);
      at = read.end;
      continue;
    }
    const wrong: Outcome = line.startsWith('@@@')
      ? refusedAt(at, 'this is a diff of a merge. Expected a diff against one version.')
      : section
        ? readHeader(section, line, at)
        : strayHunkLine(lines, at);
    if (wrong) return wrong;
    at++;
  }
  const closed = close();
  if (closed) return closed;
  return files.length > 0
    ? { ok: true, files }
    : refusedAt(0, 'there is no hunk. Expected "--- a/file", "+++ b/file", and "@@" with lines.');
}

function sectionAt(lines: readonly string[], line: number): Section {
  const [, git] = /^diff --git (.*)$/.exec(lines[line] ?? '') ?? [];
  return {
    line,
    git: git === undefined ? null : gitLinePaths(git),
    before: null,
    after: null,
    renameFrom: null,
    renameTo: null,
    newMode: null,
    isNew: false,
    isGone: false,
    isEmptyBlob: false,
    hunks: [],
    newStarts: [],
  };
}

/** No hunk and no name yet: the `--- ` line belongs to this section. */
function isOpen({ hunks, before }: Section): boolean {
  return hunks.length === 0 && before === null;
}

/** Before the first file anything may stand, but for lines that only a damaged diff has there. */
function strayHunkLine(lines: readonly string[], at: number): Outcome {
  const line = lines[at] ?? '';
  return line.startsWith('+++ ') && at > 0 && !(lines[at - 1] ?? '').startsWith('--- ')
    ? refusedAt(at, 'a "+++ " line without a "--- " line above it. Expected both.')
    : null;
}

function readHeader(section: Section, line: string, at: number): Outcome {
  const [, word = '', rest = ''] =
    /^(--- |\+\+\+ |rename from |rename to |new file mode |deleted file mode |old mode |new mode |copy from |copy to |index |Binary files |GIT binary patch)(.*)$/.exec(
      line,
    ) ?? [];
  switch (word) {
    case '--- ':
    case '+++ ':
    case 'rename from ':
    case 'rename to ':
      return readPath(section, word, rest, at);
    case 'new file mode ':
      section.isNew = true;
      return readMode(section, rest, at);
    case 'deleted file mode ':
      section.isGone = true;
      return null;
    case 'index ':
      section.isEmptyBlob = /^e69de29\w*\.\.0+\b/.test(rest);
      return null;
    case 'old mode ':
    case 'new mode ':
      return refusedAt(
        at,
        'an edit cannot change the mode of a file. Leave the mode lines out and change it with a command.',
      );
    case 'copy from ':
    case 'copy to ':
      return refusedAt(at, 'an edit cannot copy a file. Send the copy as a new file with all of its text.');
    case 'Binary files ':
    case 'GIT binary patch':
      return refusedAt(
        at,
        'binary content cannot be edited as text. Leave this file out and change it with a command.',
      );
  }
  const isHarmless = section.hunks.length === 0 || isAside(line);
  return isHarmless ? null : refusedAt(at, strayMessage(line));
}

/** Lines that may stand between hunks: blank ones, fences, the signature of a mailed patch, and text that is plainly prose. */
function isAside(line: string): boolean {
  return (
    line.trim() === '' ||
    isFence(line) ||
    /^(?:-- ?$|\d+\.\d+|=+$|similarity |dissimilarity )/.test(line) ||
    /^[\p{L}*#>"'([]/u.test(line)
  );
}

function readPath(section: Section, word: string, rest: string, at: number): Outcome {
  const path = headerPath(rest);
  if (path === null) return refusedAt(at, `${shown(rest)} is no path. Expected the name of a file.`);
  if (word === '--- ') section.before = path;
  else if (word === '+++ ') section.after = path;
  else if (word === 'rename from ') section.renameFrom = path;
  else section.renameTo = path;
  return null;
}

function readMode(section: Section, rest: string, at: number): Outcome {
  const mode = rest.trim();
  if (mode !== '100644' && mode !== '100755' && mode !== '100664')
    return refusedAt(at, `mode ${mode} is no plain file. Links and submodules are not made by an edit; use a command.`);
  section.newMode = Number.parseInt(mode.slice(-3), 8);
  return null;
}

type SectionEdit = { readonly ok: false; readonly error: string } | { readonly files: readonly FileEdit[] };

/** What a section means, once it is over. */
function editOf(section: Section, given: string | undefined): SectionEdit {
  const { line, hunks, git } = section;
  if ((section.before === null) !== (section.after === null))
    return refusedAt(line, `the header of the file is incomplete. Expected both "--- " and "+++ ".`);
  if (!doNamesAgree(section))
    return refusedAt(line, 'the lines of this header name different files. Expected one file.');
  if (section.renameFrom !== null || section.renameTo !== null) return renameOf(section);
  const [before, after] =
    section.before !== null && section.after !== null
      ? withoutPrefixes(section.before, section.after)
      : [section.isNew ? NO_FILE : (git?.[0] ?? given ?? null), section.isGone ? NO_FILE : (git?.[1] ?? given ?? null)];
  if (before === null || after === null)
    return refusedAt(line, 'the hunks name no file. Expected "--- a/file" and "+++ b/file" above them.');
  const name = nameOf(section, { before, after }, given);
  if (name === null)
    return refusedAt(
      line,
      `${before} and ${after} are two names. Expected the same file on both lines, or "rename from" and "rename to".`,
    );
  if (before === NO_FILE) return additionOf(section, name);
  if (after === NO_FILE) return deletionOf(section, name);
  if (hunks.length === 0) return refusedAt(line, `the diff of ${name} has no hunk. Expected "@@" and lines.`);
  return { files: [{ kind: 'hunks', path: name, hunks: believed(section) }] };
}

/** The `--- ` and `+++ ` lines belong to the `diff --git ` or `rename` lines above them. */
function doNamesAgree({ before, after, git, renameFrom, renameTo }: Section): boolean {
  const above = renameFrom !== null && renameTo !== null ? [renameFrom, renameTo] : git;
  if (!above || before === null || after === null) return true;
  return withoutPrefixes(before, after).every((name, i) => name === NO_FILE || name === above[i]);
}

function nameOf(
  { git }: Section,
  { before, after }: { readonly before: string; readonly after: string },
  given: string | undefined,
): string | null {
  const isWhole = before === NO_FILE || after === NO_FILE;
  if (isWhole && before === after) return null;
  if (given !== undefined) return given;
  if (before === NO_FILE) return after;
  if (after === NO_FILE || before === after) return before;
  if (before === `${after}.orig` || before === `${after}.old` || before === `${after}.bak`) return after;
  return git && git[0] === git[1] ? git[0] : null;
}

function renameOf(section: Section): SectionEdit {
  const { line, renameFrom: path, renameTo: moveTo, hunks } = section;
  if (path === null || moveTo === null)
    return refusedAt(line, 'half of a rename. Expected both "rename from" and "rename to".');
  if (hunks.length === 0) return { files: [{ kind: 'move', path, moveTo }] };
  return { files: [{ kind: 'hunks', path, moveTo, hunks: believed(section) }] };
}

function additionOf({ line, hunks, newMode }: Section, path: string): SectionEdit {
  const steps = hunks.flatMap(({ lines }) => lines);
  if (steps.some(({ kind }) => kind !== 'add'))
    return refusedAt(line, `${path} is said to be new, but has old lines. Expected only lines that start with "+".`);
  const isUnended = hunks.at(-1)?.noNewlineAtEnd?.new === true;
  const mode = newMode === null || (newMode & 0o111) === 0 ? {} : { mode: newMode };
  return { files: [{ kind: 'create', path, text: textOf(steps, isUnended), ...mode }] };
}

function deletionOf({ line, hunks, isEmptyBlob }: Section, path: string): SectionEdit {
  const steps = hunks.flatMap(({ lines }) => lines);
  if (steps.some(({ kind }) => kind !== 'remove'))
    return refusedAt(
      line,
      `${path} is said to be deleted, but has new lines. Expected only lines that start with "-".`,
    );
  // Without its lines nobody knows what it is thought to hold, unless that is nothing.
  const isKnown = steps.length > 0 || isEmptyBlob;
  const expected = isKnown ? { expected: textOf(steps, hunks.at(-1)?.noNewlineAtEnd?.old === true) } : {};
  return { files: [{ kind: 'delete', path, ...expected }] };
}

function textOf(steps: Hunk['lines'], isUnended: boolean): string {
  const text = steps.map((step) => step.text).join('\n');
  return steps.length === 0 || isUnended ? text : `${text}\n`;
}

/** The hunks, with their numbers only where all of them agree with each other: a program wrote them then. */
function believed({ hunks, newStarts }: Section): readonly Hunk[] {
  let ahead = 0;
  let isRight = true;
  for (const [i, { oldStart, lines }] of hunks.entries()) {
    const newStart = newStarts[i] ?? null;
    if (oldStart === null || newStart === null || newStart !== oldStart + ahead) isRight = false;
    for (const { kind } of lines) ahead += kind === 'add' ? 1 : kind === 'remove' ? -1 : 0;
  }
  return isRight ? hunks : hunks.map((hunk) => ({ ...hunk, oldStart: null }));
}
