// What the document says and its own figures do not bear out (study, section 5). Each claim is tried on the spot: the exact
// expectation with the claim taken literally, beside the printed figure. Also the assumptions that the fit rests on.
import { expectTask, type Expectation } from './expectation.ts';
import type { SimulationParameters } from './parameters.ts';
import { documentPolicies, type DocumentPolicy } from './policies.ts';
import { TABLE_12, TABLE_13, TABLE_15 } from './published.ts';
import { T4, T5, T6, T7, T8 } from './codes.ts';
import { TABLE_B1, worldOf } from './world.ts';

/** A claim of the document and what happens when it is taken literally. */
export interface TriedClaim {
  readonly claim: string;
  readonly source: string;
  readonly finding: string;
}

/** What the figures rest on where the document is silent; one sentence each. */
export const ASSUMPTIONS: readonly string[] = [
  'The tables reproduce with fitted parameters: the author’s program and open numbers are not known. About 55 free numbers stand against about 65 independent cells, so that a match shows that the tables can be reached, not that these are the author’s numbers. Set J has seen Tables 12, 13, 15 and C1; set A has seen Tables 12 and 13 only, and only its Tables 15 and C1 are predictions.',
  'A transient fault (T1, T2, T3, T6) of a policy that retries costs no money, counts as no attempt and takes no service time, only the wait. Sticky faults (T4, T5, T7, T8) and completed calls are billed in full. NoRetry and DegradeOnly are billed for every attempt.',
  'Steps are 4 to 8 by fitted weights; fault classes come by fitted shares for models (no T5) and tools (no T4, T6); a write that timed out has happened with a fitted probability.',
  'A task may fall into an incident of its provider or of its tools, for its whole length; incidents add faults (T4, T5) and wrong outputs, less so on alternates. Without incidents in the main run Tables 12 and C1 do not fit each other.',
  'The attempt after a transient fault faults less often than the first (factor rho).',
  'The verifier costs nothing and takes no time. Its detection and false-reject rates are scaled policy by policy.',
  'HFR escalates a quarter of the T7 failures of low and medium tasks and all of high ones, degrades at the second V1, and makes one last try on the cheap tier, or on the alternate for high criticality.',
  'An idempotency key makes a repeated write harmless; a probe of the ledger always answers and is right.',
];

/** What Belay's own recovery is told in this world; one sentence each. */
export const PLUS_ASSUMPTIONS: readonly string[] = [
  'hfr-plus is told the class of a failure with certainty, as the document’s policies are, and nothing of the quality of substitutes: they may be tried and must pass their check.',
  'Writes are R2 and no key is relied on: every write that failed is looked up by its probe before anything else. A rejected one that happened is planned anew: it is made again as another write, and this world, which counts a duplicate only after a lost answer, charges nothing for the first one. How much rests on that is shown by the rows without REPLAN.',
  'Each attempt makes another output, and the verifier’s reason is new evidence for it; a cache gives the same answer again and is asked once.',
  'A T7 that is not split may be a missing permission, so no other model or tool is offered for it: one repair of the same call, which the world lets fail as often as any repetition.',
  'Tasks share nothing, so the breakers of an installation stay closed; the one inside a task is the preset’s. The deadline is 120 s.',
];

/** All claims, tried in the worlds of `parameters`. */
export function tryClaims(parameters: SimulationParameters): readonly TriedClaim[] {
  return [
    everyAttemptCounts(parameters),
    falseRejects(parameters),
    oneVerifier(parameters),
    sameAsBlindRetry(parameters),
    whatStopsRetryOnly(parameters),
    independentFaults(parameters),
    degradationWithoutVerifier(parameters),
    spreadOfDegradeOnly(),
  ];
}

function everyAttemptCounts(parameters: SimulationParameters): TriedClaim {
  const literal = {
    ...parameters,
    billed: { transient: 1, sticky: 1, withoutRetry: 1 },
    latency: { ...parameters.latency, transientFactor: 1, stickyFactor: 1 },
  };
  const text = (policy: DocumentPolicy): string =>
    `${policy} ${expect(literal, policy).attempts.toFixed(2)} (printed ${printed(TABLE_13, policy, 'attempts')})`;
  return {
    claim: 'Attempts and cost count every physical attempt.',
    source: '6.2, Table 13',
    finding: `Counted so, attempts become ${text('fixed-retry-3')}, ${text('retry-only')}, ${text('hfr')}; the printed ones need retried transient faults to be free.`,
  };
}

function falseRejects(parameters: SimulationParameters): TriedClaim {
  const literal = { ...parameters, falseRejectFactor: everyPolicy(1) };
  const hfr = expect(literal, 'hfr');
  return {
    claim: 'The verifier rejects 2 % of the right outputs.',
    source: 'Table B1',
    finding: `With 2 % in every verified policy HFR makes ${hfr.attempts.toFixed(2)} attempts (printed ${printed(TABLE_13, 'hfr', 'attempts')}) and degrades ${hfr.deg.toFixed(1)} % (printed ${printed(TABLE_12, 'hfr', 'deg')}), and DegradeOnly succeeds in ${expect(literal, 'degrade-only').sr.toFixed(1)} % (printed ${printed(TABLE_12, 'degrade-only', 'sr')}); only NoRetry and partly FixedRetry3 show it.`,
  };
}

function oneVerifier(parameters: SimulationParameters): TriedClaim {
  const sr = expect({ ...parameters, detectionFactor: everyPolicy(1) }, 'degrade-only').sr;
  return {
    claim: 'One verifier, of detection 0.90 and 0.98, serves every policy.',
    source: 'Table B1',
    finding: `With it DegradeOnly succeeds in ${sr.toFixed(1)} % (printed ${printed(TABLE_12, 'degrade-only', 'sr')}); the fit scales its detection by ${parameters.detectionFactor.degradeOnly}.`,
  };
}

function sameAsBlindRetry(parameters: SimulationParameters): TriedClaim {
  const difference = expect(parameters, 'hfr').sr - expect(parameters, 'fixed-retry-3').sr;
  return {
    claim: 'HFR succeeds as often as blind retry: +0.08 pp.',
    source: '6.3, first point',
    finding: `Here HFR is ${difference.toFixed(2)} pp above FixedRetry3: with stickiness ${parameters.stickiness} blind retry clears little of what sticks, and no plausible shares bring it up.`,
  };
}

function whatStopsRetryOnly(parameters: SimulationParameters): TriedClaim {
  const base = expect(parameters, 'retry-only').sr;
  const gain = (codes: readonly number[]): string =>
    (expect(without(parameters, codes), 'retry-only').sr - base).toFixed(1);
  return {
    claim: 'RetryOnly is stopped by overload, missing tools, permanent errors and refusals.',
    source: '6.3, second point',
    finding: `Taking T4 and T5 out of the faults of chance gives it ${gain([T4, T5])} pp, T7 and T8 ${gain([T7, T8])} pp, and T6, which it cannot compress, ${gain([T6])} pp.`,
  };
}

function independentFaults(parameters: SimulationParameters): TriedClaim {
  const last = TABLE_15[TABLE_15.length - 1];
  const rate = last?.faultRate ?? TABLE_B1.faultRate;
  const sr = expect({ ...parameters, afterTransientFactor: 1 }, 'retry-only', rate).sr;
  return {
    claim: 'Every attempt faults with the same probability, whatever came before.',
    source: '6.2, Table 15',
    finding: `Then RetryOnly at fault rate ${rate} succeeds in ${sr.toFixed(1)} % (printed ${last?.sr[1] ?? 0}); the nearly straight lines of Table 15 want a retry that faults less often (factor ${parameters.afterTransientFactor}).`,
  };
}

function degradationWithoutVerifier(parameters: SimulationParameters): TriedClaim {
  return {
    claim: 'Without the verifier HFR still degrades 14.02 % of the tasks.',
    source: 'Table 12',
    finding: `Here ${expect(parameters, 'hfr-no-verifier').deg.toFixed(2)} %: rejected outputs degrade fewer tasks than the document's difference of 0.65 pp says. It stays inside its bar.`,
  };
}

function spreadOfDegradeOnly(): TriedClaim {
  const sr = TABLE_12['degrade-only'].sr?.value ?? 0;
  const independent = Math.sqrt((sr * (100 - sr)) / 20_000);
  return {
    claim: 'The spread between seeds is sampling noise of independent tasks.',
    source: '6.2, Table 12',
    finding: `For DegradeOnly independent tasks give a standard deviation of ${independent.toFixed(2)} pp; the printed ${TABLE_12['degrade-only'].sr?.sd ?? 0} is not reproduced by any set.`,
  };
}

function expect(
  parameters: SimulationParameters,
  name: DocumentPolicy,
  faultRate: number = TABLE_B1.faultRate,
): Expectation {
  const policy = documentPolicies(parameters).find((each) => each.name === name);
  if (!policy) throw new Error(`no policy ${name}`);
  return expectTask(policy, worldOf(parameters, faultRate, null));
}

function printed(table: typeof TABLE_12, policy: DocumentPolicy, column: 'sr' | 'deg' | 'attempts'): number {
  return table[policy][column]?.value ?? 0;
}

function everyPolicy(factor: number): SimulationParameters['detectionFactor'] {
  return { noRetry: factor, fixedRetry: factor, retryOnly: factor, degradeOnly: factor, hfr: factor };
}

/** The same world where faults of these classes do not happen by chance; the others stay as frequent as they were. */
function without(parameters: SimulationParameters, codes: readonly number[]): SimulationParameters {
  const cut = (shares: Float64Array): Float64Array => shares.map((share, code) => (codes.includes(code) ? 0 : share));
  const { model, tool } = parameters.faultShares;
  return { ...parameters, faultShares: { model: cut(model), tool: cut(tool) } };
}
