// Which checks of this folder Belay would run before it accepts a result (V1), with the level of each command and whether a
// person is asked first. Nothing is run here.
import { workspaceVerifiers } from '../adapters/verifiers/workspaceVerifiers.ts';
import { assess } from '../core/guard/assess.ts';
import { judge } from '../core/guard/judge.ts';
import { settingsPolicy } from '../core/guard/settingsPolicy.ts';
import type { Settings } from '../core/settings.ts';
import type { CheckPlan } from '../engine/ports.ts';
import { finding, type Finding } from './doctorText.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** One note for each check of the folder, and one for each that is set up and not installed. */
export async function checkFindings(
  settings: Settings,
  workspace: string,
  environment: Environment,
): Promise<readonly Finding[]> {
  const { checks, lacking, unsure = [] } = await planOf(settings, workspace, environment);
  return [
    ...checks.map(({ kind, command, why }) =>
      finding('checks', 'note', `${kind}: ${command} (${why}), ${how(settings, command, workspace)}`),
    ),
    ...lacking.map(({ reason }) => finding('checks', 'note', `not run: ${reason}`)),
    ...unsure.map((reason) => finding('checks', 'note', `not known: ${reason}`)),
  ];
}

async function planOf(settings: Settings, workspace: string, environment: Environment): Promise<CheckPlan> {
  const { commands, isFound } = settings.advanced.verification;
  const named = commands.map((command) => ({
    kind: 'named' as const,
    verifier: command,
    version: '',
    command,
    why: 'belay.advanced.verification.commands',
  }));
  if (named.length > 0 || !isFound) return { checks: named, lacking: [] };
  const env = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return workspaceVerifiers(() => true).plan({ workspace, touched: null, env });
}

function how(settings: Settings, command: string, workspace: string): string {
  const assessment = assess({ shell: 'bash', command, cwd: workspace, workspace });
  const { verdict } = judge(assessment, settingsPolicy(settings), command);
  const words = { allow: 'runs unasked', ask: 'asks first', deny: 'is denied' } as const;
  return `${assessment.level}: ${words[verdict]}`;
}
