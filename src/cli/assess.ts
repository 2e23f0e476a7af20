// `belay assess`: commands in, side-effect levels out, one JSON line each (CONTRACTS.md). The guard decides; this only
// translates.
import * as z from 'zod';
import { assess } from '../core/guard/assess.ts';
import type { CommandToAssess } from '../core/guard/assessment.ts';
import type { CommandIo, ExitCode } from './io.ts';
import { runJsonLines } from './jsonLines.ts';

const commandLine = z.object({
  id: z.union([z.string(), z.number()]),
  shell: z.enum(['bash', 'pwsh']),
  command: z.string(),
  cwd: z.string().nullish(),
  workspace: z.string().nullish(),
});

/**
 * Runs the command over standard input. A line without a folder is meant from `here`; without a workspace its folder is the
 * workspace, as an agent that was started there would see it.
 * @returns 0, or 2 when a line was bad
 */
export async function assessCommand(io: CommandIo, here: string): Promise<ExitCode> {
  return runJsonLines(
    io.stdin,
    (line) => io.out(line),
    commandLine,
    (line) => {
      const { level, reasons, effects, parsed } = assess(toCommand(line, here));
      return { id: line.id, level, reasons, effects, parsed };
    },
  );
}

function toCommand(line: z.infer<typeof commandLine>, here: string): CommandToAssess {
  const cwd = line.cwd ?? line.workspace ?? here;
  return {
    shell: line.shell,
    command: line.command,
    cwd,
    workspace: line.workspace ?? cwd,
  };
}
