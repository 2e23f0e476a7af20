// Edits of a world in memory and undos of them, for tests of undo.
import { expect } from 'vitest';
import type { EditSet, FileEdit } from '../../src/core/edits/editSet.ts';
import type { LedgerEntry } from '../../src/core/ledger/entry.ts';
import { applyGuardedEdit } from '../../src/engine/guardedEdit.ts';
import { undoEffects } from '../../src/engine/undoEffects.ts';
import type { UndoOutcome, UndoRequest } from '../../src/engine/undoEffects.ts';
import { must } from './memoryEntries.ts';
import { context, WORKSPACE } from './memoryWorld.ts';
import type { MemoryWorld } from './memoryWorld.ts';

let lastStep = 0;

export async function edit(
  world: MemoryWorld,
  files: readonly FileEdit[],
  task = 'task-1',
  step = ++lastStep,
): Promise<string> {
  const set: EditSet = { files };
  await world.clock.advance(10);
  const outcome = await applyGuardedEdit(world.ports, {
    context: { ...context, task, step },
    edit: set,
    judgement: { verdict: 'allow' },
    workspace: WORKSPACE,
    signal: new AbortController().signal,
    emit: (body) => world.events.push(body),
  });
  expect(outcome.result, outcome.reason).toBe('done');
  return outcome.key;
}

export const replace = (path: string, search: string, text: string): FileEdit => ({
  kind: 'blocks',
  path,
  blocks: [{ search, replace: text }],
});
export const create = (path: string, text: string): FileEdit => ({ kind: 'create', path, text });
export const remove = (path: string): FileEdit => ({ kind: 'delete', path });
export const move = (path: string, moveTo: string): FileEdit => ({ kind: 'move', path, moveTo });

export async function undo(
  world: MemoryWorld,
  what: UndoRequest['what'],
  more: Partial<UndoRequest> = {},
): Promise<UndoOutcome> {
  await world.clock.advance(10);
  return undoEffects(world.ports, {
    what,
    client: 'test',
    workspace: WORKSPACE,
    judge: () => ({ verdict: 'allow' }),
    isDryRun: false,
    restoresDeleted: false,
    signal: new AbortController().signal,
    emit: (body) => world.events.push(body),
    ...more,
  });
}

export const ofKeys = (...keys: string[]): UndoRequest['what'] => ({ kind: 'entries', keys });
export const ofTask = (task = 'task-1', fromStep?: number): UndoRequest['what'] =>
  fromStep === undefined ? { kind: 'task', task } : { kind: 'task', task, fromStep };

export async function entry(world: MemoryWorld, key: string): Promise<LedgerEntry> {
  const found = must(await world.store.entry(key));
  if (!found) throw new Error(`no entry ${key}`);
  return found;
}

export const texts = ({ files }: MemoryWorld): Record<string, string | undefined> =>
  Object.fromEntries(files.contents.keys().map((path) => [path, files.contents.get(path)]));

const lines = (...some: string[]): string => some.map((line) => `${line}\n`).join('');
export const TEN = lines('1', '2', '3', '4', '5', '6', '7', '8', '9', '10');
