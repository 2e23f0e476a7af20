// Asks a provider which models it has, while a person adds it: this also proves address and key.
// One request, five seconds; trouble comes back as words for a person, never with the key in them.
import type { ProviderKind } from '../../core/candidate.ts';
import type { Observation } from '../../core/faults/fault.ts';
import type { Result } from '../../engine/ports.ts';
import { probeProvider } from '../providers/probeProvider.ts';
import { realClock } from '../time/realClock.ts';

const TIMEOUT_MS = 5000;

/** Where to ask, and with which key (null: none). */
export interface ListRequest {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly key: string | null;
}

/** Model names in the provider's own order. */
export type ListModels = (request: ListRequest) => Promise<Result<readonly string[], string>>;

/** Lists the models of a provider over the network. */
export const listModels: ListModels = async ({ kind, baseUrl, key }) => {
  const probed = await probeProvider({
    kind,
    baseUrl,
    key: key ?? '',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    clock: realClock(),
  });
  return probed.ok ? { ok: true, value: probed.value.models } : { ok: false, error: reasonOf(probed.error) };
};

function reasonOf({ httpStatus, clientError }: Observation): string {
  if (httpStatus === 401 || httpStatus === 403) return `the key was refused, ${httpStatus}`;
  if (clientError?.code === 'ABORT_ERR') return `no answer within ${TIMEOUT_MS / 1000} s`;
  if (clientError?.message !== undefined) return clientError.message;
  return httpStatus === null ? 'it cannot be reached' : `it answered ${httpStatus}`;
}
