// The secrets of this session and their placeholders, in memory alone. A placeholder is made by chance and tells nothing of
// its secret; the same secret has the same one until the session ends.
import { placeholderOf, placeholdersIn } from '../core/disclosure/placeholders.ts';
import type { SecretNames } from '../core/disclosure/scrub.ts';
import { ScrubMemory, type KnownSecrets } from '../core/disclosure/scrubMemory.ts';
import { sha256Hex } from '../core/ledger/key.ts';
import type { RandomPort } from './ports.ts';

/** Secrets that are looked for wherever they stand; older ones are then found only where something marks them. */
const MAX_KNOWN = 1000;
const MAX_SECRETS = 20_000;
const SALT_DRAWS = 8;
/** Texts of answers that were shown with secrets in clear. */
const MAX_SHOWN = 500;
const PIECE_BREAKS = /[\s"'`,;/&@\\]+/;

export class SecretBook {
  private readonly random: RandomPort;
  private readonly placeholders = new Map<string, string>();
  private readonly secrets = new Map<string, string>();
  private readonly everywhere = new Map<string, number>();
  private readonly shown = new Map<string, string>();
  private memory = new ScrubMemory();
  private knownCount = 0;
  private salt = '';

  constructor(random: RandomPort) {
    this.random = random;
  }

  /** Names for one request; `used` collects what of them went into it. */
  namesFor(used: Map<string, string>): SecretNames {
    return {
      placeholderFor: (secret) => {
        const placeholder = this.placeholderFor(secret);
        used.set(placeholder, secret);
        return placeholder;
      },
      known: this.known(),
      writtenAs: (shown) => {
        const written = this.shown.get(shown);
        if (written === undefined) return null;
        for (const placeholder of placeholdersIn(written)) {
          const secret = this.secrets.get(placeholder);
          if (secret !== undefined) used.set(placeholder, secret);
        }
        return written;
      },
      memory: this.memory,
    };
  }

  /**
   * A secret that an answer has shown in clear comes back unmarked in the next request: from now on it is looked for, but for
   * words so ordinary that looking for them would tear everything apart. Those come back as part of what was shown.
   */
  wasRestored(secret: string): void {
    if (!isOrdinary(secret)) this.lookFor(secret);
  }

  /** A whole text of an answer, as the model wrote it and as the caller got it. */
  wasShown(written: string, shown: string): void {
    if (written === shown) return;
    this.shown.delete(shown);
    this.shown.set(shown, written);
    const [oldest] = this.shown.keys();
    if (this.shown.size > MAX_SHOWN && oldest !== undefined) this.shown.delete(oldest);
  }

  private known(): KnownSecrets {
    const { everywhere } = this;
    const count = (): number => this.knownCount;
    return {
      get count() {
        return count();
      },
      since: (from) => {
        if (from === 0) return [...everywhere.keys()];
        // The newest come last.
        return [...everywhere].flatMap(([secret, number]) => (number > from ? [secret] : []));
      },
    };
  }

  private placeholderFor(secret: string): string {
    const known = this.placeholders.get(secret);
    if (known !== undefined) return known;
    if (this.salt === '') for (let draw = 0; draw < SALT_DRAWS; draw++) this.salt += `${this.random.next()} `;
    const placeholder = placeholderOf(sha256Hex(`${this.salt}${this.placeholders.size}`));
    if (this.placeholders.size >= MAX_SECRETS) this.forgetAll();
    this.placeholders.set(secret, placeholder);
    this.secrets.set(placeholder, secret);
    if (isDistinct(secret)) this.lookFor(secret);
    // What was found may hold more than the secret itself, or several: a key block's lines are secret without its head.
    for (const piece of [...secret.split(PIECE_BREAKS), ...secret.split(/\s*\n\s*/)])
      if (piece !== secret && isRandom(piece)) this.lookFor(piece);
    return placeholder;
  }

  private lookFor(secret: string): void {
    const number = this.everywhere.get(secret) ?? ++this.knownCount;
    this.everywhere.delete(secret);
    this.everywhere.set(secret, number);
    const [oldest] = this.everywhere.keys();
    if (this.everywhere.size > MAX_KNOWN && oldest !== undefined) this.everywhere.delete(oldest);
  }

  /** The next placeholders are made from a new salt: none is used twice. */
  private forgetAll(): void {
    this.placeholders.clear();
    this.secrets.clear();
    this.everywhere.clear();
    this.shown.clear();
    this.memory = new ScrubMemory();
    this.salt = '';
  }
}

/** No ordinary word, so that replacing it everywhere tears nothing apart. */
function isDistinct(secret: string): boolean {
  return secret.length >= 20 || (secret.length >= 8 && /\d|[^A-Za-z]|[a-z][A-Z]/.test(secret));
}

/** Long enough, and mixed as chance mixes. */
function isRandom(piece: string): boolean {
  return piece.length >= 32 || (piece.length >= 16 && /\d/.test(piece) && /[A-Za-z]/.test(piece));
}

/** A word or a number that stands in many texts without being a secret there. */
function isOrdinary(secret: string): boolean {
  return secret.length < 20 && /^(?:[A-Z]?[a-z]+|[A-Z]+|\d{1,7})$/.test(secret);
}
