// Tidying the ledger after a command's answer is out (engine/ledgerTidy.ts): `belay exec` and short tasks end long before the
// check that VS Code and the gateway make each hour. At most once a day; on other days it costs one read.
import { tidyLedger } from '../engine/controller.ts';
import type { AdvancedSettings } from '../core/settings.ts';
import type { Ports } from '../engine/ports.ts';

const DAY_MS = 86_400_000;

export interface TidyAfterInput {
  readonly ports: Pick<Ports, 'store' | 'files' | 'random' | 'clock'>;
  readonly settings: AdvancedSettings['ledger'];
  /** True: the settings are only defaults; those that the ledger was last tidied by go before. */
  readonly isGuest: boolean;
  /** Who wants to leave does not wait for it. */
  readonly signal: AbortSignal;
  /** Gets trouble in words. */
  readonly tell: (message: string) => void;
}

/**
 * Tidies up where it is due. Resolves always, also at an abort; what is under way then ends with the store. The command's own
 * entry is always a fresh one, so it is not waited for quiet as elsewhere: the store works in short steps, beside others.
 */
export async function tidyAfter({ ports, settings, isGuest, signal, tell }: TidyAfterInput): Promise<void> {
  if (signal.aborted) return;
  const aborted = Promise.withResolvers<null>();
  const leave = (): void => aborted.resolve(null);
  signal.addEventListener('abort', leave, { once: true });
  try {
    const tidied = tidyLedger(ports, settings, ports.clock.nowMs(), { overdueMs: DAY_MS, isGuest });
    const done = await Promise.race([tidied, aborted.promise]);
    if (done?.ok === false) tell(`the ledger was not tidied up: ${done.error.message}`);
  } catch (error) {
    tell(`the ledger was not tidied up (${error instanceof Error ? error.message : 'unknown error'})`);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
