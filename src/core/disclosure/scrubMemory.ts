// What was found out about texts: a conversation comes again with each of its turns, and only what is new in it has to be
// looked through. In memory alone, of a bounded size; forgetting costs time, never a secret.
import { findSecrets, type Span } from './secrets.ts';

/** Characters of all remembered texts together. */
const MAX_CHARS = 16_000_000;

/** Secrets that are looked for wherever they stand, in the order in which they became known. */
export interface KnownSecrets {
  /** How many have become known so far; counts on when older ones are no longer looked for. */
  readonly count: number;
  /** Those that became known after the first `count`, as far as they are still looked for. */
  since(count: number): readonly string[];
}

interface Looked {
  readonly marked: readonly Span[];
  readonly held: Set<string>;
  knownCount: number;
}

export class ScrubMemory {
  private readonly texts = new Map<string, Looked>();
  private chars = 0;

  /** Parts of `text` that look like secrets. */
  marked(text: string): readonly Span[] {
    return this.look(text).marked;
  }

  /** All parts that are to be replaced: those, and each known secret that stands there as a whole word. */
  spans(text: string, known: KnownSecrets): readonly Span[] {
    const looked = this.look(text);
    if (looked.knownCount < known.count) {
      for (const secret of known.since(looked.knownCount)) if (text.includes(secret)) looked.held.add(secret);
      looked.knownCount = known.count;
    }
    if (looked.held.size === 0) return looked.marked;
    return [...looked.marked, ...[...looked.held].flatMap((secret) => wholeSpans(text, secret))];
  }

  /** Oldest first out: what came again is young. */
  private look(text: string): Looked {
    const looked = this.texts.get(text) ?? { marked: findSecrets(text), held: new Set<string>(), knownCount: 0 };
    if (!this.texts.delete(text)) this.chars += text.length;
    this.texts.set(text, looked);
    for (const oldest of this.texts.keys()) {
      if (this.chars <= MAX_CHARS || oldest === text) break;
      this.texts.delete(oldest);
      this.chars -= oldest.length;
    }
    return looked;
  }
}

/** Where a secret stands, but not in the middle of a longer word. */
function wholeSpans(text: string, secret: string): readonly Span[] {
  const isWord = (at: number): boolean => /\w/.test(text.charAt(at));
  const spans: Span[] = [];
  for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + 1)) {
    const end = start + secret.length;
    if (!(isWord(start) && isWord(start - 1)) && !(isWord(end - 1) && isWord(end))) spans.push({ start, end });
  }
  return spans;
}
