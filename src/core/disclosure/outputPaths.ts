// Files that the output of a tool says it shows: at the head of lines, as headings, in the headers of differences, as members
// of JSON. Too many are found rather than too few, but not every word: an output may speak of a file without showing it.
import { mapJsonStrings } from './jsonStrings.ts';

const PATH = String.raw`([^\s:"'<>][^:"'<>\n]{0,400}?)`;
/** Ways in which outputs name the file whose lines follow; each with one group. */
const SHAPES: readonly RegExp[] = [
  // Searches: `path:line:text`, `path-line-text`, `path(line,column)`; also with a revision in front.
  /^([^\s:][^:\n]{0,400}?)(?::|-\d+-|\(\d+[,)])/gm,
  /^[^\s:]{1,200}:([^\s:][^:\n]{0,400}?)(?::|-\d+-)/gm,
  // A line of its own before numbered ones.
  /^(\S[^\n]{0,400}?)[ \t]{0,8}\r?\n(?=[ \t]{0,20}\d{1,9}[:\-\t|])/gm,
  // Differences: `diff --git a/x b/x`, `--- a/x`, `+++ b/x`, `rename to x`.
  /^diff --(?:git|cc|combined) (?:"?a\/)?(\S{1,400})/gm,
  /^diff --git .{0,400}? "?b\/(.{1,400}?)"?$/gm,
  /^(?:---|\+\+\+|\*\*\*) (?:"?[abciow]\/)?([^\t\n"]{1,400})/gm,
  /^(?:rename|copy) (?:from|to) (.{1,400})$/gm,
  // Headings: `==> x <==`, `## x`, `File: x`, `// x`, a fence with a name, a tag with an attribute.
  /^[=\->*#/ \t]{1,12}[ \t]([^\s=<>][^\n<>]{0,400}?)(?:[ \t]{0,8}<?[=\-*#]{1,12}|:)?[ \t]{0,8}$/gm,
  /^[ \t]{0,8}(?:file|filename|file ?path|path|source|uri)[ \t]{0,4}[:=][ \t]{0,4}["'`]?([^\n"'`]{1,400}?)["'`]?[ \t]{0,8}$/gim,
  new RegExp(String.raw`\b(?:file|file_?name|file_?path|path|src|source|uri|href|name)=["']${PATH}["']`, 'gi'),
  /^(?:```|~~~)[\w+-]{0,20}[ :{]{1,4}([^\n`{}]{1,400}?)\}?$/gm,
];

/** What is no path but a line of a program or of prose: several of its characters together stand in no name of a file. */
const CODE = /^\s*$|[;{}=|`"<>].*\s|\s.*[;{}=|`"<>]|(?:\s\S+){6}|[=;{}(,]$/s;

/** Members of a JSON output that name a file. */
const FILE_NAMES = /(?:file|path|uri|url|name|source|document|location)s?$/i;
/** Colours and links of terminals. */
// eslint-disable-next-line no-control-regex -- escape sequences begin with a control character
const ESCAPES = /\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g;

/** Paths that an output names as the place of what it shows, as they are written there. */
export function outputPaths(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const plain = plainText(text);
  for (const shape of SHAPES)
    for (const [, path = ''] of plain.matchAll(shape)) if (!CODE.test(path)) found.add(path.trim());
  if (/^\s*[[{]/.test(plain))
    for (const part of [plain, ...plain.split('\n')].filter(isObject))
      mapJsonStrings(part, (value, name) => {
        if (name === null ? /^[^\s]*[./\\][^\s]*$/.test(value) : FILE_NAMES.test(name))
          if (value.length <= 4096) found.add(value.replace(/^file:\/\//i, ''));
        return value;
      });
  return found;
}

const isObject = (line: string): boolean => /^\s*[[{]/.test(line);

/** Without escapes; a NUL ends a name as `:` does. */
function plainText(text: string): string {
  const shown = text.includes('\u001b') ? text.replace(ESCAPES, '') : text;
  return shown.includes('\0') ? shown.replaceAll('\0', ':') : shown;
}
