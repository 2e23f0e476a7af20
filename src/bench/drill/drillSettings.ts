// The drill's configuration: Belay's own defaults, the wall's servers as providers, and timers sized for a wall that hurries.
import { parseSettings, type Settings } from '../../core/settings.ts';
import type { WallEndpoint } from '../wall/wall.ts';

/** Name of the route that the drill asks for. */
export const DRILL_MODEL = 'drill';

const kindOf: Readonly<Record<WallEndpoint['vendor'], 'openai' | 'anthropic'>> = {
  'openai-like': 'openai',
  'anthropic-like': 'anthropic',
};

/** Account name of an endpoint: each server has a key of its own. */
export const accountOf = (endpoint: WallEndpoint): string => endpoint.region;

/** The candidate id that Belay gives a model of an endpoint. */
export function candidateIdAt(endpoint: Pick<WallEndpoint, 'vendor' | 'region'>, model: string): string {
  return `${kindOf[endpoint.vendor]}/${endpoint.region}/${model}@${endpoint.region}`;
}

/** The wall's servers as raw `belay.providers`. Each key is named by an environment variable of its own. */
export function wallProviders(endpoints: readonly WallEndpoint[]): readonly Record<string, unknown>[] {
  return endpoints.map((endpoint) => ({
    id: kindOf[endpoint.vendor],
    kind: kindOf[endpoint.vendor],
    account: accountOf(endpoint),
    baseUrl: endpoint.baseUrl,
    path: 'sdk',
    keyEnv: keyVariableOf(endpoint),
    regions: [{ name: endpoint.region, environment: endpoint.environment }],
    models: endpoint.models.map(({ name, tier, contextWindowTokens, price }) => ({
      name,
      tier,
      contextWindowTokens,
      price,
    })),
  }));
}

/** Environment variable that holds the key of an endpoint, for a Belay in another process. */
export function keyVariableOf(endpoint: Pick<WallEndpoint, 'vendor' | 'region'>): string {
  return `BELAY_WALL_${kindOf[endpoint.vendor]}_${endpoint.region}`.toUpperCase();
}

/** Raw settings for a wall. Everything not named here is the embedded default. */
export function wallSettings(endpoints: readonly WallEndpoint[]): Readonly<Record<string, unknown>> {
  return {
    'belay.providers': wallProviders(endpoints),
    'belay.routes': { [DRILL_MODEL]: { candidates: ['*'] } },
    'belay.advanced': {
      timers: { firstTokenMs: 1500, idleMs: 1500, totalMs: 20_000 },
      scheduler: { balanced: { firstTokenMaxMs: 900 } },
    },
  };
}

/** The drill's settings, checked. */
export function drillSettings(endpoints: readonly WallEndpoint[]): Settings {
  const { settings, problems } = parseSettings(wallSettings(endpoints));
  const [problem] = problems;
  if (problem) throw new Error(`drill settings: ${problem.path}: ${problem.message}`);
  return settings;
}
