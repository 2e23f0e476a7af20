import { describe, expect, it } from 'vitest';
import { closing, commandLine, opening, terminalLines } from '../../../../src/adapters/vscode/terminalText.ts';

const plain = (message: string, ...values: (string | number)[]): string =>
  message.replaceAll(/\{(\d)\}/g, (_, at: string) => String(values[Number(at)]));

describe('the terminal of guarded commands', () => {
  it('shows a command as one line that cannot move the cursor, colour anything or set the clipboard', () => {
    const command = 'echo a\n\u001b]52;c;aGk=\u0007\u001b[2J\u009b31m && rm x\r';
    const line = commandLine({ command }, (text) => text);
    // eslint-disable-next-line no-control-regex -- that is what is looked for
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(line).toContain('echo a');
    expect(line).toContain('rm x');
  });

  it('masks secrets in what it shows of a command, also of one in words', () => {
    const redact = (text: string): string => text.replaceAll('hunter2', '[secret]');
    expect(commandLine({ command: ['login', '--password', 'hunter2'] }, redact)).toBe('login --password [secret]');
  });

  it('moves to the first column at every line end and doubles no carriage return', () => {
    expect(terminalLines('a\nb\r\nc')).toBe('a\r\nb\r\nc');
  });

  it('resets colours before it says how a command ended, and never calls an unknown end a success', () => {
    expect(opening('ls', '/work')).toContain('$ ls');
    const ends = [
      closing({ kind: 'killed', because: 'timeout' }, 1000, plain),
      closing({ kind: 'killed', because: 'cancelled' }, 1000, plain),
      closing({ kind: 'lost', message: 'gone' }, 1000, plain),
    ];
    for (const end of ends) {
      expect(end.startsWith('\u001b[0m')).toBe(true);
      expect(end).toContain('looked up');
      expect(end).not.toContain('Done');
    }
    expect(closing({ kind: 'exited', exitCode: 0, signal: null }, 1500, plain)).toContain('Done in 1.5 s');
    expect(closing({ kind: 'exited', exitCode: 3, signal: null }, 1500, plain)).toContain('Exit code 3 after 1.5 s');
  });
});
