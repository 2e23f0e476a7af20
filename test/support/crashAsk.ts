// The agent's side of the crash world: how it asks for an action, and what it is told. Goes through the public functions only.
import type { RequestContext } from '../../src/core/context.ts';
import type { EventBody } from '../../src/core/events.ts';
import type { EntryState } from '../../src/core/ledger/entry.ts';
import type { EffectPorts } from '../../src/engine/effectEntry.ts';
import { runGuardedCommand } from '../../src/engine/guardedCommand.ts';
import { applyGuardedEdit } from '../../src/engine/guardedEdit.ts';
import { recoverOpen } from '../../src/engine/recoverLedger.ts';
import { EDIT_LINE, FIRST_LINE } from './crashActions.ts';
import type { CrashAction } from './crashActions.ts';
import { CRASH_WORKSPACE } from './crashFiles.ts';

/** What the agent heard of one request. */
export interface Told {
  readonly key: string;
  readonly state: EntryState | null;
  readonly result: 'done' | 'failed' | 'unknown' | 'refused';
  readonly ran: boolean;
  readonly text: string;
}

const context: RequestContext = {
  tenant: 'local',
  client: 'crash',
  task: 'task-1',
  step: 1,
  role: 'coder',
  criticality: 'medium',
  qualityFloor: 0,
  deadlineMs: Infinity,
};

/** The tool-use id of a number. */
export function toolCallOf(id: number): string {
  return `call-${id}`;
}

/** Asks for an action under a tool-use id. */
export async function askFor(
  ports: EffectPorts,
  action: CrashAction,
  id: number,
  emit: (body: EventBody) => void,
): Promise<Told> {
  const { signal } = new AbortController();
  const asked = { context, toolCall: toolCallOf(id), judgement: { verdict: 'allow' as const }, signal, emit };
  if (action.kind === 'edit') {
    const files = action.paths.map((path) => ({
      kind: 'blocks' as const,
      path,
      blocks: [{ search: FIRST_LINE, replace: `${FIRST_LINE}${EDIT_LINE}` }],
    }));
    const edited = await applyGuardedEdit(ports, { ...asked, edit: { files }, level: action.level });
    return { key: edited.key, state: edited.state, result: edited.result, ran: edited.ran, text: edited.text };
  }
  const { level, command } = action;
  const done = await runGuardedCommand(ports, {
    ...asked,
    command,
    shell: 'bash',
    cwd: CRASH_WORKSPACE,
    workspace: CRASH_WORKSPACE,
    assessment: { level, reasons: [`it is ${level}`], effects: [], parsed: true },
    timeoutMs: 300,
    env: {},
  });
  return { key: done.key, state: done.state, result: done.result, ran: done.ran, text: done.text };
}

/** What a window does when it opens: it finds out about everything that is open. Answers the keys it tells about. */
export async function recoverIn(ports: EffectPorts, emit: (body: EventBody) => void): Promise<readonly string[]> {
  const recovered = await recoverOpen(ports, {}, emit);
  if (!recovered.ok) return [];
  return recovered.value.changed.map(({ entry }) => entry.key);
}
