// Small builders of intents and changes for tests of the ledger, its stores and the guarded effects.
import type { EffectLevel, EntryState, Evidence, Intent } from '../../src/core/ledger/entry.ts';
import { idempotencyKey } from '../../src/core/ledger/key.ts';
import type { EntryChange, Result } from '../../src/engine/ports.ts';

/** An intent of level R2 (or as told) whose key is made of `name`. */
export function intentOf(name: string, level: EffectLevel = 'R2', more: Partial<Intent> = {}): Intent {
  const args = { command: name };
  const scope = { tenant: 'tenant', task: 'task', step: 1, tool: 'shell' };
  return {
    ...scope,
    ids: { client: 'test', call: null, attempt: null, toolCall: null },
    key: idempotencyKey({ ...scope, args }),
    level,
    argsText: JSON.stringify(args),
    title: name,
    paths: [],
    preparedAtMs: 1000,
    owner: null,
    probe: null,
    ...more,
  };
}

/** A change as the engine writes it. */
export function changeOf(key: string, to: EntryState, fence: number, evidence: Partial<Evidence> = {}): EntryChange {
  return { key, to, fence, atMs: 2000, evidence: { source: 'test', detail: 'as told', ...evidence } };
}

/** The value of a result that must be one; throws its error otherwise. */
export function must<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(`expected a value, got ${JSON.stringify(result.error)}`);
  return result.value;
}
