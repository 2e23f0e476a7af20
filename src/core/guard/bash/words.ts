// Turns a parsed bash word into the words the program will see, as far as that can be known from the text alone:
// quotes removed, simple braces expanded, names set exactly once to a literal filled in. All else is opaque.
import type { Word, WordPart } from 'unbash';
import { spend, type Walk } from '../walk.ts';
import { isNeverSet, isSetOnce } from './names.ts';
import { isCounter } from './numbers.ts';
import { literalWord, type ShellWord } from '../word.ts';

const MAX_CHOICES = 32;
const PLAIN_VALUE = /^[\w./:@%+,=~-]*$/;
const SIMPLE_BRACE = /^\{[\w./@+-]*(,[\w./@+-]*)+\}$/;

interface Draft {
  texts: string[];
  glob: boolean;
  opaque: boolean;
  splits: boolean;
  expanded: boolean;
  /** The first character comes from an expansion that may be anything. */
  opaqueStart: boolean;
  /** A brace that makes several words. */
  several: boolean;
}

/** The words one source word becomes; a word that cannot be known gives one opaque word. */
export function toShellWords(word: Word, walk: Walk): readonly ShellWord[] {
  const parts = word.parts;
  if (parts === undefined) return [literalWord(word.value)];
  const draft: Draft = {
    texts: [''],
    glob: false,
    opaque: false,
    splits: false,
    expanded: false,
    opaqueStart: false,
    several: false,
  };
  if (parts.length > 50) spend(walk, parts.length);
  for (const part of parts) addPart(draft, part, walk);
  return finish(draft);
}

/** As {@link toShellWords}, for places that take one word (a redirect target): several words give one opaque word. */
export function toShellWord(word: Word, walk: Walk): ShellWord {
  const words = toShellWords(word, walk);
  const only = words.length === 1 ? words[0] : undefined;
  return only ?? { kind: 'opaque', known: '', canBeOption: true, expanded: true, splits: true };
}

function finish(draft: Draft): readonly ShellWord[] {
  const known = draft.texts[0] ?? '';
  if (draft.opaque) {
    return [
      {
        kind: 'opaque',
        known,
        canBeOption: known.startsWith('-') || (known === '' && draft.opaqueStart),
        expanded: true,
        splits: draft.splits,
      },
    ];
  }
  const made = draft.texts.map((text): ShellWord =>
    draft.glob ? globWord(text, draft.expanded) : literalWord(text, draft.expanded),
  );
  if (made.length === 1 || draft.several) return made;
  const canBeOption = made.some((one) => one.canBeOption);
  return [{ kind: 'opaque', known: '', canBeOption, expanded: true, splits: false, choices: made }];
}

function globWord(text: string, expanded: boolean): ShellWord {
  // A pattern that begins with a wildcard also matches a file whose name begins with a dash.
  return { kind: 'glob', known: text, canBeOption: /^[-*?[]/.test(text), expanded, splits: true };
}

function addPart(draft: Draft, part: WordPart, walk: Walk): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      append(draft, part.value);
      return;
    case 'Glob':
      if (!draft.opaque) draft.glob = true;
      append(draft, part.text);
      return;
    case 'DoubleQuoted':
      if (part.parts.length === 0) append(draft, '');
      for (const child of part.parts) {
        if (child.type === 'Literal') append(draft, child.value);
        else addExpansion(draft, child, walk, true);
      }
      return;
    case 'ProcessSubstitution':
      draft.expanded = true;
      append(draft, '/dev/fd/');
      return;
    case 'BraceExpansion':
      addBrace(draft, part.text);
      return;
    case 'AnsiCQuoted':
    case 'LocaleString':
    case 'ExtendedGlob':
      makeOpaque(draft, false);
      return;
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
      addExpansion(draft, part, walk, false);
      return;
  }
}

function append(draft: Draft, text: string): void {
  if (!draft.opaque) draft.texts = draft.texts.map((before) => before + text);
}

function makeOpaque(draft: Draft, splits: boolean): void {
  if (!draft.opaque) {
    draft.opaqueStart = draft.texts.some((text) => text === '');
    if (draft.texts.length > 1) draft.texts = [''];
    if (draft.texts[0] === '') draft.opaqueStart = true;
  }
  draft.opaque = true;
  draft.expanded = true;
  draft.splits ||= splits;
}

function addBrace(draft: Draft, text: string): void {
  draft.expanded = true;
  if (draft.opaque || !SIMPLE_BRACE.test(text)) {
    makeOpaque(draft, true);
    return;
  }
  const alternatives = text.slice(1, -1).split(',');
  if (draft.texts.length * alternatives.length > MAX_CHOICES) {
    makeOpaque(draft, true);
    return;
  }
  draft.several = true;
  draft.texts = draft.texts.flatMap((before) => alternatives.map((alternative) => before + alternative));
}

function addExpansion(draft: Draft, part: Exclude<WordPart, { type: 'Literal' }>, walk: Walk, quoted: boolean): void {
  draft.expanded = true;
  const name = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/.exec(part.text);
  const variable = name?.[1] ?? name?.[2];
  if (isCounter(part.text)) {
    // Digits only: neither an option nor several words.
    const alone = !draft.opaque && draft.texts.length === 1;
    makeOpaque(draft, false);
    if (alone) draft.opaqueStart = false;
    return;
  }
  const values = draft.opaque || variable === undefined ? undefined : valuesOf(variable, walk);
  if (values === undefined && variable !== undefined && walk.names.numeric.has(variable)) {
    // One word of digits, perhaps with a sign.
    makeOpaque(draft, false);
    return;
  }
  if (values === undefined || values.length * draft.texts.length > MAX_CHOICES || draft.several) {
    // A list keeps its words apart even inside quotes.
    makeOpaque(draft, !quoted || part.text.includes('@'));
    return;
  }
  if (
    !quoted &&
    values.some((value) => value.kind !== 'literal' || !PLAIN_VALUE.test(value.known) || value.known === '')
  ) {
    makeOpaque(draft, true);
    return;
  }
  if (values.some((value) => value.kind === 'glob')) draft.glob = true;
  draft.texts = draft.texts.flatMap((before) => values.map((value) => before + value.known));
}

function valuesOf(name: string, walk: Walk): readonly ShellWord[] | undefined {
  const known = walk.variables.get(name);
  if (known !== undefined) return known;
  if (!isNeverSet(name, walk.names)) return undefined;
  if (name === 'HOME') return [literalWord('~', true)];
  const cwd = walk.cwds.length === 1 ? walk.cwds[0] : undefined;
  return name === 'PWD' && cwd !== undefined ? [literalWord(cwd, true)] : undefined;
}

/**
 * Remembers what a name can be, but only where the text sets it in one place and hides no other setting.
 * Then no loop, function or branch can give it another value before it is used.
 */
export function rememberVariable(name: string, values: readonly ShellWord[], walk: Walk): void {
  const usable =
    values.length > 0 &&
    values.length <= MAX_CHOICES &&
    values.every((value) => value.kind !== 'opaque' && !/[$`]/.test(value.known));
  if (usable && isSetOnce(name, walk.names)) walk.variables.set(name, values);
}
