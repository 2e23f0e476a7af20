// A store that does not answer costs calls nothing: budgets and breakers are counted in memory, this window for itself (HFR 4.1:
// fail open, and say so). This says so, once for each outage, and again when it is over.
import type { EventIds } from '../core/context.ts';
import type { Emit } from './eventLog.ts';
import type { Result, StoreFault, StorePort } from './ports.ts';

const IDS: EventIds = { tenant: 'local', client: 'belay', task: 'store', step: 0 };

/** The store with its outages told. Answers are passed on as they are. */
export function withStoreNotices(store: StorePort, emit: Emit): StorePort {
  let isOut = false;
  const told = <T>(answer: Result<T, StoreFault>): Result<T, StoreFault> => {
    if (answer.ok === !isOut) return answer;
    isOut = !answer.ok;
    const body = answer.ok
      ? ({ severity: 'info', message: 'Budgets and breakers are shared between windows again.', remedy: '' } as const)
      : ({
          severity: 'warning',
          message: `Budgets and breakers are counted in this window alone, since the store does not answer: ${answer.error.message}`,
          remedy:
            'Calls go on. Until the store answers again several windows together may retry more often than is set.',
        } as const);
    emit(IDS, { type: 'notice', ...body });
    return answer;
  };
  return {
    ...store,
    takeBudget: async (take) => told(await store.takeBudget(take)),
    shareBreakers: async (breakers) => told(await store.shareBreakers(breakers)),
  };
}
