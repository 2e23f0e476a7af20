// Saves where a task stands in the same transaction as every ledger entry that it makes or settles (DESIGN 12), so that
// after a crash entry and checkpoint never tell different stories. The store is the usual one with one thing added.
import type { ChatMessage, ToolCallPart, ToolResultPart } from '../core/chat.ts';
import { MASK, redactSecrets } from '../core/ledger/redact.ts';
import { CHECKPOINT_VERSION, readTaskState, taskStateText, type TaskState } from '../core/recovery/checkpoint.ts';
import type { Result, StoreFault, StorePort } from './ports.ts';

/** The same store; each write of a ledger entry of `task` also saves what `state` answers at that moment. */
export function checkpointedStore(store: StorePort, task: string, state: () => TaskState): StorePort {
  return {
    ...store,
    write: (transaction) => {
      const isEffect = transaction.prepare !== undefined || (transaction.changes?.length ?? 0) > 0;
      if (!isEffect || transaction.checkpoint) return store.write(transaction);
      return store.write({ ...transaction, checkpoint: checkpointRow(task, state()) });
    },
  };
}

/** Saves a state by itself: when a task begins, is answered, or ends. */
export async function saveCheckpoint(
  store: StorePort,
  task: string,
  state: TaskState,
): Promise<Result<null, StoreFault>> {
  const written = await store.write({ checkpoint: checkpointRow(task, state) });
  return written.ok ? { ok: true, value: null } : written;
}

/** Where a task stood; null when it never had a checkpoint. The error is for a person. */
export async function loadCheckpoint(store: StorePort, task: string): Promise<Result<TaskState | null, string>> {
  const row = await store.checkpoint(task);
  if (!row.ok) return { ok: false, error: row.error.message };
  if (!row.value) return { ok: true, value: null };
  const read = readTaskState(row.value.version, row.value.state);
  return read.ok ? { ok: true, value: read.state } : { ok: false, error: `Task ${task}: ${read.error}.` };
}

/** Whether a saved call lost a secret: it is then not known exactly what it asked for. */
export function isMaskedCall({ argsText }: ToolCallPart): boolean {
  return argsText.includes(MASK);
}

/** Masked once each: a state is saved many times and its messages never change. */
const masked = new WeakMap<object, unknown>();

function maskedPart<T extends ChatMessage | ToolResultPart>(part: T): T {
  const known = masked.get(part);
  // The map holds under a part what `maskedTexts` made of it, which has the same shape.
  if (known !== undefined) return known as T;
  const made = maskedTexts(part) as T;
  masked.set(part, made);
  return made;
}

/** The same value with secrets masked in every text but base64 data. */
function maskedTexts(value: unknown): unknown {
  if (typeof value === 'string') return redactSecrets(value);
  if (Array.isArray(value)) return value.map(maskedTexts);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === 'data' ? inner : maskedTexts(inner)]),
  );
}

/** A state as it is saved: versioned, secrets masked. */
export function checkpointRow(
  task: string,
  state: TaskState,
): { readonly task: string; readonly version: number; readonly state: string } {
  const messages = state.messages.map(maskedPart);
  const safe: TaskState = {
    ...state,
    goal: redactSecrets(state.goal),
    messages,
    results: state.results.map(maskedPart),
  };
  return { task, version: CHECKPOINT_VERSION, state: taskStateText(safe) };
}
