// The paper's claims (scheduler study, section 2), each tried on rows of this run: what is claimed, what came out, and whether it
// holds by a condition that is written beside it. A claim whose rows were not run says so.
import type { WorldRow } from './figures.ts';
import type { ScenarioName } from './scenarios.ts';

export type Verdict = 'holds' | 'holds in part' | 'does not hold' | 'not run';

export interface TriedClaim {
  readonly claim: string;
  readonly finding: string;
  readonly verdict: Verdict;
}

/** Finds a row; throws `Missing` where it was not run. */
type Find = (scenario: ScenarioName, policy: string) => WorldRow;
class Missing extends Error {}

/** What the claims need to be run. */
export const CLAIM_SCENARIOS: readonly ScenarioName[] = ['static', 'dynamic', 'outage-900', 'outage-3600'];

/** All claims, tried on these rows. */
export function tryClaims(rows: readonly WorldRow[]): readonly TriedClaim[] {
  const find: Find = (scenario, policy) => {
    const row = rows.find((each) => each.scenario === scenario && each.policy === policy);
    if (!row) throw new Missing(`${scenario}/${policy}`);
    return row;
  };
  return CLAIMS.map(([claim, tried]) => {
    try {
      const { finding, parts } = tried(find);
      const held = parts.filter(Boolean).length;
      const verdict = held === parts.length ? 'holds' : held === 0 ? 'does not hold' : 'holds in part';
      return { claim, finding, verdict };
    } catch (cause) {
      if (!(cause instanceof Missing)) throw cause;
      return { claim, finding: `the row ${cause.message} was not run`, verdict: 'not run' };
    }
  });
}

interface Tried {
  readonly finding: string;
  /** Conditions of the claim, each true where it holds. */
  readonly parts: readonly boolean[];
}

const CLAIMS: readonly (readonly [string, (find: Find) => Tried])[] = [
  [
    'All-failed of the baselines: BestOne 9-14 %, Random 7-9, MoA ~0, Regional 3-3.6, Local 0-.3, Global 7.6-8.6 (a target of the world; conditions: within 2 points)',
    baselines,
  ],
  ['HACO fails in .17-.40 % of the steps (A and B, static and dynamic; condition: at most .40)', hacoFails],
  [
    'HACO’s latency is the lowest or close to it (mean at most 1.05 x BestOne; p99 at most that of the 20 s gateway)',
    latency,
  ],
  ['HACO takes far fewer tokens than MoA (21-55 %) at 2.0-4.0 x BestOne', tokens],
  ['BestOne loses 67-90 points under an outage', bestOneBreaks],
  [
    'HACO moves 80 points of its traffic away within dozens of steps (A and B: at least 60 points; shift at most 48 steps after 900 and after 3600 s)',
    moves,
  ],
  ['tau from .70 to .95 trades reliability for tokens, monotonously and smoothly', monotone],
  [
    'Each part is needed: without Env, LCB or UCB it fails more often (dynamic, A and B, by more than 2 standard errors)',
    ablations,
  ],
  ['mu is a success probability (condition: expected over observed failures of the start set within 2 x)', calibrated],
  [
    'The first good answer is handed over at once (condition: a usable answer is held at most 8 s in 99 % of the steps)',
    blocking,
  ],
  ['The cold start is cheap (condition: first 60 steps at most 1.4 x BestOne’s tokens)', coldStart],
];

const HACOS = ['haco-a', 'haco-b'] as const;
const WORLDS = ['static', 'dynamic'] as const;

function baselines(find: Find): Tried {
  const ranges: readonly (readonly [string, number, number])[] = [
    ['best-one', 9, 14],
    ['random', 7, 9],
    ['moa', 0, 0],
    ['fixed-regional', 3, 3.6],
    ['fixed-local', 0, 0.3],
    ['fixed-global', 7.6, 8.6],
  ];
  const found = ranges.map(([policy, least, most]) => ({
    policy,
    least,
    most,
    pct: find('static', policy).allFailedPct,
  }));
  return {
    finding: `static: ${found.map(({ policy, pct }) => `${policy} ${pct.toFixed(2)}`).join(', ')}`,
    parts: found.map(({ least, most, pct }) => pct >= least - 2 && pct <= most + 2),
  };
}

function hacoFails(find: Find): Tried {
  const found = HACOS.flatMap((policy) =>
    WORLDS.map((world) => ({ policy, world, pct: find(world, policy).allFailedPct })),
  );
  return {
    finding: found.map(({ policy, world, pct }) => `${policy} ${world} ${pct.toFixed(3)} %`).join(', '),
    parts: found.map(({ pct }) => pct <= 0.4),
  };
}

function latency(find: Find): Tried {
  const text = WORLDS.map((world) => {
    const [a, b, best] = [find(world, 'haco-a'), find(world, 'haco-b'), find(world, 'best-one')];
    return `${world}: mean ${a.mean.toFixed(1)} (A), ${b.mean.toFixed(1)} (B), BestOne ${best.mean.toFixed(1)}; p99 ${a.p99.toFixed(1)}, ${b.p99.toFixed(1)}`;
  });
  const parts = WORLDS.flatMap((world) =>
    HACOS.flatMap((policy) => {
      const row = find(world, policy);
      return [row.mean <= 1.05 * find(world, 'best-one').mean, row.p99 <= find(world, 'gateway-breaker-20').p99];
    }),
  );
  return { finding: `${text.join('; ')} (p99 is the call timeout)`, parts };
}

function tokens(find: Find): Tried {
  const found = HACOS.flatMap((policy) =>
    WORLDS.map((world) => {
      const row = find(world, policy);
      return {
        policy,
        world,
        ofMoa: (100 * row.fullCalls) / find(world, 'moa').fullCalls,
        times: row.timesBestOne ?? 0,
      };
    }),
  );
  return {
    finding: found
      .map(
        ({ policy, world, ofMoa, times }) =>
          `${policy} ${world} ${ofMoa.toFixed(0)} % of MoA, ${times.toFixed(2)} x BestOne`,
      )
      .join(', '),
    parts: found.flatMap(({ ofMoa, times }) => [ofMoa <= 55, times >= 2 && times <= 4]),
  };
}

function bestOneBreaks(find: Find): Tried {
  const before = find('static', 'best-one').allFailedPct;
  const during = find('outage-900', 'best-one').details.outageAllFailedPct ?? 0;
  return {
    finding: `${before.toFixed(0)} % -> ${during.toFixed(0)} % (by construction: its choice is frozen)`,
    parts: [during - before >= 67],
  };
}

function moves(find: Find): Tried {
  const found = HACOS.flatMap((policy) =>
    (['outage-900', 'outage-3600'] as const).map((world) => {
      const { shiftSteps, details } = find(world, policy);
      const [before, during] = details.outagePrimaryPct ?? [0, 0, 0];
      return { policy, world, shiftSteps, before, during };
    }),
  );
  return {
    finding: found
      .map(
        ({ policy, world, shiftSteps, before, during }) =>
          `${policy} ${world}: Global is primary in ${before.toFixed(0)} -> ${during.toFixed(0)} %, shift ${shiftSteps ?? 'never'}`,
      )
      .join('; '),
    parts: found.flatMap(({ shiftSteps, before, during }) => [before - during >= 60, (shiftSteps ?? Infinity) <= 48]),
  };
}

function monotone(find: Find): Tried {
  const names = HACOS.map((policy) => [`${policy}-tau-0.7`, `${policy}-tau-0.8`, `${policy}-tau-0.9`, policy]);
  const series = names.map((each) => each.map((policy) => find('dynamic', policy)));
  const falls = series.map((rows) =>
    rows.every((row, at) => at === 0 || row.allFailedPct <= (rows[at - 1]?.allFailedPct ?? 0)),
  );
  const rises = series.map((rows) =>
    rows.every((row, at) => at === 0 || row.fullCalls >= (rows[at - 1]?.fullCalls ?? 0)),
  );
  return {
    finding: series
      .map(
        (rows, at) =>
          `${HACOS[at] ?? ''} dynamic ${rows.map((row) => row.allFailedPct.toFixed(2)).join(' / ')} % at ${rows.map((row) => row.fullCalls.toFixed(1)).join(' / ')} full calls`,
      )
      .join('; '),
    parts: [...falls, ...rises],
  };
}

function ablations(find: Find): Tried {
  const found = HACOS.flatMap((policy) =>
    ['env', 'lcb', 'ucb'].map((part) => {
      const whole = find('dynamic', policy);
      const without = find('dynamic', `${policy}-no-${part}`);
      const se = Math.hypot(whole.se.allFailedPct ?? 0, without.se.allFailedPct ?? 0);
      return { policy, part, whole: whole.allFailedPct, without: without.allFailedPct, se };
    }),
  );
  return {
    finding: found
      .map(
        ({ policy, part, whole, without }) =>
          `${policy} without ${part} ${without.toFixed(3)} (whole ${whole.toFixed(3)})`,
      )
      .join(', '),
    parts: found.map(({ whole, without, se }) => without - whole > 2 * se),
  };
}

function calibrated(find: Find): Tried {
  const found = HACOS.flatMap((policy) =>
    WORLDS.map((world) => ({ policy, world, ratio: find(world, policy).calibration })),
  );
  return {
    finding: found
      .map(
        ({ policy, world, ratio }) =>
          `${policy} ${world} ${ratio === null ? 'no failure seen' : `${ratio.toFixed(1)} x`}`,
      )
      .join(', '),
    parts: found.map(({ ratio }) => ratio !== null && ratio >= 0.5 && ratio <= 2),
  };
}

function blocking(find: Find): Tried {
  const found = HACOS.flatMap((policy) =>
    WORLDS.map((world) => ({ policy, world, holdS: find(world, policy).holdP99 })),
  );
  return {
    finding: found.map(({ policy, world, holdS }) => `${policy} ${world} ${holdS.toFixed(1)} s`).join(', '),
    parts: found.map(({ holdS }) => holdS <= 8),
  };
}

function coldStart(find: Find): Tried {
  const found = HACOS.flatMap((policy) =>
    WORLDS.map((world) => ({ policy, world, times: find(world, policy).coldStartTimesBestOne ?? 0 })),
  );
  return {
    finding: found.map(({ policy, world, times }) => `${policy} ${world} ${times.toFixed(2)} x`).join(', '),
    parts: found.map(({ times }) => times <= 1.4),
  };
}
