// What of a conversation may be left out (HFR 4.4, L1). It is cut into turns: an answer with the results of its tool calls is
// one, so that no call loses its result. The person's first and last request and the newest turn always stay.
import type { ChatMessage } from '../chat.ts';

/** Begins every message that Belay puts in place of turns, for the one who reads it; what is a note is told by its mark alone. */
export const NOTE_MARK = '[Belay: context shortened]';

/** Messages `from` (included) to `to` (not included). */
export interface Turn {
  readonly from: number;
  readonly to: number;
  /** Must not be left out. */
  readonly isKept: boolean;
}

/** The turns of a conversation in order; together they are all of its messages. */
export function turnsOf(messages: readonly ChatMessage[]): readonly Turn[] {
  const starts: number[] = [];
  for (const [index, { role }] of messages.entries()) if (role !== 'tool' || index === 0) starts.push(index);
  const first = messages.findIndex(isRequest);
  const last = messages.findLastIndex(isRequest);
  return starts.map((from, nth) => {
    const to = starts[nth + 1] ?? messages.length;
    const isNewest = to === messages.length;
    const isOpen = hasOpenCall(messages.slice(from, to));
    return { from, to, isKept: isNewest || isOpen || from === first || from === last };
  });
}

/** A message of the person, not one that Belay put there. */
function isRequest(message: ChatMessage): boolean {
  return message.role === 'user' && !isNote(message);
}

/** A message that an earlier compression left. */
export function isNote(message: ChatMessage): boolean {
  return message.role === 'user' && message.isNote === true;
}

/** A call without its result, or the other way round: nothing is known of how it hangs together, so it stays. */
function hasOpenCall(messages: readonly ChatMessage[]): boolean {
  const calls: string[] = [];
  const results: string[] = [];
  for (const { content } of messages) {
    for (const part of content) {
      if (part.type === 'tool-call') calls.push(part.id);
      if (part.type === 'tool-result') results.push(part.callId);
    }
  }
  return calls.length !== results.length || calls.some((id) => !results.includes(id));
}

/** The messages without these turns, with `note` where the first of them was. */
export function withoutTurns(
  messages: readonly ChatMessage[],
  left: readonly Turn[],
  note: ChatMessage,
): readonly ChatMessage[] {
  const [first] = left;
  if (!first) return messages;
  return messages.flatMap((message, index) => {
    if (index === first.from) return [note];
    return left.some(({ from, to }) => index >= from && index < to) ? [] : [message];
  });
}

/**
 * Turns `now` of a conversation of which `left` were replaced by one note, as turns of the conversation before: a turn that
 * holds the note stands for all that the note stands for.
 */
export function turnsBefore(left: readonly Turn[], messageCount: number, now: readonly Turn[]): readonly Turn[] {
  const origins: (readonly Turn[])[] = [];
  for (let index = 0; index < messageCount; index++) {
    if (index === left[0]?.from) origins.push(left);
    else if (!left.some(({ from, to }) => index >= from && index < to))
      origins.push([{ from: index, to: index + 1, isKept: false }]);
  }
  return now.flatMap(({ from, to }) => origins.slice(from, to).flat());
}
