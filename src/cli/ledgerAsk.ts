// A yes or no from the person at the terminal. Whatever is not a clear yes is a no.
import type { ApprovalPort, Question } from '../engine/ports.ts';
import type { CommandIo } from './io.ts';
import { plain } from './ledgerEntries.ts';
import type { LedgerContext } from './ledgerOptions.ts';

/** Asks on standard error and reads one line of standard input. */
export async function askYesOrNo(io: CommandIo, question: string): Promise<boolean> {
  io.err(`${question} [y/N]`);
  let line = '';
  for await (const chunk of io.stdin) {
    line += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    if (line.includes('\n')) break;
  }
  return /^\s*(?:y|yes)\s*$/i.test(line.split('\n', 1)[0] ?? '');
}

/** Who answers for an undo: `--yes`, the person at the terminal, or nobody. */
export function terminalApproval({ io, canAsk }: LedgerContext, isYes: boolean): ApprovalPort {
  return {
    ask: async (question) => {
      if (isYes) return { choice: 'allow', note: '', by: '--yes' };
      if (!canAsk) {
        const note = 'nobody can be asked here; look at it with --dry-run, then allow it with --yes.';
        return { choice: 'deny', note, by: 'the command line' };
      }
      for (const line of questionLines(question)) io.err(line);
      const isAllowed = await askYesOrNo(io, 'Go on?');
      return { choice: isAllowed ? 'allow' : 'deny', note: isAllowed ? '' : 'you said no.', by: 'the terminal' };
    },
  };
}

function questionLines({ title, reasons, targets }: Question): readonly string[] {
  return [plain(title), ...targets.map((path) => `  ${plain(path)}`), ...reasons.map((reason) => `- ${plain(reason)}`)];
}
