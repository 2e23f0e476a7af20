// The right to find out about one entry: taken in the store, kept alive while the work goes on, given back at its end. At
// most one holder at a time over all windows and processes (HFR document 4.5, last paragraph). A lease that is lost ends the
// work without a move; the token that every move carries has the store refuse what comes too late all the same.
import type { EffectPorts } from './effectEntry.ts';
import type { Result, StoreFault } from './ports.ts';

/** A lease that is held. */
export interface Lease {
  /** Fencing token: goes with every change that is made under the lease. */
  readonly token: number;
  /** Aborted when the lease is lost: whatever was learnt then counts for nothing. */
  readonly signal: AbortSignal;
}

/** `done`: the work came to its end under the lease. `held`: somebody else has it. `lost`: it passed to somebody else meanwhile. */
export type Leased<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'held' } | { readonly kind: 'lost' };

/** A dead holder blocks an entry no longer than this. */
const TTL_MS = 4000;
const RENEW_MS = 1300;

/** Leases of this process are told apart by a number: two works of one window exclude each other like two windows. */
let leaseCount = 0;

/** Does `work` while holding the lease of `key`. A rejection of `work` after the lease was lost counts as lost. */
export async function underLease<T>(
  ports: Pick<EffectPorts, 'clock' | 'store' | 'command'>,
  key: string,
  work: (lease: Lease) => Promise<T>,
): Promise<Result<Leased<T>, StoreFault>> {
  const { pid, pidStartedAt, bootId } = await ports.command.self();
  const holder = `reconcile ${++leaseCount} of process ${pid} (${pidStartedAt}, boot ${bootId})`;
  const taken = await ports.store.lease({ key, holder, nowMs: ports.clock.nowMs(), ttlMs: TTL_MS });
  if (!taken.ok) return taken;
  if (!taken.value.granted) return { ok: true, value: { kind: 'held' } };
  const { token } = taken.value;
  const [over, lost] = [new AbortController(), new AbortController()];
  const renewing = renew(ports, { key, holder, token, untilMs: taken.value.expiresAtMs }, over.signal, lost);
  try {
    const value = await work({ token, signal: lost.signal });
    return { ok: true, value: lost.signal.aborted ? { kind: 'lost' } : { kind: 'done', value } };
  } catch (error) {
    if (!lost.signal.aborted) throw error;
    return { ok: true, value: { kind: 'lost' } };
  } finally {
    over.abort();
    // A renewal on its way would take back what is given away here.
    await renewing;
    await ports.store.releaseLease(key, token);
  }
}

interface Held {
  readonly key: string;
  readonly holder: string;
  readonly token: number;
  readonly untilMs: number;
}

/** Keeps a lease until the work is over. A store that is busy for a moment does not lose it, one that says no does. */
async function renew(
  { clock, store }: Pick<EffectPorts, 'clock' | 'store'>,
  { key, holder, token, untilMs }: Held,
  over: AbortSignal,
  lost: AbortController,
): Promise<void> {
  let heldUntilMs = untilMs;
  while (!over.aborted) {
    try {
      await clock.sleep(RENEW_MS, over);
    } catch {
      // The work is over.
      return;
    }
    const answer = await store.lease({ key, holder, nowMs: clock.nowMs(), ttlMs: TTL_MS });
    if (answer.ok && answer.value.granted && answer.value.token === token) heldUntilMs = answer.value.expiresAtMs;
    else if (answer.ok || clock.nowMs() >= heldUntilMs) {
      lost.abort();
      return;
    }
  }
}
