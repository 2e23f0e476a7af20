import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { breakerFindings } from '../../../src/cli/doctorBreakers.ts';
import { newBreaker, stepBreaker, type BreakerState } from '../../../src/core/recovery/breaker.ts';
import { parseSettings } from '../../../src/core/settings.ts';

const { breaker: limits } = parseSettings({}).settings.advanced;

function opened(atMs: number): BreakerState {
  let state = newBreaker;
  for (let time = 0; time < 5; time++) {
    const outcome = { kind: 'failure', weight: 1, latencyMs: null } as const;
    const moment = { window: 'w', nowMs: atMs, draw: 0.5 };
    state = stepBreaker(state, { outcome, notBeforeMs: 0, probeOfMs: null }, limits, moment);
  }
  return state;
}

describe('the doctor on breakers', () => {
  // 2026-01-02T03:04:05Z
  const at = 1_767_323_045_000;

  it('says which are open in the shared store, until when and why, and nothing of closed ones', async () => {
    const store = memoryStore();
    const text = (state: BreakerState): string => JSON.stringify(state);
    await store.shareBreakers([
      { target: 'provider:acme/main', state: text(opened(at)) },
      { target: 'model:old', state: text(opened(at - 40_000)) },
      { target: 'model:well', state: text(newBreaker) },
      { target: 'model:newer', state: '{"version":2}' },
    ]);
    const found = await breakerFindings(store, limits, at + 1000);
    expect(found.map(({ check, status, message }) => `${check} [${status}] ${message}`)).toEqual([
      'breaker provider:acme/main [note] open, not called before 2026-01-02T03:04:35.000Z: too many failures',
      'breaker model:old [note] half-open since 2026-01-02T03:03:55.000Z, probed before it is used: too many failures',
      'breaker model:newer [note] was saved by another version of Belay',
    ]);
  });

  it("says where a person's own word holds, and what cannot be read", async () => {
    const store = memoryStore();
    await store.shareBreakers([{ target: 'tool:command', state: JSON.stringify(opened(at)) }]);
    const forced = { 'tool:command': 'closed', 'model:x': 'open' } as const;
    const found = await breakerFindings(store, { ...limits, forced }, at);
    expect(found.map(({ message }) => message)).toEqual([
      'is always closed, as belay.advanced.breaker.forced says',
      'is always open, as belay.advanced.breaker.forced says',
    ]);
    const off = await breakerFindings(store, { ...limits, isEnabled: false }, at);
    expect(off).toHaveLength(1);
    const error = { kind: 'corrupt', message: 'the file is damaged' } as const;
    const broken = { shareBreakers: () => Promise.resolve({ ok: false, error } as const) };
    expect(await breakerFindings(broken, limits, at)).toMatchObject([
      { status: 'bad', message: 'the file is damaged' },
    ]);
  });
});
