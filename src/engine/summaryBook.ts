// Summaries that were written for earlier calls of a task: the next call begins with the same messages, and gets the same
// summary again for nothing (and with it a prompt that a provider's cache knows). Kept in memory, bounded, newest last.
import type { ChatMessage } from '../core/chat.ts';
import { sha256Hex } from '../core/ledger/key.ts';
import type { Turn } from '../core/recovery/turns.ts';

interface Kept {
  readonly task: string;
  /** Number of messages that the conversation began with, and their checksum. */
  readonly length: number;
  readonly hash: string;
  readonly turns: readonly Turn[];
  readonly text: string;
}

/** A summary and the turns it stands for. */
export interface KnownSummary {
  readonly turns: readonly Turn[];
  readonly text: string;
}

const MOST_KEPT = 100;

export class SummaryBook {
  private kept: readonly Kept[] = [];

  /** The newest summary whose conversation these messages go on with; null: there is none. */
  find(task: string, messages: readonly ChatMessage[]): KnownSummary | null {
    const found = this.kept.findLast(
      (each) =>
        each.task === task && each.length <= messages.length && hashOf(messages.slice(0, each.length)) === each.hash,
    );
    return found ? { turns: found.turns, text: found.text } : null;
  }

  /** Keeps a summary of these turns of a conversation. */
  keep(task: string, messages: readonly ChatMessage[], turns: readonly Turn[], text: string): void {
    const length = Math.max(0, ...turns.map(({ to }) => to));
    const hash = hashOf(messages.slice(0, length));
    this.kept = [...this.kept, { task, length, hash, turns, text }].slice(-MOST_KEPT);
  }
}

function hashOf(messages: readonly ChatMessage[]): string {
  return sha256Hex(JSON.stringify(messages));
}
