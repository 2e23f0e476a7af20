// The command port behind the bulkhead and breaker of the tool `command`: so many at a time, and none while the gate itself
// cannot start any (no shell, no process left). How a command ends says nothing of the tool: a failing test is the test's.
// Nothing is prepared in the ledger before a command is held, so waiting or refusing here leaves no trace to reconcile.
import type { EventIds } from '../core/context.ts';
import type { BreakerTarget } from '../core/recovery/breakerTargets.ts';
import type { HealthOutcome } from '../core/recovery/breakerWindow.ts';
import type { CommandPort, HeldCommand, Result } from './ports.ts';
import type { Protection } from './protection.ts';

const TARGET = 'tool:command' as const satisfies BreakerTarget;
const IDS: EventIds = { tenant: 'local', client: 'belay', task: 'health', step: 0 };

/** The same port, with a place for each command from its hold to its end. */
export function admittedCommands(port: CommandPort, protection: Protection, shutdown: AbortSignal): CommandPort {
  const { breakers, bulkheads } = protection;
  const record = (kind: 'success' | 'failure'): HealthOutcome => ({ kind, weight: 1, latencyMs: null });

  const start = async (command: Parameters<CommandPort['hold']>[0]): Promise<Result<HeldCommand, string>> => {
    const off = breakers.closedOff([TARGET]);
    const permit = off?.status === 'half-open' ? await breakers.permit(TARGET) : null;
    if (off && !permit && breakers.closedOff([TARGET]))
      return {
        ok: false,
        error: 'commands could not be started several times in a row; Belay tries again in a moment',
      };
    try {
      const held = await port.hold(command);
      breakers.record(TARGET, record(held.ok ? 'success' : 'failure'), IDS, permit ? { permit } : {});
      return held;
    } finally {
      if (permit) await breakers.share().then(() => breakers.giveBack(permit));
    }
  };

  return {
    trace: (entry) => port.trace(entry),
    query: (query) => port.query(query),
    self: () => port.self(),
    hold: async (command) => {
      const admission = await bulkheads.enter([TARGET], 'medium', shutdown);
      if (!admission.ok)
        return { ok: false, error: 'too many commands run at the same time; wait for one of them to end' };
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
