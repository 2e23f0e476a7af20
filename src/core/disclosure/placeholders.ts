// What stands in a prompt for a secret, and how it is found again in an answer: exactly as it was made, or not at all. A
// placeholder that a model changed stays as it wrote it.

const PREFIX = 'BELAY_HIDDEN_';
const ID_CHARS = 24;
const LENGTH = PREFIX.length + ID_CHARS + 1;
const FORM = new RegExp(`${PREFIX}[0-9a-f]{${ID_CHARS}}_`, 'g');

/** The placeholder with this id: 24 hex digits that say nothing of the secret. */
export function placeholderOf(id: string): string {
  return `${PREFIX}${id.slice(0, ID_CHARS)}_`;
}

/** Whether a text is one placeholder and nothing else. */
export function isPlaceholder(text: string): boolean {
  return text.length === LENGTH && text.replace(FORM, '') === '';
}

/** All placeholders of a text. */
export function placeholdersIn(text: string): readonly string[] {
  return text.match(FORM) ?? [];
}

/** `text` with each placeholder that `secretOf` knows replaced by its secret. */
export function restoreText(text: string, secretOf: (placeholder: string) => string | undefined): string {
  return text.includes(PREFIX) ? text.replace(FORM, (placeholder) => secretOf(placeholder) ?? placeholder) : text;
}

/** How many characters at the end of `text` could be the beginning of a placeholder. */
function openChars(text: string): number {
  for (let length = Math.min(LENGTH - 1, text.length); length > 0; length--) {
    const tail = text.slice(-length);
    const head = tail.slice(0, PREFIX.length);
    if (PREFIX.startsWith(head) && /^[0-9a-f]*$/.test(tail.slice(PREFIX.length))) return length;
  }
  return 0;
}

/** Restores a text that comes in pieces: what could still become a placeholder waits for the next piece. */
export class RestoredStream {
  private readonly secretOf: (placeholder: string) => string | undefined;
  private held = '';

  constructor(secretOf: (placeholder: string) => string | undefined) {
    this.secretOf = secretOf;
  }

  /** The part that is known to be final now; may be empty. */
  push(piece: string): string {
    const text = restoreText(this.held + piece, this.secretOf);
    const length = openChars(text);
    this.held = text.slice(text.length - length);
    return text.slice(0, text.length - length);
  }

  /** What waited, as it is: nothing more comes. */
  end(): string {
    const { held } = this;
    this.held = '';
    return held;
  }
}
