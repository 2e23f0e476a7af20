// Why checks that passed are not enough by themselves: the judged may not rewrite the judge, a run that told no number of tests
// may have made none, and checks that could not be looked for were not made. A person has to look at the result then (HFR 4.6).
import { definingFiles, shownCommand, type CheckPlanParts } from './checkPlan.ts';
import type { Checked } from './checkRun.ts';
import type { CheckPlan } from './ports.ts';

const MAX_NAMED_FILES = 5;

/** Each doubt in words; none where the checks can be believed. */
export async function checkDoubts(
  parts: Pick<CheckPlanParts, 'ports' | 'workspace'>,
  { unsure = [] }: CheckPlan,
  done: readonly Checked[],
  touched: readonly string[] | null,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const made = done.filter(({ end }) => end !== null);
  const doubts = [...unsure, ...done.flatMap(countDoubt)];
  if (touched === null)
    return [...doubts, 'the ledger cannot tell what the task changed, so it may have changed what the checks do'];
  for (const { planned } of made) {
    const files = await definingFiles(parts, planned, touched, signal);
    const shown = shownCommand(planned.command);
    if (files === null) doubts.push(`what ${shown} does could not be looked up in time`);
    else if (files.length > 0) doubts.push(`the task changed ${named(files)}, which says what ${shown} does`);
  }
  return doubts;
}

function countDoubt({ planned, result, end, isEmpty }: Checked): readonly string[] {
  if (isEmpty) return [result.evidence];
  const shown = shownCommand(planned.command);
  if (end?.ranTests === 0) return [`${shown} ended well, but no test was run`];
  return planned.kind === 'tests' && end?.ranTests === null ? [`${shown} ended well, but told no number of tests`] : [];
}

function named(files: readonly string[]): string {
  const shown = files.slice(0, MAX_NAMED_FILES).map(shownCommand);
  const more = files.length - shown.length;
  return `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
