// An entry that is settled after it was read back is whole: whoever prepared it may have written the fields of its owner, probe
// and ids in any order, and what is read is in the order of the schema. A checksum over texts must not take that for damage.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import type { StorePort } from '../../src/engine/ports.ts';
import { changeOf, intentOf, must } from '../support/memoryEntries.ts';

describe('an entry in SQLite whose fields were written in another order', () => {
  let folder: string;
  let store: StorePort;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-settle-'));
    store = sqliteStore({ file: join(folder, 'ledger.db') });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('is settled, read, and settled again', async () => {
    const intent = intentOf('a', 'R2', {
      probe: { data: { path: 'log.txt' }, exitIsShared: true, kind: 'append' },
      owner: { childStartedAt: '4', childPid: 3, bootId: 'b', pidStartedAt: '2', pid: 1 },
      ids: { toolCall: 'call-1', attempt: null, call: null, client: 'test' },
    });
    await store.write({ prepare: intent });
    must(await store.write({ changes: [changeOf(intent.key, 'UNKNOWN', 1)] }));
    expect(must(await store.entry(intent.key))).toMatchObject({ ...intent, state: 'UNKNOWN', fence: 2 });
    must(await store.write({ changes: [changeOf(intent.key, 'RECONCILED_COMMITTED', 2)] }));
    expect(must(await store.entries({ states: ['RECONCILED_COMMITTED'] }))).toMatchObject([{ ...intent, fence: 3 }]);
  });
});
