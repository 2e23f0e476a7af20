// Belay's settings for the world: its ten candidates as providers, one of each vendor and region, with the labels of their shared
// failure sources. Everything not named here is the product's own default.
import { parseSettings, settingDefinitions, type Settings } from '../../../core/settings.ts';
import type { CandidateFacts } from '../policy.ts';

/** The model name that is asked for; its route holds every candidate. */
export const WORLD_MODEL = 'world';

const TIERS = { S: 'small', M: 'medium', L: 'large' } as const;
/** Dollars per million prompt tokens at price 1; an answer's token costs four times that, as in the study's cost column. */
const USD_PER_MTOK = 3;
const OUTPUT_FACTOR = 4;

/** Whether this version of Belay has the mode. */
export function hasMode(mode: string): boolean {
  return settingDefinitions['belay.mode'].schema.safeParse(mode).success;
}

/** `mode` as in `belay.mode`; an error names a mode that this version does not have. */
export function worldSettings(candidates: readonly CandidateFacts[], mode: string): Settings {
  const { settings, problems } = parseSettings({
    'belay.mode': mode,
    'belay.providers': candidates.map(providerOf),
    // The lowest tier is asked for, so that all ten are the pool, as HACO has it.
    'belay.routes': { [WORLD_MODEL]: { candidates: ['*'], tier: 'small' } },
    'belay.disclosure.rules': [{ verdict: 'allow' }],
    'belay.callDeadlineSeconds': 120,
    // tau .95 as in the study's main rows; calls are cut off at its timeout.
    // Price 1 is the reference, as in the study.
    'belay.advanced': {
      scheduler: {
        tauMedium: 0.95,
        balanced: { referenceInputUsdPerMTok: USD_PER_MTOK, referenceOutputUsdPerMTok: OUTPUT_FACTOR * USD_PER_MTOK },
      },
      timers: { totalMs: 60_000 },
    },
  });
  const [problem] = problems;
  if (problem) throw new Error(`world settings: ${problem.path}: ${problem.message}`);
  return settings;
}

function providerOf({ name, tier, region, price }: CandidateFacts): Readonly<Record<string, unknown>> {
  const isGlobal = region.startsWith('global');
  const usd = price * USD_PER_MTOK;
  return {
    id: name,
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:9/v1',
    keyless: true,
    path: 'sdk',
    vendor: region === 'local' ? name : tier,
    regions: [
      {
        name: region,
        environment: isGlobal ? 'global' : region,
        ...(isGlobal ? { backbone: 'global' } : {}),
      },
    ],
    models: [
      {
        name,
        tier: TIERS[tier],
        contextWindowTokens: 1_000_000,
        price: { inputUsdPerMTok: usd, outputUsdPerMTok: OUTPUT_FACTOR * usd },
      },
    ],
  };
}
