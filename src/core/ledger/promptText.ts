// Does a command wait for a person? Told from what it printed last, since it has no terminal and its input is at its end:
// most programs then give up by themselves, some wait for ever. Two kinds of text are known: a question that stands at the
// end of an unfinished line, and the sentence with which a program says that it could not ask.
// A log line that ends in a colon, a progress bar and a spinner are no questions: in doubt a text is none, and the
// command's time limit stays.
import { promptWordings } from './promptWordings.ts';

/** A question is shown with at most so many characters. */
const MAX_CHARS = 200;
/** Longer lines are no questions. */
const MAX_LINE_CHARS = 500;

/** The question that an unfinished last line asks, without colours; null: it is none. */
export function questionIn(unfinishedLine: string): string | null {
  const line = shownLine(unfinishedLine);
  if (line === '' || line.length > MAX_LINE_CHARS || /(?:[%…]|\.\.\.)$/.test(line)) return null;
  return promptWordings.some(({ asks }) => asks?.test(line) === true) ? line.slice(-MAX_CHARS).toWellFormed() : null;
}

/** Lines at the end of a failed command's output that are looked at. */
const LAST_LINES = 6;

/** The question that a command asked before it gave up, from the end of its output; null: it asked none. */
export function questionAtEnd(output: string): string | null {
  const lines = output.split('\n').map(shownLine);
  const last = lines.filter((line) => line !== '').slice(-LAST_LINES);
  for (const line of last.reverse()) {
    if (line.length > MAX_LINE_CHARS) continue;
    const refused = promptWordings.find(({ refuses }) => refuses?.test(line) === true);
    if (refused) return line.slice(0, MAX_CHARS).toWellFormed();
    const question = questionIn(beforeGivingUp(line));
    if (question !== null) return question;
  }
  return null;
}

/** How a program is run so that it does not ask this question. */
export function howToAnswer(question: string): string {
  const known = promptWordings.find(({ asks, refuses }) => (asks?.test(question) ?? false) || refuses?.test(question));
  return (
    known?.howTo ??
    'Nobody can answer while it runs: look in its help for an option that gives the answer or turns questions off.'
  );
}

/** Programs that read the end of their input write on in the same line: `Continue? [Y/n] Abort.` */
function beforeGivingUp(line: string): string {
  return line.replace(/([\])?:]) *(?:abort(?:ed|ing)?|cancell?ed|exiting|no|n|operation cancell?ed)?[.!]*$/i, '$1');
}

/** Colours, cursor movements and titles (ECMA-48: CSI and OSC sequences). */
const SEQUENCES = new RegExp(
  String.raw`\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b.`,
  'g',
);
/** Control characters but tab, line feed and carriage return. */
const CONTROLS = /(?![\t\n\r])\p{Cc}/gu;

/** What a terminal would show of the line: what stands after its last carriage return. */
function shownLine(text: string): string {
  const plain = text
    .slice(-4 * MAX_LINE_CHARS)
    .replaceAll(SEQUENCES, '')
    .replaceAll(CONTROLS, '')
    .trimEnd();
  return plain.slice(plain.lastIndexOf('\r') + 1).trim();
}
