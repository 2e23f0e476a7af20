// The live check of every provider, account and region for `belay doctor`: key or sign-in, address, latency, and whether the
// configured models are there. Sends no prompt; a region that the residency rule forbids is not asked at all.
import { probeProvider, type ProbeReport } from '../adapters/providers/probeProvider.ts';
import type { Transport } from '../adapters/providers/transport.ts';
import type { Candidate } from '../core/candidate.ts';
import { isOwnPlace } from '../core/disclosure/place.ts';
import { classify } from '../core/faults/classify.ts';
import type { Fault, Observation } from '../core/faults/fault.ts';
import { missingModels, providerPath, residencyWarnings } from '../core/providers/check.ts';
import { keyVariable } from '../core/providers/keys.ts';
import type { Settings, SettingProblem } from '../core/settings.ts';
import { faultWords } from '../core/words.ts';
import type { ClockPort } from '../engine/ports.ts';
import { finding, type Finding } from './doctorText.ts';
import { environmentSecrets } from './ports.ts';

/** What is checked, and by which way. */
export interface ProviderChecks {
  readonly settings: Settings;
  /** The list of providers before any was left out. */
  readonly raw: unknown;
  readonly candidates: readonly Candidate[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Null: the proxy settings cannot be used, and nothing may go around them. */
  readonly transport: Transport | null;
  readonly clock: ClockPort;
}

const PROBE_TIMEOUT_MS = 10_000;
/** The clouds' own tools are slow to start. */
const SIGN_IN_TIMEOUT_MS = 30_000;
/** Names that are listed in one line. */
const MAX_NAMES = 5;

/** One finding for each provider, account and region, in the order of the settings; at the end what has no price. */
export async function providerFindings(checks: ProviderChecks): Promise<readonly Finding[]> {
  const { candidates, settings } = checks;
  if (settings.providers.length === 0) {
    const remedy = 'Name a configuration file with --config, or use "Belay: Add Provider" in VS Code.';
    return [finding('providers', 'note', 'none is configured', remedy)];
  }
  const places = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const { providerId, account, region } = candidate;
    const place = `${providerId}/${account}@${region}`;
    places.set(place, [...(places.get(place) ?? []), candidate]);
  }
  const forbidden = residencyWarnings(settings, checks.raw);
  const found = await Promise.all(
    [...places].map(([place, members]) => placeFinding(checks, `provider ${place}`, members, forbidden)),
  );
  return [...found, ...priceFindings(checks)];
}

async function placeFinding(
  checks: ProviderChecks,
  check: string,
  members: readonly Candidate[],
  forbidden: readonly SettingProblem[],
): Promise<Finding> {
  const [candidate] = members;
  if (!candidate) return finding(check, 'note', 'has no models');
  const { settings, raw, environment, transport, clock } = checks;
  const path = providerPath(candidate, settings, raw);
  const provider = settings.providers.find(
    ({ id, account }) => id === candidate.providerId && account === candidate.account,
  );
  const regionPath = `${path}.regions.${provider?.regions.findIndex(({ name }) => name === candidate.region) ?? 0}`;
  const stays = forbidden.filter((problem) => problem.path === regionPath);
  if (stays.length > 0) return { ...finding(check, 'note', 'not used, so not checked'), problems: stays };
  if (candidate.kind === 'vscode') return finding(check, 'note', 'can be checked inside VS Code only');
  if (transport === null) return finding(check, 'note', 'not checked: see network above');
  const key = await environmentSecrets(settings, environment)(candidate.providerId, candidate.account);
  if (key === null) return { ...finding(check, 'bad', 'has no key'), problems: [keyProblem(path, provider)] };
  const timeoutMs = candidate.auth === 'sign-in' ? SIGN_IN_TIMEOUT_MS : PROBE_TIMEOUT_MS;
  const signal = AbortSignal.timeout(timeoutMs);
  const probe = await probeProvider({ ...candidate, key, transport, signal, clock });
  if (probe.ok) return answeredFinding(checks, check, members, probe.value);
  const trouble = troubleOf(probe.error, classify(probe.error, clock.nowMs()), candidate, timeoutMs);
  return { ...finding(check, 'bad', trouble.message, trouble.remedy), problems: trouble.problems(path) };
}

function keyProblem(path: string, provider: Settings['providers'][number] | undefined): SettingProblem {
  const variable = provider ? keyVariable(provider) : null;
  const message =
    variable === null
      ? 'name the environment variable that holds the key, or set keyless to true'
      : `the environment variable ${variable} is not set; set it, or name another one here`;
  return { path: `${path}.keyEnv`, message };
}

function answeredFinding(
  { settings, raw }: ProviderChecks,
  check: string,
  members: readonly Candidate[],
  { models, isListed, latencyMs }: ProbeReport,
): Finding {
  const time = `answered in ${Math.round(latencyMs)} ms`;
  if (!isListed || models.length === 0) return finding(check, 'good', `${time}; it does not list its models`);
  const problems = missingModels(members, models, settings, raw);
  const count = models.length === 1 ? '1 model' : `${models.length} models`;
  if (problems.length === 0) return finding(check, 'good', `${count}, ${time}`);
  const missing = problems.length === 1 ? '1 configured model is' : `${problems.length} configured models are`;
  return { ...finding(check, 'bad', `${count}, ${time}, but ${missing} not there`), problems };
}

interface Trouble {
  readonly message: string;
  readonly remedy: string;
  /** The setting to look at, below the provider's own path. */
  readonly problems: (path: string) => readonly SettingProblem[];
}

/** What Belay itself found wrong is told in its own words; the rest by what the provider answered. */
function troubleOf(
  { clientError, httpStatus }: Observation,
  fault: Fault,
  { baseUrl, auth }: Candidate,
  timeoutMs: number,
): Trouble {
  const none = (): readonly SettingProblem[] => [];
  const code = clientError?.code;
  if (code?.startsWith('belay_') === true)
    return { message: clientError?.message ?? faultWords[fault.class], remedy: '', problems: none };
  if (httpStatus === 401 || httpStatus === 403) {
    const what = auth === 'sign-in' ? 'the sign-in' : auth === 'none' ? 'a request without a key' : 'the key';
    const remedy =
      auth === 'sign-in'
        ? 'Sign in again, and check that this account may use the provider.'
        : 'Check that the key is whole, not expired, and of an account that may use this provider.';
    return { message: `refuses ${what} (status ${httpStatus})`, remedy, problems: none };
  }
  if (httpStatus === 429)
    return {
      message: `answers, but lets nothing through now (status 429)`,
      remedy: 'Wait, or check the quota of the account.',
      problems: none,
    };
  const address = (path: string): readonly SettingProblem[] => [
    {
      path: `${path}.baseUrl`,
      message: `is ${baseUrl.replace(/\?.*$/, '')}; check that it is right and that you can reach it`,
    },
  ];
  if (httpStatus !== null)
    return { message: `answers with status ${httpStatus} instead of its models`, remedy: '', problems: address };
  const why =
    code === 'ABORT_ERR' ? `no answer within ${timeoutMs / 1000} s` : `cannot be reached (${code ?? fault.class})`;
  return { message: why, remedy: '', problems: address };
}

/** A model without a price costs nothing in Belay's books, which is wrong wherever somebody sends a bill. */
function priceFindings({ candidates, settings, raw }: ProviderChecks): readonly Finding[] {
  const unpriced = candidates.filter(
    (candidate) =>
      candidate.priceSource === 'unknown' &&
      candidate.auth !== 'none' &&
      !candidate.model.includes('{') &&
      !isOwnPlace(candidate),
  );
  const [first] = unpriced;
  if (!first) return [];
  const names = [...new Set(unpriced.map(({ model }) => model))];
  const shown =
    names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '');
  const provider = settings.providers.find(({ id, account }) => id === first.providerId && account === first.account);
  const index = provider?.models.findIndex(({ name }) => name === first.model) ?? 0;
  const path = `${providerPath(first, settings, raw)}.models.${index}.price`;
  const problem = { path, message: 'give inputUsdPerMTok and outputUsdPerMTok, and cost is counted' };
  return [{ ...finding('prices', 'note', `no price is known of ${shown}; cost counts as 0`), problems: [problem] }];
}
