// Takes secrets out of text before it is shown or written: every key the session has handed out, and whatever looks
// like a key by its form (core's masks). It may take too much; it must never take too little of a known secret.
import { redactSecrets } from '../../core/ledger/redact.ts';

const MASK = '[secret]';
/** Shorter "secrets" would tear ordinary words out of the text. */
const MIN_SECRET_CHARS = 6;

/** Remembers the secrets of a session and removes them. */
export class Redactor {
  readonly #secrets = new Set<string>();

  /** From now on `secret` never passes `redact`. */
  learn(secret: string): void {
    if (secret.length >= MIN_SECRET_CHARS) this.#secrets.add(secret);
  }

  redact(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, MASK);
    return redactSecrets(clean);
  }
}
