// What in the arguments of a tool call could name a file: the whole value, the words of a shell command with and without
// their quotes, the parts beside `=` and `:`. Too many words are found rather than too few; who knows the files decides.

/** Longer values are contents, not paths; their words are looked at all the same, but only from the workspace's root. */
const PATH_CHARS = 4096;
/** Folders that a conversation has changed to, newest first; older ones are forgotten. */
const MAX_BASES = 4;
/** Members of arguments that name a folder which the call's other paths are relative to. */
const FOLDER_NAMES =
  /^(?:cwd|workdir|work(?:ing)?_?dir(?:ectory)?|dir(?:ectory)?(?:_?path)?|root|path|base_?(?:path|dir)|folder)$/i;

/** The words of one tool call; `bases` are folders that relative words may be meant from. */
export function pathWords(texts: readonly string[], bases: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) {
    const bound = text.length <= PATH_CHARS ? bases : [];
    for (const word of wordsOf(text)) {
      words.add(word);
      if (!isAbsolute(word)) for (const base of bound) words.add(`${base}/${word}`);
    }
  }
  return words;
}

/** Folders that a tool call works in: those of its own arguments, and those that it changes to for later calls too. */
export interface CallFolders {
  readonly own: readonly string[];
  readonly changedTo: readonly string[];
}

/** Reads them. `known` are folders that earlier calls changed to; newest first. */
export function foldersOfCall(
  texts: readonly string[],
  members: readonly (readonly [name: string, value: string])[],
  known: readonly string[],
): CallFolders {
  const changes: string[] = [];
  for (const text of texts) {
    if (text.length > PATH_CHARS) continue;
    const words = shellWords(text);
    words.forEach((word, index) => {
      const next = words[index + 1];
      if (next !== undefined && CHANGES_FOLDER.test(word)) changes.push(next);
    });
  }
  // A folder is relative to the one before it.
  const chained = changes.flatMap((folder, index) => {
    const from = isAbsolute(folder) ? [] : [...changes.slice(0, index), ...known];
    return [folder, ...from.map((base) => `${base}/${folder}`)];
  });
  const changedTo = bounded([...chained, ...known]);
  const named = members.filter(([name, value]) => FOLDER_NAMES.test(name) && value.length <= PATH_CHARS);
  return { own: [...new Set([...bounded(named.map(([, value]) => value)), ...changedTo])], changedTo };
}

const CHANGES_FOLDER = /^(?:cd|pushd|chdir|-C|--directory|--cwd|--prefix)$/;

function bounded(folders: readonly string[]): readonly string[] {
  const clean = folders.map((folder) => folder.replace(/\/+$/, '')).filter((folder) => folder !== '' && folder !== '.');
  return [...new Set(clean)].slice(0, MAX_BASES);
}

const isAbsolute = (word: string): boolean => /^(?:[/\\]|[A-Za-z]:[/\\])/.test(word);

/** Where words end, whatever the shell. */
const BREAKS = /[\s"'`;|&<>(){}[\],=:@$!#*?]+/;
/** The same, but what a glob, an address or an option is written with belongs to the word. */
const SHELL_BREAKS = new Set(' \t\r\n;|&<>()');

function wordsOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const take = (word: string): void => {
    for (const form of formsOf(word)) if (form !== '' && form.length <= PATH_CHARS) found.add(form);
  };
  if (text.length <= PATH_CHARS) take(text.trim());
  for (const word of shellWords(text)) for (const each of alternatives(word)) take(each);
  for (const word of text.split(BREAKS)) take(word);
  return found;
}

/** As many words may come of one with braces. */
const MAX_ALTERNATIVES = 64;

/** `.{env,npmrc}` as a shell reads it. */
function alternatives(word: string): readonly string[] {
  let words: readonly string[] = [word];
  for (let depth = 0; depth < 4; depth++) {
    const next = words.flatMap((each) => {
      const braces = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(each);
      if (!braces) return [each];
      const [, before = '', inside = '', after = ''] = braces;
      return inside.split(',').map((choice) => before + choice + after);
    });
    if (next.length === words.length || next.length > MAX_ALTERNATIVES) break;
    words = next;
  }
  return words[0] === word ? words : [word, ...words];
}

/** A word and what is left of it without the ways in which paths are dressed up. */
function formsOf(word: string): readonly string[] {
  const slashed = word.includes('\\') ? [word, word.replaceAll('\\', '/'), word.replaceAll('\\', '')] : [word];
  // cmd's own way of protecting a character.
  if (word.includes('^')) slashed.push(word.replaceAll('^', ''));
  return slashed.flatMap((form) => {
    const bare = form
      .replace(/^file:(?:\/\/)?(?:localhost(?=\/))?/i, '')
      .replace(/^\$(?:PWD|\{PWD\}|\(pwd\))\//, '')
      .replace(/^[@:+]/, '');
    const value = /^-{1,2}[\w-]*[=:](.+)$/.exec(bare)?.[1] ?? /^-[A-Za-z](.+)$/.exec(bare)?.[1];
    const cut = bare.replace(/[.,;:!?)\]}]+$/, '');
    return [form, bare, cut, ...(value === undefined ? [] : [value]), ...(bare.includes('%') ? [unescaped(bare)] : [])];
  });
}

function unescaped(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** Words as a shell reads them: quotes joined and taken off, a backslash taken off before what it protects. */
function shellWords(text: string): readonly string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === quote) quote = '';
      else if (char === '\\' && quote === '"') word += text.charAt(++at);
      else word += char;
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '\\') {
      // A line that goes on: neither character is part of the word.
      const next = text.charAt(++at);
      if (next !== '\n') word += next;
    } else if (SHELL_BREAKS.has(char)) {
      if (word !== '') words.push(word);
      word = '';
    } else word += char;
  }
  if (word !== '') words.push(word);
  return words;
}
