// Names of files: which of them a disk takes for the same, and which Windows does not take at all.
// Sources: Microsoft, "Naming Files, Paths, and Namespaces"; Unicode Standard Annex 15 (normalization forms).

/** Equal for names that some disk takes for one: letter case and Unicode normalisation are taken away. */
export function foldedName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** Other spellings under which a disk that does not tell case or normalisation apart would know this name. */
export function otherSpellings(name: string): readonly string[] {
  const spellings = new Set([swappedCase(name), name.normalize('NFC'), name.normalize('NFD')]);
  spellings.delete(name);
  return [...spellings];
}

/** The first letter that has another case, in that case: enough to ask a disk whether it minds. */
function swappedCase(name: string): string {
  const letters = Array.from(name);
  for (const [i, letter] of letters.entries()) {
    const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
    if (other !== letter && other.length === letter.length) return letters.with(i, other).join('');
  }
  return name;
}

const DEVICES = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])$/i;

/** Why Windows would not keep a file under this name, or under another than asked; null: it does. */
export function windowsTrouble(name: string): string | null {
  const stem = (name.split('.', 1)[0] ?? '').trimEnd();
  if (DEVICES.test(stem)) return 'is the name of a device on Windows';
  if (/[. ]$/.test(name)) return 'ends in a dot or a space, which Windows drops';
  if (name.includes(':')) return 'holds a colon, which names a hidden stream on Windows';
  // eslint-disable-next-line no-control-regex -- these are the characters that the rule is about
  if (/[<>"|?*\u0000-\u001f]/.test(name)) return 'holds a character that Windows does not take';
  return null;
}

/** Is this the name of Git's own folder, as Git, NTFS or HFS+ would read it? */
export function isGitName(name: string): boolean {
  const plain = name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').replace(/(:.*|[. ]+)$/, '');
  return ['.git', 'git~1'].includes(plain.toLowerCase());
}
