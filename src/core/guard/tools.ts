// Levels of Belay's own agent tools. The name and the arguments come from a model and are parsed; what does not fit is R3.
import * as z from 'zod';
import { assess } from './assess.ts';
import type { Assessment, CommandToAssess } from './assessment.ts';
import { emptyFindings, note, toAssessment } from './effects.ts';
import { noteSecretRead, noteWrite, type Noting } from './walk.ts';
import { literalWord } from './word.ts';

/** Where the tool would act. */
export type ToolPlace = Pick<CommandToAssess, 'cwd' | 'workspace'>;

const path = z.object({ path: z.string().min(1).max(4096) });
const command = z.object({ command: z.string(), shell: z.enum(['bash', 'pwsh']).default('bash') });

/**
 * Levels one call of a tool: reading R0, `edit_file` R2 inside the workspace, `run_command` by its command,
 * any other name R3. Secret files stay R0 with the effect `read-secret`.
 */
export function assessTool(name: string, args: unknown, place: ToolPlace = {}): Assessment {
  switch (name) {
    case 'read_file':
    case 'list_files':
    case 'search':
      return reading(name, args);
    case 'edit_file':
      return editing(args, place);
    case 'run_command': {
      const parsed = command.safeParse(args);
      return parsed.success ? assess({ ...place, ...parsed.data }) : refused(`run_command without a command text`);
    }
    default:
      return refused(`${name.slice(0, 80)} is not a tool the guard knows`);
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

function editing(args: unknown, place: ToolPlace): Assessment {
  const parsed = path.safeParse(args);
  if (!parsed.success) return refused('edit_file without a path');
  const around: Noting = { cwds: [place.cwd], workspace: place.workspace, findings: emptyFindings() };
  const at = noteWrite(around, literalWord(parsed.data.path), { level: 'R2', kind: 'write-file', verb: 'edits' });
  if (at.place === 'discard')
    note(around.findings, { level: 'R3', reason: 'edits a device', kind: 'write-file', target: parsed.data.path });
  return toAssessment(around.findings);
}

function refused(reason: string): Assessment {
  const findings = emptyFindings();
  note(findings, { level: 'R3', reason, kind: 'unknown-program' });
  return toAssessment(findings);
}
