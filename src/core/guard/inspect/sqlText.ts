// Splits SQL into statements with comments, strings and quoted names taken out. Dialects disagree about backslashes, `#`, nested
// comments, dollar quotes and `--` without a blank; where they do, the answer is undefined and the caller says R3. One pass.

/** Statements with every string as `''` and every quoted name as `q`; undefined where a dialect could read it otherwise. */
export function splitSql(text: string): readonly string[] | undefined {
  const statements: string[] = [];
  let bare: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char === "'" || char === '"' || char === '`') {
      const end = quoteEnd(text, at);
      if (end === undefined) return undefined;
      bare.push(char === "'" ? "''" : ' q ');
      // A quoted name that is called, or quotes that touch a word, are read differently from place to place.
      if (char !== "'" && /^\s*\(/.test(text.slice(end + 1, end + 40))) return undefined;
      if (/[\w'"`]/.test(text.charAt(end + 1)) || (char === "'" && /\w/.test(text.charAt(at - 1)))) return undefined;
      at = end;
    } else if (char === '-' && next === '-') {
      if (!/^\s?$/.test(text.charAt(at + 2))) return undefined;
      const found = text.indexOf('\n', at);
      const end = found < 0 ? text.length : found;
      if (text.slice(at, end).includes('\\')) return undefined;
      at = end;
      bare.push(' ');
    } else if (char === '/' && next === '*') {
      const end = text.indexOf('*/', at + 2);
      const inside = text.slice(at + 2, end);
      if (end < 0 || /^[!+]/.test(inside) || /\/\*|\\/.test(inside)) return undefined;
      at = end + 1;
      bare.push(' ');
    } else if (char === ';') {
      statements.push(bare.join(''));
      bare = [];
    } else if (char === '[' && /^\[\d+\]/.test(text.slice(at, at + 12))) {
      bare.push(char);
    } else if (/[[#$\\]/.test(char)) {
      // A client's own command may begin a statement with a backslash; nowhere else is one understood.
      if (char !== '\\' || bare.join('').trim() !== '') return undefined;
      bare.push(char);
    } else {
      bare.push(char);
    }
  }
  return [...statements, bare.join('')];
}

/** Index of the closing quote; undefined where there is none or a backslash inside makes it unsure. */
function quoteEnd(text: string, start: number): number | undefined {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\') return undefined;
    if (char !== quote) continue;
    if (text.charAt(at + 1) !== quote) return at;
    at += 1;
  }
  return undefined;
}
