// Compilers: they start other programs and load plugins by option, so every option must be on the list, and a file of options
// (@file) is R3. What is compiled is only written; running it is another command. Source: the GCC, rustc and javac manuals.
import { note } from '../effects.ts';
import { locate } from '../paths.ts';
import type { Call } from '../rules/match.ts';
import { noteWrite, type Stdin, type Walk } from '../walk.ts';
import { wordTail, type ShellWord } from '../word.ts';
import type { Claim } from './inspector.ts';

const C_FLAGS =
  /^-(c|S|E|g\d?|O[0-3sgz]?|Ofast|W[a-z][a-z0-9+=-]*|std=[a-z0-9+:]+|f(PIC|pic|PIE|pie|no-exceptions|no-rtti|no-strict-aliasing|omit-frame-pointer|no-omit-frame-pointer|sanitize=[a-z,]+|openmp|diagnostics-color(=\w+)?|visibility=\w+|stack-protector(-\w+)?)|m(32|64|arch=[\w-]+|tune=[\w-]+)|D\w+(=[\w."+-]*)?|U\w+|l[\w.+-]+|[IL][\w./-]+|pthread|shared|static|pipe|v|pedantic|P|w|s|dumpversion|dumpmachine)$/;
const OTHER_FLAGS =
  /^(-g|-O|-O2|-C(opt-level|debuginfo)=\w+|--edition(=\d+)?|--crate-type(=\w+)?|--crate-name(=\w+)?|--emit=[\w,-]+|-parameters|-Xlint(:[\w,-]+)?|-source|-target|--release|-deprecation|-nowarn|-encoding|-Werror|-c|-i|-p)$/;
const PLAIN_VALUE =
  /^(--edition|--crate-type|--crate-name|-source|-target|--release|-encoding|-cp|-classpath|-I|-L|-D|-U)$/;

/** Judges a compiler's words one by one; the row of the table gives the level. */
export function inspectCompiler(call: Call, _stdin: Stdin, walk: Walk): Claim {
  const isC = /^(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)$/.test(call.program);
  const { words } = call;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i];
    if (word === undefined) break;
    const { known } = word;
    if (word.kind === 'opaque' || word.canBeOption !== known.startsWith('-') || known.startsWith('@'))
      return refuse(walk, `${call.program} takes options that are known only when it runs or stand in a file`);
    if (!known.startsWith('-')) continue;
    if (/^(-o|-d)$/.test(known) || /^--\w+_out$/.test(known)) {
      i += 1;
      writes(words[i], walk);
    } else if (/^-o./.test(known) || /^--\w+_out=/.test(known)) {
      writes(wordTail(word, known.startsWith('-o') ? 2 : known.indexOf('=') + 1), walk);
    } else if (PLAIN_VALUE.test(known)) {
      i += 1;
      if (words[i]?.kind !== 'literal') return refuse(walk, `${call.program} ${known} with a value that is not known`);
    } else if (!(isC ? C_FLAGS : OTHER_FLAGS).test(known) || /^-W[alp],/.test(known) || leadsOut(known, walk)) {
      return refuse(walk, `${call.program} ${known} is not known to the guard`);
    }
  }
  note(walk.findings, { level: 'R1', reason: `${call.program} compiles`, kind: 'write-file', rule: 'compile' });
  writes({ kind: 'literal', known: '.', canBeOption: false, expanded: false, splits: false }, walk);
  return 'claimed';
}

/** A directory searched for headers or libraries may be anywhere, but not one anyone may write to. */
function leadsOut(known: string, walk: Walk): boolean {
  const path = /^-[IL](.+)$/.exec(known)?.[1];
  if (path === undefined) return false;
  const { place } = locate({ kind: 'literal', known: path, canBeOption: false, expanded: false, splits: false }, walk);
  return place !== 'inside';
}

function writes(word: ShellWord | undefined, walk: Walk): void {
  if (word !== undefined)
    noteWrite(walk, word, { level: 'R1', kind: 'write-file', verb: 'the compiler writes', isOwnOutput: true });
}

function refuse(walk: Walk, reason: string): Claim {
  note(walk.findings, { level: 'R3', reason, kind: 'run-hidden-text' });
  return 'claimed';
}
