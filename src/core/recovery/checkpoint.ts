// Where a task of Belay's own agent loop stands, as it is saved with every entry of the ledger (HFR document 5.4; DESIGN 12).
// A task goes on from its checkpoint only after its open effects were reconciled: the ledger, not this text, says what was
// done. The text is versioned; one that this version does not know is refused rather than guessed at.
import * as z from 'zod';
import type { ChatMessage, ToolResultPart } from '../chat.ts';
import type { Rung } from '../events.ts';
import { taskStateNames, type TaskStateName } from './taskStates.ts';

/** Version of the text. 1 had no quality floor, deadline, versions, rungs and evidence pack; it is still read. */
export const CHECKPOINT_VERSION = 2;

/** Who gave an answer, and at which rung: what its edits are labelled with. */
export interface AnswerSource {
  readonly rung: Rung;
  readonly candidate: string | null;
}

/** A successful edit of an answer at rung L2 or below: what the final acceptance looks for (HFR 5.4). */
export interface DegradedEdit {
  readonly toolCall: string;
  readonly rung: Rung;
  readonly substitute: string | null;
  /** Its own check right after it passed. */
  readonly isChecked: boolean;
}

/** What a person gets with an escalation (HFR 5.4, 5.6): where the task stands, what was done, why it stopped, what is proposed. */
export interface EvidencePack {
  readonly atMs: number;
  readonly step: number;
  /** Rule id and action of the decision; null: no decision led to it. */
  readonly rule: string | null;
  readonly reason: string;
  readonly evidence: string;
  /** Effects that are committed, and those that may have happened, by title. */
  readonly committed: readonly string[];
  readonly open: readonly string[];
  /** What could be done next. */
  readonly proposal: string;
}

/** A task as it stands. `results`: those of the present turn's tool calls so far, in the order of the calls. */
export interface TaskState {
  readonly status: 'running' | 'finished';
  readonly goal: string;
  readonly model: string;
  readonly successCommand: string;
  readonly criticality: 'low' | 'medium' | 'high';
  readonly workspace: string;
  readonly step: number;
  readonly messages: readonly ChatMessage[];
  readonly results: readonly ToolResultPart[];
  readonly attempts: number;
  readonly degraded: number;
  readonly costUsd: number;
  readonly idleAnswers: number;
  readonly lastEditor: string | null;
  readonly lastRejection: string | null;
  /** Control state of table 9 at the moment of saving. */
  readonly control: TaskStateName;
  /** q_min that the task is held to; null (version 1): that of the settings. */
  readonly qualityFloor: number | null;
  /** D, absolute, ms since the epoch: it is not counted anew; null (version 1): not known. */
  readonly deadlineMs: number | null;
  /** Versions it was worked on with; null (version 1): not known. */
  readonly policyVersion: string | null;
  readonly settingsVersion: string | null;
  /** Lowest rung of any answer so far, and who gave it; the lowest rung of an edit. */
  readonly lowest: AnswerSource;
  readonly editRung: Rung;
  /** Whose answer the present turn's calls are; null: nobody knows. */
  readonly answer: AnswerSource | null;
  readonly degradedEdits: readonly DegradedEdit[];
  /** Degraded answers of which nobody knows any more what they edited. */
  readonly unlabelled: number;
  /** Candidates whose result was rejected: another one is asked as long as there is one. */
  readonly avoided: readonly string[];
  /** Measured duration of the last check, ms; null: none was made. */
  readonly verifyMs: number | null;
  /** Of the last escalation; null: there was none. */
  readonly escalation: EvidencePack | null;
}

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const imagePart = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('base64'), mediaType: z.string(), data: z.string() }),
    z.object({ kind: z.literal('url'), url: z.string() }),
  ]),
});
const thinkingPart = z.object({
  type: z.literal('thinking'),
  text: z.string(),
  signature: z.string().exactOptional(),
  issuer: z.string().exactOptional(),
});
const toolCallPart = z.object({ type: z.literal('tool-call'), id: z.string(), name: z.string(), argsText: z.string() });
const toolResultPart = z.object({
  type: z.literal('tool-result'),
  callId: z.string(),
  content: z.array(z.union([textPart, imagePart])),
  isError: z.boolean(),
});
const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: z.array(z.union([textPart, imagePart])) }),
  z.object({ role: z.literal('assistant'), content: z.array(z.union([textPart, thinkingPart, toolCallPart])) }),
  z.object({ role: z.literal('tool'), content: z.array(toolResultPart) }),
]);
const count = z.number().int().nonnegative();
const stateSchemaV1 = z.object({
  status: z.enum(['running', 'finished']),
  goal: z.string(),
  model: z.string(),
  successCommand: z.string(),
  criticality: z.enum(['low', 'medium', 'high']),
  workspace: z.string(),
  step: count,
  messages: z.array(message),
  results: z.array(toolResultPart),
  attempts: count,
  degraded: count,
  costUsd: z.number().nonnegative(),
  idleAnswers: count,
  lastEditor: z.string().nullable(),
  lastRejection: z.string().nullable(),
});
const rung = z.enum(['L0', 'L1', 'L2', 'L3', 'L4']);
const answerSource = z.object({ rung, candidate: z.string().nullable() });
const texts = z.array(z.string());
const evidencePack = z.object({
  atMs: z.number(),
  step: count,
  rule: z.string().nullable(),
  reason: z.string(),
  evidence: z.string(),
  committed: texts,
  open: texts,
  proposal: z.string(),
});
const stateSchema = stateSchemaV1.extend({
  control: z.enum(taskStateNames),
  qualityFloor: z.number().min(0).max(1).nullable(),
  deadlineMs: z.number().nullable(),
  policyVersion: z.string().nullable(),
  settingsVersion: z.string().nullable(),
  lowest: answerSource,
  editRung: rung,
  answer: answerSource.nullable(),
  degradedEdits: z.array(
    z.object({ toolCall: z.string(), rung, substitute: z.string().nullable(), isChecked: z.boolean() }),
  ),
  unlabelled: count,
  avoided: texts,
  verifyMs: z.number().nonnegative().nullable(),
  escalation: evidencePack.nullable(),
});

/** Version 1 as version 2: what it did not hold is not known, and what was degraded is taken as far down as it can have been. */
function upgradedV1(state: z.infer<typeof stateSchemaV1>): TaskState {
  const rungThen: Rung = state.degraded > 0 ? 'L3' : 'L0';
  return {
    ...state,
    control: state.status === 'finished' ? 'DONE' : 'RUN_STEP',
    qualityFloor: null,
    deadlineMs: null,
    policyVersion: null,
    settingsVersion: null,
    lowest: { rung: rungThen, candidate: null },
    editRung: rungThen,
    answer: null,
    degradedEdits: [],
    unlabelled: state.degraded,
    avoided: [],
    verifyMs: null,
    escalation: null,
  };
}

/** The text of a state. */
export function taskStateText(state: TaskState): string {
  return JSON.stringify(state);
}

/** The state of a saved text, or why it cannot be used. */
export function readTaskState(
  version: number,
  text: string,
): { readonly ok: true; readonly state: TaskState } | { readonly ok: false; readonly error: string } {
  if (version !== 1 && version !== CHECKPOINT_VERSION)
    return {
      ok: false,
      error: `the checkpoint is of version ${version} and this Belay reads versions 1 to ${CHECKPOINT_VERSION}; go on with the Belay that wrote it, or start the task anew`,
    };
  try {
    const json: unknown = JSON.parse(text);
    if (version === 1) {
      const old = stateSchemaV1.safeParse(json);
      if (old.success) return { ok: true, state: upgradedV1(old.data) };
    } else {
      const parsed = stateSchema.safeParse(json);
      if (parsed.success) return { ok: true, state: parsed.data };
    }
  } catch {
    // Not JSON: damaged, as below.
  }
  return { ok: false, error: 'the checkpoint is damaged; start the task anew (its ledger still says what was done)' };
}

/**
 * What differs between the versions a task was saved with and those it goes on with (HFR 5.4: configuration drift), in words;
 * empty where nothing does or where nothing is known of before.
 */
export function configurationDrift(
  saved: Pick<TaskState, 'policyVersion' | 'settingsVersion'>,
  now: { readonly policyVersion: string; readonly settingsVersion: string },
): readonly string[] {
  const changed = (what: string, before: string | null, after: string): readonly string[] =>
    before === null || before === after ? [] : [`${what} was ${before} and is ${after}`];
  return [
    ...changed('the recovery policy', saved.policyVersion, now.policyVersion),
    ...changed('the version of the settings', saved.settingsVersion, now.settingsVersion),
  ];
}
