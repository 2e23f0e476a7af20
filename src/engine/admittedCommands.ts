// The command port behind the bulkhead and breaker of the tool `command`: so many at a time, and none while the gate itself
// cannot start any (no shell, no process left). How a command ends says nothing of the tool: a failing test is the test's.
// Whoever waits for a command waits in its tenant's pool too, by its criticality, and leaves the queue when it is cancelled.
// Nothing is prepared in the ledger before a command is held, so waiting or refusing here leaves no trace to reconcile.
import type { EventIds } from '../core/context.ts';
import type { BreakerTarget } from '../core/recovery/breakerTargets.ts';
import type { HealthOutcome } from '../core/recovery/breakerWindow.ts';
import type { PoolName } from '../core/recovery/bulkhead.ts';
import type { Admission } from './bulkheadQueue.ts';
import type { ClockPort, CommandPort, GatedCommand, HoldResult } from './ports.ts';
import type { Protection } from './protection.ts';

const TARGET = 'tool:command' as const satisfies BreakerTarget;
const IDS: EventIds = { tenant: 'local', client: 'belay', task: 'health', step: 0 };

type Withheld = NonNullable<Extract<HoldResult, { readonly ok: false }>['withheld']>;

const WORDS: Readonly<Record<Withheld['why'], string>> = {
  'breaker-open': 'commands could not be started several times in a row; Belay tries again in a moment',
  'queue-full': 'too many commands run at the same time; wait for one of them to end',
  'waited-too-long': 'too many commands run at the same time; wait for one of them to end',
  cancelled: 'cancelled before it began',
};

const withheld = (why: Withheld['why'], retryAfterMs: number | null = null): HoldResult => ({
  ok: false,
  error: WORDS[why],
  withheld: { why, retryAfterMs },
});

/** The same port, with a place for each command from its hold to its end. */
export function admittedCommands(
  port: CommandPort,
  protection: Protection,
  clock: ClockPort,
  shutdown: AbortSignal,
): CommandPort {
  const { breakers, bulkheads } = protection;
  const record = (kind: 'success' | 'failure'): HealthOutcome => ({ kind, weight: 1, latencyMs: null });

  const start = async (command: GatedCommand): Promise<HoldResult> => {
    const off = breakers.closedOff([TARGET]);
    const permit = off?.status === 'half-open' ? await breakers.permit(TARGET) : null;
    const still = off && !permit ? breakers.closedOff([TARGET]) : null;
    if (still) {
      const leftMs = still.untilMs - clock.nowMs();
      return withheld('breaker-open', Number.isFinite(leftMs) && leftMs > 0 ? leftMs : null);
    }
    try {
      const held = await port.hold(command);
      breakers.record(TARGET, record(held.ok ? 'success' : 'failure'), IDS, permit ? { permit } : {});
      return held;
    } finally {
      if (permit) await breakers.share().then(() => breakers.giveBack(permit));
    }
  };

  const enter = ({ caller }: GatedCommand): Promise<Admission> => {
    if (!caller) return bulkheads.enter([TARGET], 'medium', shutdown);
    const pools: readonly PoolName[] = [TARGET, `tenant:${caller.tenant}`];
    return bulkheads.enter(pools, caller.criticality, AbortSignal.any([caller.signal, shutdown]));
  };

  return {
    trace: (entry) => port.trace(entry),
    query: (query) => port.query(query),
    self: () => port.self(),
    hold: async (command) => {
      const admission = await enter(command);
      if (!admission.ok) return withheld(admission.why);
      const held = await start(command).catch((cause: unknown) => {
        admission.release();
        throw cause;
      });
      if (!held.ok) {
        admission.release();
        return held;
      }
      const { value } = held;
      return {
        ok: true,
        value: {
          pid: value.pid,
          pidStartedAt: value.pidStartedAt,
          release: (signal, onOutput) => value.release(signal, onOutput).finally(admission.release),
          discard: () => value.discard().finally(admission.release),
        },
      };
    },
  };
}
