// A whole new text for a file that is there: in the line endings of the file, and complete. Agents read and write LF whatever
// the file has, so LF alone is no wish to change every line; and they leave parts out with a line that says so.
import { isUnended, replacementOf } from './carryOut.ts';
import { cutLines } from './lines.ts';
import { stepsBetween } from './steps.ts';

/** The new text with the line endings of the file, unless it names others itself. */
export function wholeText(now: string, fresh: string): string {
  if (!now.includes('\r') || fresh.includes('\r')) return fresh;
  const file = cutLines(now);
  if (!file.isMixed) return fresh.replaceAll('\n', file.usualEnd);
  const wanted = cutLines(fresh);
  const steps = stepsBetween(file.texts.slice(0, file.count), wanted.texts.slice(0, wanted.count));
  const { start, end, text } = replacementOf(file, 0, steps, { old: isUnended(file), new: isUnended(wanted) });
  const merged = now.slice(0, start) + text + now.slice(end);
  // Where the last lines are equal, nothing above said how they end.
  const lines = cutLines(merged);
  if (merged === '' || isUnended(lines) === isUnended(wanted)) return merged;
  return isUnended(wanted) ? merged.replace(/\r\n$|[\r\n]$/, '') : merged + file.usualEnd;
}

/** A line that stands for what was left out, in the ways models write it. */
const OMISSION =
  /^\s*(?:(?:\/\/|\/\*|#|--|;|%|<!--|\{\/\*|"""|')\s*(?:\.\.\.|\u2026|\[\.\.\.\])\s*|(?:\.\.\.|\u2026|\[\.\.\.\])\s+)\(?(?:(?:the |all )?(?:rest|remainder|remaining|other|existing|previous|unchanged|same|omitted)\b|(?:code|file|content|lines)\s+(?:unchanged|omitted|remains?)\b)/i;

const BARE =
  /^\s*(?:\/\/|\/\*|#|--|<!--|\{\/\*)\s*(?:the )?(?:rest of (?:the |your )?(?:file|code|class|function|module|component|content)|(?:existing|previous|remaining|other) (?:code|content|methods|functions|imports|lines))\b[^\n]{0,30}(?:\.\.\.|\u2026|unchanged|the same|here|remains?)/i;

/** The first line of the new text that stands for left-out text, where the file has no such line itself. */
export function omission(now: string, fresh: string): { readonly line: number; readonly text: string } | null {
  if (!/\.\.\.|\u2026|unchanged|omitted|rest of|remain|existing|the same/i.test(fresh)) return null;
  for (const [i, line] of fresh.split('\n').entries()) {
    if (line.length > 300 || !(OMISSION.test(line) || BARE.test(line)) || now.includes(line.trim())) continue;
    return { line: i + 1, text: line.trim().slice(0, 80).toWellFormed() };
  }
  return null;
}
