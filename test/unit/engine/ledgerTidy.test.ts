import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { tidyLedger, withTidyLedger } from '../../../src/engine/ledgerTidy.ts';
import type { Ports, StorePort } from '../../../src/engine/ports.ts';
import { changeOf, intentOf, must } from '../../support/memoryEntries.ts';
import { seededRandom } from '../../support/random.ts';

const DAY_MS = 86_400_000;
const settings = { keepDays: 90, keepEntries: 1000, keepEvents: 1000 };

function world(store: StorePort = memoryStore()): {
  readonly store: StorePort;
  readonly ports: Pick<Ports, 'store' | 'files' | 'random'>;
  readonly swept: ReadonlySet<string>[];
} {
  const swept: ReadonlySet<string>[] = [];
  const sweepImages = (keep: ReadonlySet<string>): Promise<{ ok: true; value: { freedBytes: number } }> => {
    swept.push(keep);
    return Promise.resolve({ ok: true, value: { freedBytes: 5 } });
  };
  // Only what tidying may touch: everything else would fail.
  const files = { sweepImages } as unknown as Ports['files'];
  return { store, ports: { store, files, random: seededRandom(1) }, swept };
}

async function settle(store: StorePort, title: string, atMs: number, evidence = {}): Promise<void> {
  const prepare = { ...intentOf(title, 'R1', { task: title }), preparedAtMs: atMs };
  must(await store.write({ prepare, changes: [{ ...changeOf(prepare.key, 'COMMITTED', 1, evidence), atMs }] }));
}
const titles = async (store: StorePort): Promise<readonly string[]> =>
  must(await store.entries({})).map((entry) => entry.title);

describe('tidying the ledger', () => {
  it('waits a day from the first time, then forgets what is older than the settings say', async () => {
    const { store, ports } = world();
    const now = 1000 * DAY_MS;
    await settle(store, 'old', now - 95 * DAY_MS);
    await settle(store, 'young', now - 80 * DAY_MS);
    expect(must(await tidyLedger(ports, settings, now))).toBeNull();
    expect(must(await tidyLedger(ports, settings, now + DAY_MS - 1))).toBeNull();
    expect(must(await tidyLedger(ports, settings, now + DAY_MS))).toEqual({ entries: 1, events: 0, imageBytes: 5 });
    expect(await titles(store)).toEqual(['young']);
    expect(must(await tidyLedger(ports, settings, now + DAY_MS + 1))).toBeNull();
  });

  it('sweeps before-images that no kept entry names', async () => {
    const { store, ports, swept } = world();
    const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
    const now = 1000 * DAY_MS;
    await settle(store, 'old', now - 95 * DAY_MS, { beforeHash: c });
    await settle(store, 'young', now - DAY_MS, { files: [{ path: 'f', beforeHash: a, afterHash: null }] });
    const open = intentOf('open', 'R2', { probe: { kind: 'edit', data: { path: 'g', before: b } }, preparedAtMs: 1 });
    must(await store.write({ prepare: open }));
    await tidyLedger(ports, settings, now);
    await tidyLedger(ports, settings, now + DAY_MS);
    expect(swept).toEqual([new Set([a, b])]);
  });

  it('is put off while something was changed in the last minutes, but not for ever', async () => {
    const { store, ports } = world();
    await tidyLedger(ports, settings, 0);
    await settle(store, 'x', DAY_MS - 60_000);
    expect(must(await tidyLedger(ports, settings, DAY_MS))).toBeNull();
    expect(must(await tidyLedger(ports, settings, DAY_MS + 10 * 60_000))).not.toBeNull();
    await settle(store, 'y', 4.5 * DAY_MS);
    expect(must(await tidyLedger(ports, settings, 4.5 * DAY_MS))).not.toBeNull();
  });

  it('judges nothing by its age after a jump of the clock, and everything by number all the same', async () => {
    const { store, ports } = world();
    const now = 1000 * DAY_MS;
    await tidyLedger(ports, settings, now);
    for (let i = 0; i < 3; i++) await settle(store, `e${i}`, now);
    const later = now + 400 * DAY_MS;
    expect(must(await tidyLedger(ports, { ...settings, keepEntries: 2 }, later))).toMatchObject({ entries: 1 });
    expect(await titles(store)).toEqual(['e2', 'e1']);
    expect(must(await tidyLedger(ports, settings, later + DAY_MS))).toMatchObject({ entries: 2 });
  });

  it('leaves it to another window that is at it', async () => {
    const { store, ports } = world();
    await tidyLedger(ports, settings, 0);
    await store.lease({ key: 'ledger-tidy', holder: 'other', nowMs: DAY_MS, ttlMs: 60_000 });
    expect(must(await tidyLedger(ports, settings, DAY_MS))).toBeNull();
    expect(must(await tidyLedger(ports, settings, DAY_MS + 60_000))).not.toBeNull();
  });

  it('sweeps nothing when the kept entries cannot all be read', async () => {
    const broken: StorePort = memoryStore();
    const fault = { kind: 'corrupt', message: 'damaged' } as const;
    const store: StorePort = {
      ...broken,
      entries: (filter) => (filter.limit === 1 ? broken.entries(filter) : Promise.resolve({ ok: false, error: fault })),
    };
    const { ports, swept } = world(store);
    await tidyLedger(ports, settings, 0);
    expect(await tidyLedger(ports, settings, DAY_MS)).toEqual({ ok: false, error: fault });
    expect(swept).toEqual([]);
  });

  it('goes on by itself until the store is closed, and tells trouble', async () => {
    const clock = virtualClock(1000 * DAY_MS);
    const { store, ports } = world();
    await settle(store, 'old', clock.nowMs() - 95 * DAY_MS);
    const told: string[] = [];
    // Tidying uses no other port.
    const all = { ...ports, clock } as unknown as Ports;
    const tidied = withTidyLedger(
      all,
      () => settings,
      (message) => told.push(message),
    );
    await clock.advance(2 * DAY_MS);
    expect(await titles(store)).toEqual([]);
    await tidied.store.close();
    await clock.advance(2 * DAY_MS);
    expect(told).toEqual([]);
    const other = withTidyLedger(
      all,
      () => settings,
      (message) => told.push(message),
    );
    await clock.advance(3 * 60_000);
    expect(told).toEqual([expect.stringContaining('The store in memory is closed')]);
    await other.store.close();
  });
});
