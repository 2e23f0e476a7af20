// Random texts and random changes of them, for properties of edits and merges.
import * as fc from 'fast-check';

/** Lines that texts share, and that look like parts of diffs. */
export const content = fc.constantFrom(
  'a',
  'b',
  'c',
  '',
  '}',
  '  x = 1',
  '-- q',
  '++ r',
  '@@ -1 +1 @@',
  '\tindent',
  'z z',
);
/** Lines of all kinds. */
export const wild = fc.oneof(
  content,
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
);
/** Texts with LF, ended or not. */
export const lf = lines(wild, fc.constant('\n'));
/** Texts with LF and CRLF. */
export const mixed = lines(wild, fc.constantFrom('\n', '\r\n'));

function lines(line: fc.Arbitrary<string>, end: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const last = fc.constantFrom('', '', 'last', 'a');
  return fc
    .tuple(fc.array(fc.tuple(line, end), { maxLength: 30 }), last)
    .map(([all, rest]) => all.map(([one, mark]) => one + mark).join('') + rest);
}

/** A text made from another by changing some of its lines. */
export function changed(text: string, cuts: readonly (readonly [number, number, readonly string[]])[]): string {
  const all = text.split('\n');
  for (const [at, gone, fresh] of cuts) all.splice(at % (all.length + 1), gone, ...fresh);
  return all.join('\n');
}
/** Places to change, for `changed`. */
export const cuts = fc.array(fc.tuple(fc.nat(30), fc.nat(3), fc.array(content, { maxLength: 3 })), {
  minLength: 1,
  maxLength: 4,
});
