// Effects of the ledger that are not settled, in words that stay in every compressed context: a model that forgets them would do
// them again (HFR 4.4, main risk of L1; 4.5). The words are bounded, else what is open would be larger than what is left out:
// what there is no room to describe is named by its key alone, and none is left out.
import type { ChatMessage, ChatRequest } from '../chat.ts';
import type { EffectLevel, LedgerEntry } from '../ledger/entry.ts';
import { isNote, NOTE_MARK } from './turns.ts';

/** What of an entry is said. */
export type OpenEffect = Pick<LedgerEntry, 'key' | 'title' | 'state' | 'step' | 'level'>;

/** Effects are described with so many characters at most; titles are cut, so that the first one always has room. */
const DESCRIBED_CHARS = 1200;
const TITLE_CHARS = 120;
/** Of a key so much is told, here and in every message (core/ledger/transition). */
const KEY_CHARS = 12;

const GRAVITY: Readonly<Record<EffectLevel, number>> = { R0: 0, R1: 1, R2: 2, R3: 3 };

/**
 * One line for each effect that may have happened and is not known to have, those that cannot be taken back first; where they
 * are too many, one line with the keys of the others. Empty where there is none.
 */
export function openEffectLines(effects: readonly OpenEffect[]): readonly string[] {
  const open = effects.filter(isOpen).toSorted((a, b) => GRAVITY[b.level] - GRAVITY[a.level]);
  const described: string[] = [];
  let used = 0;
  for (const effect of open) {
    const line = lineOf(effect);
    used += line.length + 1;
    if (used > DESCRIBED_CHARS) break;
    described.push(line);
  }
  const others = open.slice(described.length);
  if (others.length === 0) return described;
  const keys = others.map(shortKey).join(' ');
  return [...described, `- and ${others.length} more that may have happened, by key: ${keys}`];
}

/** The message that stands for what was left out. `text` says what it was. */
export function noteMessage(text: string, effects: readonly OpenEffect[]): ChatMessage {
  const lines = openEffectLines(effects);
  const open = lines.length === 0 ? [] : ['Not settled:', ...lines];
  return { role: 'user', isNote: true, content: [{ type: 'text', text: [NOTE_MARK, text, ...open].join('\n') }] };
}

/** Whether every open effect is named in a note among the messages, described or by its key. */
export function namesAll(messages: ChatRequest['messages'], effects: readonly OpenEffect[]): boolean {
  const open = effects.filter(isOpen);
  const texts = messages
    .filter(isNote)
    .flatMap(({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
  return open.every((effect) => texts.some((text) => text.includes(shortKey(effect))));
}

function isOpen({ state }: OpenEffect): boolean {
  return state === 'PREPARED' || state === 'UNKNOWN';
}

function lineOf(effect: OpenEffect): string {
  const { title, state, step, level } = effect;
  const words = `- ${oneLine(title)} (step ${step}, ${level}, ${state}) [${shortKey(effect)}]`;
  return `${words}: it may have happened; look before it is done again`;
}

function shortKey({ key }: OpenEffect): string {
  return key.slice(0, KEY_CHARS);
}

/** The title of a command is its text, which may be a whole file. */
function oneLine(title: string): string {
  const line = title.replace(/\s+/gu, ' ').trim();
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).toWellFormed()}…` : line;
}
