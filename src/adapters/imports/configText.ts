// From the text of a configuration file to a YAML document that is safe to read: bounded in size, nesting and entries.
// The YAML reader is recursive and compares all keys of an object with each other, so the bounds are checked on its
// tokens first. Problems never quote the text: it may hold a token.
import { Lexer, LineCounter, parseDocument, Parser, type Document } from 'yaml';
import type { Result } from '../../engine/ports.ts';

/** A thousand candidates written out in full take about 200 kB. */
const MAX_CHARS = 1_048_576;
/** Settings nest six levels deep. */
const MAX_DEPTH = 64;
/** Entries of one list or object. */
const MAX_ENTRIES = 1000;
/** Values that may be made from `*aliases`, by the count of the YAML reader. */
const MAX_ALIASES = 100;

/** What is wrong, and where; 0 is the beginning. */
export interface TextProblem {
  readonly offset: number;
  readonly message: string;
}

/** A document, and what its positions mean. */
export interface ConfigText {
  readonly document: Document;
  readonly lines: LineCounter;
  /** The plain value of the whole. */
  readonly root: unknown;
}

/** Reads the text; `lines` of the problems are those of the text. */
export function readConfigText(
  text: string,
): Result<ConfigText, { readonly problems: readonly TextProblem[]; readonly lines: LineCounter }> {
  const lines = new LineCounter();
  const refuse = (...problems: readonly TextProblem[]): ReturnType<typeof readConfigText> => ({
    ok: false,
    error: { problems, lines },
  });
  const excess = excessOf(text, lines);
  if (excess) return refuse(excess);
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0)
    return refuse(...wrong.map(({ pos, code, message }) => ({ offset: pos[0], message: plainMessage(code, message) })));
  try {
    const root: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (isTooDeep(root)) return refuse({ offset: 0, message: `nests more than ${MAX_DEPTH} levels deep` });
    return { ok: true, value: { document, lines, root } };
  } catch {
    return refuse({
      offset: 0,
      message: 'has aliases (*name) that lead nowhere, to themselves or to too much; write the values out',
    });
  }
}

/** The first bound that the text passes, or null. Reads tokens, so it takes no stack. */
function excessOf(text: string, lines: LineCounter): TextProblem | null {
  if (text.length > MAX_CHARS) return { offset: 0, message: `is larger than ${MAX_CHARS} characters` };
  const parser = new Parser(lines.addNewLine);
  for (const token of new Lexer().lex(text)) {
    for (const _ of parser.next(token)) {
      // Finished documents are of no interest here.
    }
    const offset = parser.offset;
    if (parser.stack.length > MAX_DEPTH) return { offset, message: `nests more than ${MAX_DEPTH} levels deep` };
    const open = parser.stack.at(-1);
    if (open && 'items' in open && open.items.length > MAX_ENTRIES)
      return { offset, message: `has more than ${MAX_ENTRIES} entries in one list or object` };
  }
  // The parser proper counts the lines again.
  lines.lineStarts.length = 0;
  return null;
}

/** Aliases can nest deeper than the text does. */
function isTooDeep(root: unknown): boolean {
  const depths = new Map<object, number>();
  const open: (readonly [value: unknown, depth: number])[] = [[root, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    if (typeof value !== 'object' || value === null || (depths.get(value) ?? -1) >= depth) continue;
    if (depth > MAX_DEPTH) return true;
    depths.set(value, depth);
    for (const inner of Object.values(value)) open.push([inner, depth + 1]);
  }
  return false;
}

/** The reader's own words, without what it quotes from the text or says to programmers. */
function plainMessage(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'has more than one document; remove what begins with ---';
  return message.replace(/: ?["'`].*$/s, '');
}
