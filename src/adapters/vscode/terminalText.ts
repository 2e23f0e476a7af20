// What the "Belay" terminal shows around the output of a guarded command. Text only; must not import vscode.
import type { CommandExit, GatedCommand } from '../../engine/ports.ts';

type Translate = (message: string, ...values: (string | number)[]) => string;

const BOLD = '\u001b[1m';
const DIM = '\u001b[2m';
const GREEN = '\u001b[32m';
const YELLOW = '\u001b[33m';
const PLAIN = '\u001b[0m';

/** A terminal moves to the first column only with a carriage return. */
export function terminalLines(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n');
}

/** The command as one line that cannot move the cursor or colour anything: control characters are shown, not obeyed. */
export function commandLine({ command }: Pick<GatedCommand, 'command'>, redact: (text: string) => string): string {
  const text = redact(typeof command === 'string' ? command : command.join(' '));
  // eslint-disable-next-line no-control-regex -- these are what must not reach the terminal
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}

/** The line above a command's output. `name`: which one it is while several run. */
export function opening(line: string, folder: string): string {
  return `${BOLD}$ ${line}${PLAIN}\r\n${DIM}${commandLine({ command: folder }, (text) => text)}${PLAIN}\r\n`;
}

/** The line below a command's output: how it ended, as far as that is known. Colours are reset first, whatever the output left. */
export function closing(exit: CommandExit, elapsedMs: number, translate: Translate): string {
  const seconds = (elapsedMs / 1000).toFixed(1);
  const [colour, words] = endWords(exit, seconds, translate);
  return `${PLAIN}\r\n${colour}${words}${PLAIN}\r\n\r\n`;
}

function endWords(exit: CommandExit, seconds: string, translate: Translate): readonly [string, string] {
  switch (exit.kind) {
    case 'exited':
      return exit.exitCode === 0
        ? [GREEN, translate('Done in {0} s', seconds)]
        : [YELLOW, translate('Exit code {0} after {1} s', exit.exitCode, seconds)];
    case 'killed':
      return exit.because === 'timeout'
        ? [YELLOW, translate('Stopped at its time limit after {0} s; what it did until then is looked up', seconds)]
        : [YELLOW, translate('Stopped after {0} s; what it did until then is looked up', seconds)];
    case 'lost':
      return [YELLOW, translate('Lost sight of it after {0} s; whether it took effect is looked up', seconds)];
  }
}
