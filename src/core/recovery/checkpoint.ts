// Where a task of Belay's own agent loop stands, as it is saved with every entry of the ledger (HFR document 5.4; DESIGN 12).
// A task goes on from its checkpoint only after its open effects were reconciled: the ledger, not this text, says what was
// done. The text is versioned; one that this version does not know is refused rather than guessed at.
import * as z from 'zod';
import type { ChatMessage, ToolResultPart } from '../chat.ts';

/** Version of the text. */
export const CHECKPOINT_VERSION = 1;

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
const stateSchema = z.object({
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

/** The text of a state. */
export function taskStateText(state: TaskState): string {
  return JSON.stringify(state);
}

/** The state of a saved text, or why it cannot be used. */
export function readTaskState(
  version: number,
  text: string,
): { readonly ok: true; readonly state: TaskState } | { readonly ok: false; readonly error: string } {
  if (version !== CHECKPOINT_VERSION)
    return {
      ok: false,
      error: `the checkpoint is of version ${version} and this Belay reads version ${CHECKPOINT_VERSION}; go on with the Belay that wrote it, or start the task anew`,
    };
  try {
    const parsed = stateSchema.safeParse(JSON.parse(text));
    if (parsed.success) return { ok: true, state: parsed.data };
  } catch {
    // Not JSON: damaged, as below.
  }
  return { ok: false, error: 'the checkpoint is damaged; start the task anew (its ledger still says what was done)' };
}
