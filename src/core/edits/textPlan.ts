// From the places of single blocks or hunks to the plan of one text: all of them or none, and a report of each either way.
// Two changes that touch the same lines are refused, since their order would decide the result.
import { carriedOut } from './carryOut.ts';
import type { Replacement } from './carryOut.ts';
import type { BlockReport } from './editSet.ts';

/** What one block or hunk comes to. */
export interface Placed {
  readonly report: BlockReport;
  /** What it does to the text; empty unless its outcome is `applied`. */
  readonly replacements: readonly Replacement[];
}

/** What all of them come to. `needless`: the text is as asked already. */
export type TextPlan = { readonly blocks: readonly BlockReport[] } & (
  | { readonly kind: 'changed'; readonly text: string }
  | { readonly kind: 'needless'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }
);

const GOOD: readonly BlockReport['outcome'][] = ['applied', 'already-applied', 'identical'];

/** Failed blocks that the reason of a plan speaks of; the reports have them all. */
const REASONS = 3;

/** `noun`: what one of them is called. */
export function textPlan(text: string, placed: readonly Placed[], noun: 'block' | 'hunk'): TextPlan {
  const apart = withoutOverlaps(placed, noun);
  const blocks = apart.map(({ report }) => report);
  const bad = blocks.filter(({ outcome }) => !GOOD.includes(outcome));
  if (bad.length > 0) return { kind: 'failed', blocks, reason: reasonOf(bad, blocks.length, noun) };
  const fresh = carriedOut(
    text,
    apart.flatMap(({ replacements }) => replacements),
  );
  if (text.trim() !== '' && fresh.trim() === '') {
    const reason = `Nothing would be left of the text. Delete the file, or send its whole new text, if that is meant.`;
    return { kind: 'failed', blocks, reason };
  }
  if (fresh !== text) return { kind: 'changed', blocks, text: fresh };
  // What was to be applied and changes nothing was there before.
  const seen = blocks.map((report) => (report.outcome === 'applied' ? { ...report, outcome: ALREADY } : report));
  return { kind: 'needless', blocks: seen, reason: needlessReason(seen) };
}

const ALREADY = 'already-applied' as const;

function needlessReason(blocks: readonly BlockReport[]): string {
  if (blocks.every(({ outcome }) => outcome === 'identical'))
    return 'The old and the new text are the same, so nothing needs to change.';
  const line = blocks.find(({ outcome }) => outcome === ALREADY)?.line;
  return `The new text is there already${line ? ` (line ${line})` : ''}; nothing was written.`;
}

function reasonOf(bad: readonly BlockReport[], count: number, noun: string): string {
  if (count === 1) return bad[0]?.message ?? '';
  const told = bad.slice(0, REASONS).map(({ index, message }) => `${noun} ${index + 1}: ${message}`);
  const rest = bad.length > REASONS ? [`and ${bad.length - REASONS} more`] : [];
  return [`${bad.length} of ${count} ${noun}s cannot be applied, so none was.`, ...told, ...rest].join('\n');
}

interface Claim {
  readonly index: number;
  readonly replacement: Replacement;
}

/** Refuses a change that touches what an earlier one changes, or takes for granted; the same change twice is one. */
function withoutOverlaps(placed: readonly Placed[], noun: string): readonly Placed[] {
  const claims = placed
    .flatMap(({ replacements }, index): readonly Claim[] => replacements.map((replacement) => ({ index, replacement })))
    .sort((a, b) => a.replacement.from - b.replacement.from || a.index - b.index);
  const result = [...placed];
  let open: Claim[] = [];
  for (const claim of claims) {
    open = open.filter(({ replacement }) => replacement.to >= claim.replacement.from);
    const other = open.find(
      (earlier) => earlier.index !== claim.index && clash(earlier.replacement, claim.replacement),
    );
    if (!other) {
      open.push(claim);
      continue;
    }
    const [early, late] = [Math.min(other.index, claim.index), Math.max(other.index, claim.index)];
    const report = placed[late]?.report;
    if (!report) continue;
    const isSame = isEqual(other.replacement, claim.replacement);
    const message = isSame
      ? `It is the same as ${noun} ${early + 1}.`
      : `It changes lines that ${noun} ${early + 1} has as well. All are placed on the text as it is; put the two into one.`;
    result[late] = {
      report: { ...report, outcome: isSame ? 'already-applied' : 'overlaps', message },
      replacements: [],
    };
    if (late === other.index) open = [...open.filter((one) => one !== other), claim];
  }
  return result;
}

function clash(a: Replacement, b: Replacement): boolean {
  const isSamePoint = a.start === a.end && b.start === b.end && a.start === b.start;
  return isSamePoint || cuts(a, b) || cuts(b, a);
}

/** Does a change anything inside of what b has? */
function cuts(a: Replacement, b: Replacement): boolean {
  if (a.start === a.end) return b.from < a.start && a.start < b.to;
  return Math.max(a.start, b.from) < Math.min(a.end, b.to);
}

function isEqual(a: Replacement, b: Replacement): boolean {
  return a.start === b.start && a.end === b.end && a.text === b.text;
}
