// Effects of the ledger that are not settled, in words that stay in every compressed context: a model that forgets them would do
// them again (HFR 4.4, main risk of L1; 4.5).
import type { ChatMessage, ChatRequest } from '../chat.ts';
import type { LedgerEntry } from '../ledger/entry.ts';
import { NOTE_MARK } from './turns.ts';

/** What of an entry is said. */
export type OpenEffect = Pick<LedgerEntry, 'title' | 'state' | 'step' | 'level'>;

/** One line for each effect that may have happened and is not known to have; empty where there is none. */
export function openEffectLines(effects: readonly OpenEffect[]): readonly string[] {
  return effects
    .filter(({ state }) => state === 'PREPARED' || state === 'UNKNOWN')
    .map(
      ({ title, state, step, level }) =>
        `- ${title} (step ${step}, ${level}, ${state}): it may have happened; look before it is done again`,
    );
}

/** The message that stands for what was left out. `text` says what it was. */
export function noteMessage(text: string, effects: readonly OpenEffect[]): ChatMessage {
  const lines = openEffectLines(effects);
  const open = lines.length === 0 ? [] : ['Not settled:', ...lines];
  return { role: 'user', content: [{ type: 'text', text: [NOTE_MARK, text, ...open].join('\n') }] };
}

/** Whether every open effect is named somewhere in the messages. */
export function namesAll(messages: ChatRequest['messages'], effects: readonly OpenEffect[]): boolean {
  const open = openEffectLines(effects);
  if (open.length === 0) return true;
  const texts = messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
  return open.every((line) => texts.some((text) => text.includes(line)));
}
