// Prints edits in the forms that agents send, as the definitions of the forms say: the other half of the parsers, for tests.
import type { EditBlock, FileEdit, Hunk } from '../../src/core/edits/editSet.ts';

const MARKER = /^\\*(?:[<>=+-]{5,}(?:[ \t]|$)|:(?:start|end)_line:)/;

/** Lines of a text that ends with a line ending, or is empty. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.slice(0, -1).split('\n');
}

function escaped(text: string): string {
  return linesOf(text)
    .map((line) => (MARKER.test(line) ? `\\${line}\n` : `${line}\n`))
    .join('');
}

/** aider's form; `style` `cline` has its other markers. */
export function printBlocks(files: readonly FileEdit[], style: 'aider' | 'cline' = 'aider'): string {
  const [open, close] =
    style === 'aider' ? ['<<<<<<< SEARCH', '>>>>>>> REPLACE'] : ['------- SEARCH', '+++++++ REPLACE'];
  const print = ({ search, replace }: EditBlock): string =>
    `${open}\n${escaped(search)}=======\n${escaped(replace)}${close}\n`;
  return files
    .map((file) => (file.kind === 'blocks' ? `\`${file.path}\`\n${file.blocks.map(print).join('\n')}` : ''))
    .join('\n');
}

const SIGNS = { keep: ' ', remove: '-', add: '+' } as const;

/** The `apply_patch` form. */
export function printPatch(files: readonly FileEdit[]): string {
  return ['*** Begin Patch', ...files.flatMap(patchLines), '*** End Patch', ''].join('\n');
}

function patchLines(file: FileEdit): readonly string[] {
  switch (file.kind) {
    case 'create':
      return [`*** Add File: ${file.path}`, ...linesOf(file.text).map((line) => `+${line}`)];
    case 'delete':
      return [`*** Delete File: ${file.path}`];
    case 'move':
      return [`*** Update File: ${file.path}`, `*** Move to: ${file.moveTo}`];
    case 'hunks':
      return [
        `*** Update File: ${file.path}`,
        ...(file.moveTo === undefined ? [] : [`*** Move to: ${file.moveTo}`]),
        ...file.hunks.flatMap(patchHunk),
      ];
    case 'blocks':
    case 'whole':
      return [];
  }
}

function patchHunk({ anchors, lines, isAtEnd }: Hunk): readonly string[] {
  const heads = anchors.length === 0 ? ['@@'] : anchors.map((anchor) => `@@ ${anchor}`);
  const body = lines.map(({ kind, text }) => SIGNS[kind] + text);
  return [...heads, ...body, ...(isAtEnd ? ['*** End of File'] : [])];
}

/** A unified diff as git writes it. */
export function printDiff(files: readonly FileEdit[]): string {
  return files.flatMap(diffLines).join('\n') + '\n';
}

function diffLines(file: FileEdit): readonly string[] {
  const { path } = file;
  const to = ('moveTo' in file ? file.moveTo : undefined) ?? path;
  const head = `diff --git ${quoted(`a/${path}`)} ${quoted(`b/${to}`)}`;
  const rename = to === path ? [] : [`rename from ${quoted(path)}`, `rename to ${quoted(to)}`];
  switch (file.kind) {
    case 'hunks':
      return [head, ...rename, `--- ${quoted(`a/${path}`)}`, `+++ ${quoted(`b/${to}`)}`, ...hunkLines(file.hunks)];
    case 'move':
      return [head, 'similarity index 100%', ...rename];
    case 'create': {
      const mode = file.mode === undefined ? '100644' : `100${file.mode.toString(8)}`;
      return [head, `new file mode ${mode}`, ...wholeSide(file.text, ['/dev/null', quoted(`b/${path}`)], 'add')];
    }
    case 'delete':
      return [
        head,
        'deleted file mode 100644',
        ...(file.expected === '' ? ['index e69de29..0000000'] : []),
        ...wholeSide(file.expected ?? '', [quoted(`a/${path}`), '/dev/null'], 'remove'),
      ];
    case 'blocks':
    case 'whole':
      return [];
  }
}

function wholeSide(
  text: string,
  [before, after]: readonly [string, string],
  kind: 'add' | 'remove',
): readonly string[] {
  if (text === '') return [];
  const isEnded = text.endsWith('\n');
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n').map((line) => ({ kind, text: line }));
  const marks = { old: !isEnded && kind === 'remove', new: !isEnded && kind === 'add' };
  return [`--- ${before}`, `+++ ${after}`, ...hunkLines([{ oldStart: 1, anchors: [], lines, noNewlineAtEnd: marks }])];
}

function hunkLines(hunks: readonly Hunk[]): readonly string[] {
  let ahead = 0;
  return hunks.flatMap(({ oldStart, anchors, lines, noNewlineAtEnd: marks }) => {
    const old = lines.filter(({ kind }) => kind !== 'add').length;
    const fresh = lines.filter(({ kind }) => kind !== 'remove').length;
    const start = oldStart ?? 1;
    const numbers = `-${start - (old === 0 ? 1 : 0)},${old} +${start + ahead - (fresh === 0 ? 1 : 0)},${fresh}`;
    ahead += fresh - old;
    const lastOld = lines.findLastIndex(({ kind }) => kind !== 'add');
    const lastNew = lines.findLastIndex(({ kind }) => kind !== 'remove');
    const body = lines.flatMap(({ kind, text }, i) => {
      const isMarked = (marks?.old === true && i === lastOld) || (marks?.new === true && i === lastNew);
      return [SIGNS[kind] + text, ...(isMarked ? ['\\ No newline at end of file'] : [])];
    });
    const heading = anchors.length === 0 ? '' : ` ${anchors[0] ?? ''}`;
    return [oldStart === null ? `@@${heading}` : `@@ ${numbers} @@${heading}`, ...body];
  });
}

function quoted(path: string): string {
  if (!/[^\u0020-\u007e]|["\\]/.test(path)) return /[\s]/.test(path) && !path.includes('/') ? `"${path}"` : path;
  const bytes = [...new TextEncoder().encode(path)].map((byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    return byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte);
  });
  return `"${bytes.join('')}"`;
}

/** Whole files, each in a fence that is longer than any in it. */
export function printWhole(files: readonly FileEdit[]): string {
  return files
    .map((file) => {
      if (file.kind !== 'whole') return '';
      const longest = Math.max(2, ...[...file.text.matchAll(/`+/g)].map(([run]) => run.length));
      const fence = '`'.repeat(longest + 1);
      return `**\`${file.path}\`**\n\n${fence}\n${file.text}${fence}\n`;
    })
    .join('\n');
}
