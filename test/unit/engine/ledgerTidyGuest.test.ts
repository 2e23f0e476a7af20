// Tidying by a caller that lives for one answer: one read on most days, no waiting for quiet, and by the owner's settings.
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { tidyAfter } from '../../../src/cli/tidyAfter.ts';
import { tidyLedger } from '../../../src/engine/ledgerTidy.ts';
import type { Ports, StorePort } from '../../../src/engine/ports.ts';
import { changeOf, intentOf, must } from '../../support/memoryEntries.ts';
import { seededRandom } from '../../support/random.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1000 * DAY_MS;
const settings = { keepDays: 90, keepEntries: 1000, keepEvents: 1000 };

/** A store that counts its requests, and the ports that tidying may touch: everything else would fail. */
function world(): { readonly store: StorePort; readonly ports: Ports; readonly calls: string[] } {
  const calls: string[] = [];
  const store = new Proxy(memoryStore(), {
    get: (target, name, self) => {
      calls.push(String(name));
      return Reflect.get(target, name, self) as unknown;
    },
  });
  const files = { sweepImages: () => Promise.resolve({ ok: true, value: { freedBytes: 0 } }) };
  const clock = virtualClock(NOW_MS);
  return { store, ports: { store, files, random: seededRandom(1), clock } as unknown as Ports, calls };
}

async function settle(store: StorePort, title: string, atMs: number): Promise<void> {
  const prepare = { ...intentOf(title, 'R1', { task: title }), preparedAtMs: atMs };
  must(await store.write({ prepare, changes: [{ ...changeOf(prepare.key, 'COMMITTED', 1, {}), atMs }] }));
}
const titles = async (store: StorePort): Promise<readonly string[]> =>
  must(await store.entries({})).map((entry) => entry.title);

describe('tidying after an answer', () => {
  it('costs one read while it is not due', async () => {
    const { ports, calls } = world();
    must(await tidyLedger(ports, settings, NOW_MS));
    calls.length = 0;
    must(await tidyLedger(ports, settings, NOW_MS + DAY_MS - 1, { overdueMs: DAY_MS, isGuest: true }));
    expect(calls).toEqual(['document']);
  });

  it('does not wait for quiet, since its own entry is always a fresh one', async () => {
    const { store, ports } = world();
    await settle(store, 'old', NOW_MS - 95 * DAY_MS);
    must(await tidyLedger(ports, settings, NOW_MS));
    await settle(store, 'fresh', NOW_MS + DAY_MS);
    expect(must(await tidyLedger(ports, settings, NOW_MS + DAY_MS))).toBeNull();
    const tidied = must(await tidyLedger(ports, settings, NOW_MS + DAY_MS, { overdueMs: DAY_MS }));
    expect(tidied).toMatchObject({ entries: 1 });
    expect(await titles(store)).toEqual(['fresh']);
  });

  it('keeps as long as the settings say that the ledger was last tidied by, not as long as its own defaults', async () => {
    const { store, ports } = world();
    await settle(store, 'old', NOW_MS - 95 * DAY_MS);
    must(await tidyLedger(ports, { ...settings, keepDays: 365 }, NOW_MS));
    const guest = { overdueMs: DAY_MS, isGuest: true };
    for (const days of [1, 2, 3]) {
      expect(must(await tidyLedger(ports, settings, NOW_MS + days * DAY_MS, guest))).toMatchObject({ entries: 0 });
    }
    expect(await titles(store)).toEqual(['old']);
  });

  it('tells trouble in words and ends at an abort', async () => {
    const { store, ports } = world();
    const told: string[] = [];
    const tell = (message: string): void => void told.push(message);
    const abort = new AbortController();
    const never: StorePort = { ...memoryStore(), document: () => Promise.withResolvers<never>().promise };
    const stuck = tidyAfter({ ports: { ...ports, store: never }, settings, isGuest: true, signal: abort.signal, tell });
    abort.abort();
    await stuck;
    expect(told).toEqual([]);
    await store.close();
    await tidyAfter({ ports, settings, isGuest: true, signal: new AbortController().signal, tell });
    expect(told).toEqual([expect.stringContaining('the ledger was not tidied up: ')]);
  });
});
