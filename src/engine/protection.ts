// What all calls of one controller share to keep a failing upstream from pulling others down: breakers, their probes, and
// bulkheads (HFR 4.7).
import { BreakerBook } from './breakerBook.ts';
import { BreakerProbe, type BreakerProbeInput } from './breakerProbe.ts';
import { BulkheadQueue } from './bulkheadQueue.ts';
import { CancelTimeouts } from './cancelTimeout.ts';
import type { TokenEstimates } from './attemptTally.ts';
import type { AdvancedSettings } from '../core/settings.ts';
import type { Emit } from './eventLog.ts';
import type { ClockPort, RandomPort, StorePort } from './ports.ts';

export interface ProtectionInput {
  readonly ports: { readonly clock: ClockPort; readonly random: RandomPort; readonly store: StorePort };
  readonly settings: AdvancedSettings;
  readonly tokens: TokenEstimates;
  readonly emit: Emit;
  readonly newId: (prefix: string) => string;
  readonly shutdown: AbortSignal;
  /** Told of what each probe has found out. */
  readonly onPinged?: BreakerProbeInput['onPinged'];
}

export class Protection {
  readonly breakers: BreakerBook;
  readonly bulkheads: BulkheadQueue;
  readonly probe: BreakerProbe;
  readonly cancels = new CancelTimeouts();
  private settings: AdvancedSettings;

  constructor({ ports, settings, tokens, emit, newId, shutdown, onPinged }: ProtectionInput) {
    const { clock } = ports;
    this.settings = settings;
    const limits = (): AdvancedSettings['breaker'] => this.settings.breaker;
    this.breakers = new BreakerBook({ ports, emit, window: newId('window'), limits: limits(), shutdown });
    this.bulkheads = new BulkheadQueue(clock, settings.bulkhead);
    this.probe = new BreakerProbe({
      book: this.breakers,
      clock,
      tokens,
      emit,
      newId,
      limits,
      cancels: this.cancels,
      shutdown,
      ...(onPinged ? { onPinged } : {}),
    });
  }

  /** The limits in force. */
  get breakerLimits(): AdvancedSettings['breaker'] {
    return this.settings.breaker;
  }

  reconfigure(settings: AdvancedSettings): void {
    this.settings = settings;
    this.breakers.reconfigure(settings.breaker);
    this.bulkheads.reconfigure(settings.bulkhead);
  }
}
