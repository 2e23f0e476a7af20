// The ledger as the controller offers it to a person: finding out, deciding, taking back. Every move is also an event.
import type { LedgerEntry } from '../core/ledger/entry.ts';
import type { EventBody } from '../core/events.ts';
import { decideEntry, type Decision } from './decideEntry.ts';
import type { Emit } from './eventLog.ts';
import { watchOpenEffects, type OpenEffectListener } from './openEffectWatch.ts';
import type { Ports, Result, StoreFault } from './ports.ts';
import { recoverOpen, type RecoveredLedger, type RecoverOptions } from './recoverLedger.ts';
import { undoEffects, type UndoOutcome, type UndoRequest } from './undoEffects.ts';

export interface LedgerDoor {
  /** Finds out about open effects whose run is over; safe beside other windows. */
  recover(options: RecoverOptions): Promise<Result<RecoveredLedger, StoreFault>>;
  /** Finds out about what earlier sessions left open, and again about what is still held, until it is over. */
  watch(listener: OpenEffectListener): Promise<void>;
  /** A person says what became of an effect. The error is for a person. */
  decide(entry: LedgerEntry, decision: Decision): Promise<Result<LedgerEntry, string>>;
  /** Takes back what effects did to files. */
  undo(request: Omit<UndoRequest, 'emit'>): Promise<UndoOutcome>;
}

/** Opens the door on the ports of a controller. */
export function ledgerDoor(ports: Ports, emit: Emit): LedgerDoor {
  const told = (body: EventBody): void => emit({ tenant: 'local', client: 'belay', task: 'ledger', step: 0 }, body);
  const recover = (options: RecoverOptions) => recoverOpen(ports, options, told);
  return {
    recover,
    watch: (listener) => watchOpenEffects({ clock: ports.clock, recover, ...listener }),
    decide: (entry, decision) => decideEntry(ports, entry, decision, told),
    undo: (request) => undoEffects(ports, { ...request, emit: told }),
  };
}
