// Keeps a request from going in a circle: Belay -> a model of VS Code -> an extension that answers by asking Belay again.
// A request that arrives while the same last message is under way to a model of the editor may not be sent there again.
// It is careful: an innocent request with the same words at the same moment loses the editor's models, never an answer of
// others. A wrapper that rewrites short messages is not seen; the bulkhead of each candidate bounds what then happens.
import type { ChatMessage, ChatRequest } from '../../core/chat.ts';
import type { Controller } from '../../engine/controller.ts';

/** From this length on a message is known again inside a longer one. */
const KNOWN_INSIDE_CHARS = 64;

type Messages = Pick<ChatRequest, 'messages'>;

/** What is under way, by the words of the last message. */
export class LoopGuard {
  readonly #outgoing = new Map<string, number>();
  readonly #returned = new Map<string, number>();

  /** A request goes out to a model of the editor; call what comes back when it has ended. */
  sent(request: Messages): () => void {
    return hold(this.#outgoing, lastWords(request));
  }

  /** A request arrived at one of Belay's doors; call what comes back when it has been answered. */
  arrived(request: Messages): () => void {
    const words = lastWords(request);
    const isBack = [...this.#outgoing.keys()].some(
      (sent) => sent === words || (sent.length >= KNOWN_INSIDE_CHARS && words.includes(sent)),
    );
    return isBack ? hold(this.#returned, words) : () => undefined;
  }

  /** Whether this request is one that came back. */
  isLoop(request: Messages): boolean {
    return this.#returned.has(lastWords(request));
  }
}

/** The same controller, whose calls are seen by the guard. Belay's own tasks do not pass here: nobody has sent them. */
export function guardDoors(controller: Controller, guard: LoopGuard): Controller {
  const complete: Controller['complete'] = async function* (request, ...rest) {
    const answered = guard.arrived(request);
    try {
      yield* controller.complete(request, ...rest);
    } finally {
      answered();
    }
  };
  // Getters must stay alive: the settings change.
  return Object.defineProperties(
    { ...controller, complete },
    { settings: { get: () => controller.settings, enumerable: true } },
  );
}

function hold(counts: Map<string, number>, words: string): () => void {
  counts.set(words, (counts.get(words) ?? 0) + 1);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    const left = (counts.get(words) ?? 1) - 1;
    if (left === 0) counts.delete(words);
    else counts.set(words, left);
  };
}

/** The texts of the last message, with those of tool results; ids change on the way and do not count. */
function lastWords({ messages }: Messages): string {
  const last = messages.at(-1);
  return last === undefined ? '' : wordsOf(last).join('\n').trim();
}

function wordsOf(message: ChatMessage): readonly string[] {
  return message.content.flatMap((part): readonly string[] => {
    switch (part.type) {
      case 'text':
        return [part.text];
      case 'tool-result':
        return part.content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
      case 'tool-call':
        return [part.name, part.argsText];
      case 'image':
      case 'thinking':
        return [];
    }
  });
}
