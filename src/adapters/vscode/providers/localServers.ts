// Which model servers answer on this machine at their usual address. They are only asked for their list of models.
import { presetFacts, presetNames, type PresetName } from '../../../core/providers/kinds.ts';
import { probeProvider } from '../../providers/probeProvider.ts';
import { realClock } from '../../time/realClock.ts';
import { isOwnServer } from './draft.ts';

/** Where a server would be. */
export interface ServerAddress {
  readonly preset: PresetName;
  readonly baseUrl: string;
}

/** One that answers, and how many models it has. */
export interface RunningServer {
  readonly preset: PresetName;
  readonly modelCount: number;
}

/** A local server answers at once or is not there. */
const FIND_TIMEOUT_MS = 700;

/** The usual addresses of servers that want no key. */
export const usualServers: readonly ServerAddress[] = presetNames
  .filter((preset) => isOwnServer({ kind: 'openai-compatible', preset }))
  .map((preset) => ({ preset, baseUrl: presetFacts[preset].baseUrl }));

/** Those that answer with a list of models; all are asked at the same time. */
export async function runningServers(addresses: readonly ServerAddress[]): Promise<readonly RunningServer[]> {
  const found = await Promise.all(
    addresses.map(async ({ preset, baseUrl }): Promise<readonly RunningServer[]> => {
      const probed = await probeProvider({
        kind: 'openai-compatible',
        baseUrl,
        auth: 'none',
        cloud: {},
        region: 'default',
        key: '',
        signal: AbortSignal.timeout(FIND_TIMEOUT_MS),
        clock: realClock(),
      });
      return probed.ok ? [{ preset, modelCount: probed.value.models.length }] : [];
    }),
  );
  return found.flat();
}
