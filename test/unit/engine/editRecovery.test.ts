// What is decided and told when a guarded edit did not do what was asked.
import { describe, expect, it } from 'vitest';
import type { EventBody } from '../../../src/core/events.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { BudgetBook } from '../../../src/engine/budgetBook.ts';
import type { EffectPorts } from '../../../src/engine/effectEntry.ts';
import { applyGuardedEdit } from '../../../src/engine/guardedEdit.ts';
import type { AppliedFiles, FilePort } from '../../../src/engine/ports.ts';
import { TaskFaults } from '../../../src/engine/taskFaults.ts';
import type { ToolRecovery } from '../../../src/engine/toolDecision.ts';
import { context, editInput, memoryWorld, type MemoryWorld } from '../../support/memoryWorld.ts';
import { seededRandom } from '../../support/random.ts';

function bench(files: (port: FilePort, world: MemoryWorld) => Partial<FilePort> = () => ({})) {
  const world = memoryWorld({ files: { 'a.txt': 'one\ntwo\n' } });
  const settings = parseSettings({}).settings.advanced;
  const budgets = new BudgetBook(world.store, settings.retry);
  const recovery: ToolRecovery = { budgets, faults: new TaskFaults(), settings, random: seededRandom(3) };
  const ports: EffectPorts = { ...world.ports, files: { ...world.files, ...files(world.files, world) } };
  let step = 0;
  return {
    world,
    edit: (search: string, replace: string) =>
      applyGuardedEdit(ports, {
        ...editInput(world, 'a.txt', search, replace, { context: { ...context, step: ++step } }),
        recovery,
      }),
    decided: (): readonly string[] =>
      world.events.flatMap((body: EventBody) =>
        body.type === 'decision-made' ? [`${body.action} ${body.rule} ${body.effect?.title ?? ''}`] : [],
      ),
  };
}
const refused = (outcome: 'untouched' | 'damaged'): AppliedFiles => ({
  ok: false,
  error: 'the disk is full.',
  files: [{ path: 'a.txt', outcome, hash: null, reason: 'the disk is full' }],
});

describe('an edit that failed', () => {
  it('since it does not fit is repaired by the agent; its own message says how, and the same again is replanned', async () => {
    const { edit, decided } = bench();
    const outcome = await edit('three', '3');
    expect(outcome.result).toBe('failed');
    expect(outcome.text).not.toContain('Next (');
    await edit('three', '3');
    expect(decided()).toEqual(['REPLAN T5/repair edit a.txt', 'REPLAN T5/replan edit a.txt']);
  });

  it('since nothing could be written, and is read back as before, may be asked for again; it is not written again', async () => {
    let writes = 0;
    const { edit, decided, world } = bench(() => ({
      apply: () => (writes++, Promise.resolve(refused('untouched'))),
    }));
    const outcome = await edit('two', '2');
    expect(outcome).toMatchObject({ state: 'FAILED', result: 'failed' });
    expect(outcome.text).toContain('it may be asked for again as it is');
    expect(decided()).toEqual(['RETRY T1/retry edit a.txt']);
    expect(writes).toBe(1);
    expect(world.files.contents.get('a.txt')).toBe('one\ntwo\n');
  });

  it('in part is looked up by decision, put back where that can be, and told as it is then', async () => {
    const { edit, decided, world } = bench((_port, { files }) => ({
      apply: () => {
        files.contents.set('a.txt', 'half');
        return Promise.resolve(refused('damaged'));
      },
    }));
    const outcome = await edit('two', '2');
    expect(decided()[0]).toBe('RECONCILE T3/reconcile edit a.txt');
    expect(decided()).toHaveLength(2);
    const types = world.events.map(({ type }) => type);
    expect(types.filter((type) => type === 'decision-made')).toHaveLength(2);
    // Somebody's text stands there that neither the edit nor what was before explains: nothing is put over it.
    expect(outcome).toMatchObject({ state: 'UNKNOWN', isError: true });
    expect(decided()[1]).toBe('ESCALATE T3/effect-unknown edit a.txt');
    expect(world.files.contents.get('a.txt')).toBe('half');
  });

  it('and one that was made is decided about nothing', async () => {
    const { edit, decided } = bench();
    expect((await edit('two', '2')).result).toBe('done');
    expect(decided()).toEqual([]);
  });
});
