// Random sets of files, random failures, and a process that dies at every await: whatever happens, a file has its old bytes or
// its new ones, nothing is done twice, and neither the ledger nor an answer ever claims what is not so.
// Assumption: the files are changed by nobody else (the second property lets somebody else write, and keeps his lines).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileEdit } from '../../../src/core/edits/editSet.ts';
import type { LedgerEntry } from '../../../src/core/ledger/entry.ts';
import type { EffectPorts } from '../../../src/engine/effectEntry.ts';
import { applyGuardedEdit } from '../../../src/engine/guardedEdit.ts';
import type { EditOutcome } from '../../../src/engine/guardedEdit.ts';
import type { ApplyStep } from '../../support/memoryDisk.ts';
import { must } from '../../support/memoryEntries.ts';
import { editsInput, memoryWorld } from '../../support/memoryWorld.ts';
import type { MemoryWorld } from '../../support/memoryWorld.ts';

class Crash extends Error {}

/** What an edit makes of one file; every insertion repeats what it inserts after, so that a second time would show. */
const KINDS = ['insert', 'replace', 'create', 'delete', 'move', 'none'] as const;
type Kind = (typeof KINDS)[number];

interface Case {
  readonly edits: readonly FileEdit[];
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

function caseOf(kinds: readonly Kind[]): Case {
  const edits: FileEdit[] = [];
  const before: Record<string, string> = {};
  const after: Record<string, string> = {};
  for (const [i, kind] of kinds.entries()) {
    const path = `f${i}.txt`;
    const text = `head ${i}\nline\n`;
    if (kind !== 'create') before[path] = text;
    const one = (file: FileEdit, left: Record<string, string>): void => {
      edits.push(file);
      Object.assign(after, left);
    };
    const block = (search: string, replace: string): FileEdit => ({
      kind: 'blocks',
      path,
      blocks: [{ search, replace }],
    });
    if (kind === 'insert') one(block('line\n', 'line\nadded\n'), { [path]: `${text}added\n` });
    if (kind === 'replace') one(block('head', 'HEAD'), { [path]: text.replace('head', 'HEAD') });
    if (kind === 'create') one({ kind: 'create', path, text }, { [path]: text });
    if (kind === 'delete') one({ kind: 'delete', path }, {});
    if (kind === 'move') one({ kind: 'move', path, moveTo: `moved/${path}` }, { [`moved/${path}`]: text });
    if (kind === 'none') after[path] = text;
  }
  return { edits, before, after };
}

/** The ports of a process that dies at its `dieAt`-th call of a port: before it takes effect, or right after. 0: never. */
function mortal(ports: EffectPorts, dieAt: number, isAfter: boolean): EffectPorts {
  let calls = 0;
  const guard = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]): Promise<unknown> => {
          const dies = ++calls === dieAt;
          if (dies && !isAfter) throw new Crash();
          const answer: unknown = await Reflect.apply(value, target, args);
          if (dies) throw new Crash();
          return answer;
        };
      },
    });
  return { ...ports, store: guard(ports.store), files: guard(ports.files), command: guard(ports.command) };
}

type Fate = 'well' | 'fails' | 'dies';
const fates = (...some: readonly Fate[]): fc.Arbitrary<readonly Fate[]> =>
  fc.array(fc.constantFrom(...some), { maxLength: 6 });
/** What happens at the steps of the file port's `apply`, kind by kind; after these all is well. */
const applying = fc.record({
  stage: fates('well', 'well', 'well', 'well', 'fails', 'dies'),
  change: fates('well', 'well', 'fails', 'dies'),
  restore: fates('well', 'well', 'fails', 'dies'),
  answer: fates('well', 'well', 'dies'),
});
const ask = fc.record({
  dieAt: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 45 })),
  isAfter: fc.boolean(),
  applying,
});
type Ask = typeof ask extends fc.Arbitrary<infer T> ? T : never;
const WELL: Ask = { dieAt: 0, isAfter: false, applying: { stage: [], change: [], restore: [], answer: [] } };
const kinds = fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 4 });

async function request(
  world: MemoryWorld,
  edits: readonly FileEdit[],
  pid: number,
  now: Ask,
): Promise<EditOutcome | null> {
  const left = { ...now.applying };
  world.files.trouble = ({ step, path }: ApplyStep) => {
    const [next = 'well', ...others] = left[step];
    left[step] = others;
    if (next === 'dies') throw new Crash();
    return next === 'fails' ? `${path} is locked.` : null;
  };
  const ports = mortal({ ...world.ports, command: world.commands.asProcess(pid) }, now.dieAt, now.isAfter);
  try {
    // A lease that a dead process holds runs out while this one waits.
    return await world.clock.run(applyGuardedEdit(ports, editsInput(world, edits)));
  } catch (error) {
    if (error instanceof Crash) return null;
    throw error;
  } finally {
    world.files.trouble = null;
  }
}

const textsOf = ({ files }: MemoryWorld): Record<string, string> =>
  Object.fromEntries(files.contents.keys().map((path) => [path, files.contents.get(path) ?? '']));

/** Files are as before, as after, or a mixture of the two, file by file. */
function sideOf(texts: Record<string, string>, { before, after }: Case): 'before' | 'after' | 'both' | 'mixed' {
  const [old, fresh] = [isEqual(texts, before), isEqual(texts, after)];
  return old && fresh ? 'both' : old ? 'before' : fresh ? 'after' : 'mixed';
}

function isEqual(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const paths = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...paths].every((path) => a[path] === b[path]);
}

function checkFiles(texts: Record<string, string>, { before, after }: Case): void {
  for (const path of new Set([...Object.keys(texts), ...Object.keys(before), ...Object.keys(after)]))
    expect([before[path], after[path]], path).toContain(texts[path]);
}

function checkEntry({ state }: LedgerEntry, side: string): void {
  if (state === 'COMMITTED' || state === 'RECONCILED_COMMITTED') expect(['after', 'both']).toContain(side);
  if (state === 'FAILED' || state === 'RECONCILED_ABSENT') expect(['before', 'both']).toContain(side);
}

function checkOutcome(outcome: EditOutcome, side: string, edits: readonly FileEdit[]): void {
  if (outcome.result === 'done') expect(['after', 'both']).toContain(side);
  if (outcome.result === 'failed') expect(['before', 'both']).toContain(side);
  if (side !== 'mixed') return;
  // A half set is never kept quiet: it is an error, told as unknown, with every file by name.
  expect(outcome).toMatchObject({ isError: true, result: 'unknown' });
  for (const { path } of edits) expect(outcome.files.map((file) => file.path)).toContain(path);
}

describe('an edit of several files, through failures and crashes at every await', () => {
  it('leaves old or new bytes in every file, does nothing twice, and never claims what is not so', async () => {
    await fc.assert(
      fc.asyncProperty(kinds, fc.array(ask, { minLength: 1, maxLength: 5 }), async (some, asks) => {
        const plan = caseOf(some);
        const world = memoryWorld({ files: plan.before });
        for (const [i, now] of [...asks, WELL].entries()) {
          const outcome = await request(world, plan.edits, 100 + i, now);
          const texts = textsOf(world);
          checkFiles(texts, plan);
          const side = sideOf(texts, plan);
          for (const entry of must(await world.store.entries({}))) checkEntry(entry, side);
          if (outcome && outcome.result !== 'refused') checkOutcome(outcome, side, plan.edits);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('is done in the end, or told as unknown where a set was left half', async () => {
    await fc.assert(
      fc.asyncProperty(kinds, fc.array(ask, { maxLength: 3 }), async (some, asks) => {
        const plan = caseOf(some);
        fc.pre(plan.edits.length > 0);
        const world = memoryWorld({ files: plan.before });
        for (const [i, now] of asks.entries()) await request(world, plan.edits, 100 + i, now);
        const isHalf = sideOf(textsOf(world), plan) === 'mixed';
        const last = await request(world, plan.edits, 200, WELL);
        // A half set is put back from its before-images and made anew, or told as unknown; nothing third.
        if (isHalf && last?.result !== 'done') {
          expect(last).toMatchObject({ result: 'unknown', isError: true, ran: false });
          return;
        }
        expect(last).toMatchObject({ result: 'done', isError: false });
        expect(['after', 'both']).toContain(sideOf(textsOf(world), plan));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps what somebody else writes at any moment after the plan, and says that it did not write', async () => {
    const moment = fc.record({ at: fc.nat(10), file: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(kinds, moment, async (some, { at, file }) => {
        const plan = caseOf(some);
        const world = memoryWorld({ files: plan.before });
        const path = `f${file}.txt`;
        let step = 0;
        const written: string[] = [];
        world.files.trouble = () => {
          if (step++ !== at || !world.files.contents.has(path)) return null;
          written.push(path);
          world.files.contents.set(path, `${world.files.contents.get(path) ?? ''}foreign\n`);
          return null;
        };
        const outcome = await applyGuardedEdit(world.ports, editsInput(world, plan.edits));
        if (written.length === 0) return;
        expect(world.files.contents.get(path)).toContain('foreign');
        // Written after its own turn, the foreign line stands on top of what was asked.
        const texts = { ...textsOf(world), [path]: (world.files.contents.get(path) ?? '').replace('foreign\n', '') };
        if (outcome.result === 'done') expect(texts).toEqual(plan.after);
        else if (outcome.result === 'failed') expect(texts).toEqual(plan.before);
      }),
      { numRuns: 300 },
    );
  });
});
