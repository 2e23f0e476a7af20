// Levels of Belay's own agent tools. The name and the arguments come from a model and are parsed; what does not fit is R3.
import * as z from 'zod';
import { assess } from './assess.ts';
import type { Assessment } from './assessment.ts';
import { assessEditTool, isEditTool, refused, type ToolPlace } from './editTools.ts';
import { emptyFindings, note, toAssessment } from './effects.ts';
import { assessForeignTool, type ForeignTool } from './foreignTool.ts';
import { noteSecretRead } from './walk.ts';
import { literalWord } from './word.ts';

const path = z.object({ path: z.string().min(1).max(4096) });
const command = z.object({ command: z.string(), shell: z.enum(['bash', 'pwsh']).default('bash') });

/**
 * Levels one call of a tool: reading R0, edits by their files (editTools.ts), `run_command` by its command,
 * any other name as what is known of it as a foreign tool says, without that R3. Secret files stay R0 with the effect `read-secret`.
 */
export function assessTool(name: string, args: unknown, place: ToolPlace = {}, foreign?: ForeignTool): Assessment {
  if (isEditTool(name)) return assessEditTool(name, args, place);
  switch (name) {
    case 'read_file':
    case 'list_files':
    case 'search':
      return reading(name, args);
    case 'run_command': {
      const parsed = command.safeParse(args);
      return parsed.success ? assess({ ...place, ...parsed.data }) : refused(`run_command without a command text`);
    }
    default:
      return foreign
        ? assessForeignTool(name, foreign)
        : refused(`${name.slice(0, 80).toWellFormed()} is not a tool the guard knows`);
  }
}

function reading(name: string, args: unknown): Assessment {
  const parsed = path.partial().safeParse(args);
  if (!parsed.success || (name === 'read_file' && parsed.data.path === undefined))
    return refused(`${name} with arguments that do not fit`);
  const findings = emptyFindings();
  note(findings, {
    level: 'R0',
    reason: `${name} only reads`,
    kind: 'read-file',
    ...(parsed.data.path === undefined ? {} : { target: parsed.data.path }),
  });
  if (parsed.data.path !== undefined) noteSecretRead({ findings }, literalWord(parsed.data.path));
  return toAssessment(findings);
}
