// Which checks are made: the task's own command, those that the settings name, or those that are found in the workspace. Looking
// for them has a time limit: a file system that does not answer holds up no task. What could not be looked at is told as a doubt.
import { redactSecrets } from '../core/ledger/redact.ts';
import type { VerificationSettings } from '../core/settingsRecovery.ts';
import type { CheckPlan, ClockPort, PlannedCheck, Ports } from './ports.ts';

/** What planning needs. */
export interface CheckPlanParts {
  readonly ports: Pick<Ports, 'clock' | 'verifier'>;
  /** Absolute root. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: VerificationSettings;
}

/** Looking into the workspace takes milliseconds; beyond this nobody answers. */
const LOOKING_MS = 10_000;

/** A command that a person named; its name as a verifier shows no secret. */
export function namedCheck(command: string, why: string): PlannedCheck {
  return { kind: 'named', verifier: shownCommand(command), version: '', command, why };
}

/** A command as it may be shown and stored. */
export function shownCommand(command: string): string {
  return redactSecrets(command).toWellFormed();
}

/** The checks beside the task's own command. */
export async function checkPlan(
  { ports, workspace, env, settings }: CheckPlanParts,
  touched: readonly string[] | null,
  signal: AbortSignal,
): Promise<CheckPlan> {
  if (settings.commands.length > 0) {
    const why = 'belay.advanced.verification.commands';
    return { checks: settings.commands.map((command) => namedCheck(command, why)), lacking: [] };
  }
  if (!settings.isFound) {
    const reason = 'belay.advanced.verification.isFound is off, so the checks of the workspace are not run';
    return { checks: [], lacking: [{ kind: 'named', reason }] };
  }
  if (!ports.verifier) return { checks: [], lacking: [] };
  const found = await inTime(ports.clock, signal, ports.verifier.plan({ workspace, touched, env }));
  return (
    found ?? { checks: [], lacking: [], unsure: [`the checks of the workspace were not found within ${LOOKING_MS} ms`] }
  );
}

/** Those of the touched files that say what the check does; null where that could not be told in time. */
export async function definingFiles(
  { ports, workspace }: Pick<CheckPlanParts, 'ports' | 'workspace'>,
  check: PlannedCheck,
  touched: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  if (!ports.verifier || touched.length === 0) return [];
  return inTime(ports.clock, signal, ports.verifier.definedBy({ check, workspace, touched }));
}

/** What a look into the workspace brings; null where it takes too long or the caller goes. */
async function inTime<T>(clock: ClockPort, signal: AbortSignal, looking: Promise<T>): Promise<T | null> {
  const over = new AbortController();
  const late = clock.sleep(LOOKING_MS, AbortSignal.any([signal, over.signal])).then(
    () => null,
    () => null,
  );
  try {
    return await Promise.race([looking, late]);
  } finally {
    over.abort();
  }
}
