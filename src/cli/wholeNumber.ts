// A whole number of the command line: digits and nothing else. What JavaScript would read as a number besides ('', ' 1 ',
// '0x10', '1e3') is a slip of whoever wrote it, and never means 0 or 16 by accident.

/** The number of a text of 1 to `digits` digits (at most 15); null for any other text. */
export function wholeNumber(text: string, digits = 9): number | null {
  return /^\d+$/.test(text) && text.length <= digits ? Number(text) : null;
}
