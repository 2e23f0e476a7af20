// The command guard: the text of a command in, its side-effect level R0-R3 with reasons and effects out (DESIGN, "The way one
// command goes"; HFR document table 7). Pure and synchronous. Unsure is R3; it never throws and never looks at a file.
import type { Assessment, CommandToAssess } from './assessment.ts';
import { toAssessment } from './effects.ts';
import { inspectCommand } from './inspectCommand.ts';

/**
 * Levels one command. Relative targets count as inside only when `cwd` and `workspace` are given and say so.
 * `parsed: false` (level R3) means that the text, or some part of it, could not be understood.
 */
export function assess(input: CommandToAssess): Assessment {
  return toAssessment(inspectCommand(input));
}
