// What windows share through every store: budgets that are taken once, and breakers that merge. On SQLite also by two stores
// on one file, each with its own worker, as two windows have.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { MIGRATIONS } from '../../src/adapters/stores/sqliteMigrations.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import {
  newBreaker,
  readBreaker,
  stepBreaker,
  viewBreaker,
  type BreakerState,
} from '../../src/core/recovery/breaker.ts';
import { emptyTaskBudget } from '../../src/core/recovery/budget.ts';
import { parseSettings } from '../../src/core/settings.ts';
import type { BudgetTake, StorePort } from '../../src/engine/ports.ts';
import { must } from '../support/memoryEntries.ts';

const { breaker: limits } = parseSettings({}).settings.advanced;
const take = (change: Partial<BudgetTake> = {}): BudgetTake => ({
  task: 'k',
  step: 1,
  tenant: 't',
  limits: { perStep: 3, perTask: 10, perTenantPerMinute: 600 },
  share: {},
  nowMs: 1000,
  known: emptyTaskBudget,
  ...change,
});
const TARGET = 'model:a';
/** A breaker that a window has seen so many failures of. */
function failed(times: number, window: string, from: BreakerState = newBreaker, atMs = 1000): BreakerState {
  let state = from;
  for (let time = 0; time < times; time++) {
    const outcome = { kind: 'failure', weight: 1, latencyMs: null } as const;
    state = stepBreaker(state, { outcome, notBeforeMs: 0, probeOfMs: null }, limits, {
      window,
      nowMs: atMs,
      draw: 0.5,
    });
  }
  return state;
}
const row = (state: BreakerState, target = TARGET): { target: string; state: string } => ({
  target,
  state: JSON.stringify(state),
});

let folder: string;
const open: StorePort[] = [];
const file = (): string => join(folder, 'ledger.db');
const sqlite = (): StorePort => {
  const made = sqliteStore({ file: file() });
  open.push(made);
  return made;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-shared-'));
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  rmSync(folder, { recursive: true });
});

/** Two windows on what they share. */
const pairs: Readonly<Record<string, () => readonly [StorePort, StorePort]>> = {
  memory: () => {
    const store = memoryStore();
    return [store, store];
  },
  sqlite: () => [sqlite(), sqlite()],
};

describe.each(Object.keys(pairs))('two windows on one %s store', (name) => {
  const both = (): readonly [StorePort, StorePort] => pairs[name]!();

  it('take from one budget, each re-execution once', async () => {
    const windows = both();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => windows[n % 2]!.takeBudget(take())));
    expect(answers.map(must).filter((answer) => answer.ok)).toHaveLength(3);
    expect(must(await windows[0].budget('k'))).toEqual({ task: 'k', taskUsed: 3, stepUsed: { '1': 3 } });
    expect(must(await windows[1].takeBudget(take()))).toEqual({ ok: false, exhausted: 'step' });
  });

  it('share a tenant’s bucket over all tasks, refilled by time', async () => {
    const windows = both();
    const small = { perStep: 9, perTask: 99, perTenantPerMinute: 6 };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => windows[n % 2]!.takeBudget(take({ task: `k${n}`, limits: small }))),
    );
    expect(answers.map(must).filter((answer) => answer.ok)).toHaveLength(6);
    const later = take({ limits: small, nowMs: 11_000 });
    expect(must(await windows[0].takeBudget(later)).ok).toBe(true);
    expect(must(await windows[1].takeBudget(later))).toEqual({ ok: false, exhausted: 'tenant' });
    expect(must(await windows[1].takeBudget(take({ tenant: 'other', limits: small }))).ok).toBe(true);
  });

  it('save a checkpoint with what is taken, and not without', async () => {
    const [one, two] = both();
    const checkpoint = { task: 'k', version: 1, state: '{"at":1}' };
    must(await one.takeBudget(take({ checkpoint })));
    expect(must(await two.checkpoint('k'))).toEqual(checkpoint);
    const none = { perStep: 0, perTask: 9, perTenantPerMinute: 9 };
    must(await one.takeBudget(take({ checkpoint: { ...checkpoint, state: 'no' }, limits: none })));
    expect(must(await two.checkpoint('k'))).toEqual(checkpoint);
  });

  it('count what a window took while it could not write', async () => {
    const [one, two] = both();
    must(await one.takeBudget(take({ known: { taskUsed: 2, stepUsed: { '1': 2 } } })));
    expect(must(await two.takeBudget(take()))).toEqual({ ok: false, exhausted: 'step' });
  });

  it('merge breakers: nobody’s counts are lost, and the later deadline wins', async () => {
    const [one, two] = both();
    const [first, second] = [failed(2, 'w1'), failed(2, 'w2')];
    await Promise.all([one.shareBreakers([row(first)]), two.shareBreakers([row(second)])]);
    const [answer] = must(await one.shareBreakers([]));
    expect(Object.keys(readBreaker(answer!.state)!.windows).sort()).toEqual(['w1', 'w2']);
    const [early, late] = [failed(5, 'w3', newBreaker, 1000), failed(5, 'w4', newBreaker, 9000)];
    await Promise.all([two.shareBreakers([row(late)]), one.shareBreakers([row(early)])]);
    for (const window of [one, two]) {
      const [merged] = must(await window.shareBreakers([]));
      expect(viewBreaker(readBreaker(merged!.state)!, 10_000)).toMatchObject({ status: 'open', untilMs: 39_000 });
    }
  });

  it('forget closed breakers that were silent for two hours, not open ones, and not for a reader', async () => {
    const [one, two] = both();
    const HOUR = 3_600_000;
    const quiet = failed(1, 'w');
    const asked = { ...quiet, asked: { untilMs: 99 * HOUR, atMs: 1000 } };
    const rows = [row(quiet, 'model:quiet'), row(failed(5, 'w'), 'model:open'), row(asked, 'model:asked')];
    must(await one.shareBreakers(rows));
    must(await one.shareBreakers([{ target: 'model:newer', state: '{"version":2}' }]));
    const targets = async (): Promise<readonly string[]> =>
      must(await two.shareBreakers([])).map(({ target }) => target);
    const early = failed(1, 'w', newBreaker, 1000 + 2 * HOUR);
    must(await two.shareBreakers([row(early, 'model:now')]));
    expect(await targets()).toContain('model:quiet');
    const late = failed(1, 'w', newBreaker, 1001 + 2 * HOUR);
    const answer = must(await two.shareBreakers([row(late, 'model:now')])).map(({ target }) => target);
    expect([...answer].sort()).toEqual(['model:asked', 'model:newer', 'model:now', 'model:open']);
    expect([...(await targets())].sort()).toEqual([...answer].sort());
    // Who still has it in memory and counts again brings it back.
    must(await one.shareBreakers([row(failed(1, 'w', quiet, 1001 + 2 * HOUR), 'model:quiet')]));
    expect(await targets()).toContain('model:quiet');
  });

  it('give back all breakers there are, also to whoever brings none', async () => {
    const [one, two] = both();
    must(await one.shareBreakers([row(failed(1, 'w'), 'model:a'), row(failed(1, 'w'), 'tool:command')]));
    const answer = must(await two.shareBreakers([]));
    expect(answer.map(({ target }) => target).sort()).toEqual(['model:a', 'tool:command']);
  });

  it('lose no update when both share at the same moment many times', async () => {
    const windows = both();
    let states = [newBreaker, newBreaker];
    const shares: Promise<unknown>[] = [];
    for (let round = 0; round < 20; round++) {
      states = states.map((state, index) => failed(1, `w${index}`, state));
      shares.push(...states.map((state, index) => windows[index]!.shareBreakers([row(state)])));
    }
    await Promise.all(shares);
    const [answer] = must(await windows[0].shareBreakers([]));
    const merged = readBreaker(answer!.state)!;
    expect([merged.windows.w0?.seq, merged.windows.w1?.seq]).toEqual([20, 20]);
  });
});

describe('the SQLite store', () => {
  it('brings a ledger of schema 2 up to date and shares what windows share in it', async () => {
    const direct = new DatabaseSync(file());
    for (const step of MIGRATIONS.slice(0, 2)) direct.exec(step);
    direct.exec(`INSERT INTO budgets VALUES ('k', '{"task":"k","stepUsed":{"1":2},"taskUsed":2}')`);
    direct.exec('PRAGMA application_id = 1112293721; PRAGMA user_version = 2');
    direct.close();
    const store = sqlite();
    expect(must(await store.takeBudget(take()))).toMatchObject({ ok: true, task: { taskUsed: 3 } });
    expect(must(await store.takeBudget(take()))).toEqual({ ok: false, exhausted: 'step' });
    expect(must(await store.shareBreakers([row(newBreaker)]))).toHaveLength(1);
  });

  it('finds breakers and buckets again after it was closed', async () => {
    const first = sqlite();
    const tight = { perStep: 9, perTask: 9, perTenantPerMinute: 1 };
    must(await first.takeBudget(take({ limits: tight })));
    must(await first.shareBreakers([row(failed(5, 'w'))]));
    await first.close();
    const second = sqlite();
    expect(must(await second.takeBudget(take({ limits: tight })))).toEqual({ ok: false, exhausted: 'tenant' });
    const [answer] = must(await second.shareBreakers([]));
    expect(viewBreaker(readBreaker(answer!.state)!, 2000).status).toBe('open');
  });
});
