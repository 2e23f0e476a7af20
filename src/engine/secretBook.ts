// The secrets of this session and their placeholders, in memory alone. A placeholder is made by chance and tells nothing of
// its secret; the same secret has the same one until the session ends.
import { placeholderOf } from '../core/disclosure/placeholders.ts';
import type { SecretNames } from '../core/disclosure/scrub.ts';
import { sha256Hex } from '../core/ledger/key.ts';
import type { RandomPort } from './ports.ts';

/** Secrets that are looked for wherever they stand; older ones are then found only where something marks them. */
const MAX_KNOWN = 1000;
const MAX_SECRETS = 20_000;
const SALT_DRAWS = 8;
const PIECE_BREAKS = /[\s"'`,;/&@\\]+/;

export class SecretBook {
  private readonly random: RandomPort;
  private readonly placeholders = new Map<string, string>();
  private readonly everywhere = new Set<string>();
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
      known: () => [...this.everywhere],
    };
  }

  /** A secret that an answer has shown in clear comes back unmarked in the next request: from now on it is looked for. */
  wasRestored(secret: string): void {
    this.lookFor(secret);
  }

  private placeholderFor(secret: string): string {
    const known = this.placeholders.get(secret);
    if (known !== undefined) return known;
    if (this.salt === '') for (let draw = 0; draw < SALT_DRAWS; draw++) this.salt += `${this.random.next()} `;
    const placeholder = placeholderOf(sha256Hex(`${this.salt}${this.placeholders.size}`));
    if (this.placeholders.size >= MAX_SECRETS) this.forgetAll();
    this.placeholders.set(secret, placeholder);
    if (isDistinct(secret)) this.lookFor(secret);
    // What was found may hold more than the secret itself, or several: a key block's lines are secret without its head.
    for (const piece of [...secret.split(PIECE_BREAKS), ...secret.split(/\s*\n\s*/)])
      if (piece !== secret && isRandom(piece)) this.lookFor(piece);
    return placeholder;
  }

  private lookFor(secret: string): void {
    this.everywhere.delete(secret);
    this.everywhere.add(secret);
    const [oldest] = this.everywhere;
    if (this.everywhere.size > MAX_KNOWN && oldest !== undefined) this.everywhere.delete(oldest);
  }

  /** The next placeholders are made from a new salt: none is used twice. */
  private forgetAll(): void {
    this.placeholders.clear();
    this.everywhere.clear();
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
