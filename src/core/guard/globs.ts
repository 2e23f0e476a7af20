// Whether a shell pattern could match a given name. Linear in pattern times name; errs on the side of yes.

/** True where `*`, `?` and `[...]` in the pattern can stand for the name. A leading dot must be written out, as in the shell. */
export function globCouldMatch(pattern: string, name: string): boolean {
  if (name.startsWith('.') && /^[*?]/.test(pattern)) return false;
  let reachable = new Set([0]);
  for (let at = 0; at < pattern.length && reachable.size > 0; at += 1) {
    const char = pattern.charAt(at);
    const next = new Set<number>();
    if (char === '*') {
      const least = Math.min(...reachable);
      for (let i = least; i <= name.length; i += 1) next.add(i);
    } else {
      const close = char === '[' ? pattern.indexOf(']', at + 2) : -1;
      for (const i of reachable)
        if (i < name.length && (char === '?' || close > 0 || char === '\\' || name.charAt(i) === char)) next.add(i + 1);
      if (close > 0) at = close;
    }
    reachable = next;
  }
  return reachable.has(name.length);
}
