// Seeded draws of the wall: a number or an id that depends on nothing but its parts, never on time or order of arrival.
// FNV-1a (Fowler, Noll, Vo) over the parts, finished with MurmurHash3's mixer so that near parts give far numbers.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A number in [0, 1) fixed by the parts. */
export function draw(...parts: readonly (string | number)[]): number {
  return hash(parts.join('\u0000')) / 2 ** 32;
}

/** `length` letters and digits fixed by the parts. */
export function drawId(length: number, ...parts: readonly (string | number)[]): string {
  const text = parts.join('\u0000');
  return Array.from({ length }, (_, i) => ALPHABET[hash(`${text}\u0000${i}`) % ALPHABET.length]).join('');
}

/** The same members in an order fixed by the parts. */
export function shuffle<T>(members: readonly T[], ...parts: readonly (string | number)[]): readonly T[] {
  return members
    .map((member, i) => ({ member, at: draw(...parts, i) }))
    .sort((a, b) => a.at - b.at)
    .map(({ member }) => member);
}

function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
