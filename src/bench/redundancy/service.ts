// The source's unreliable service and four ways to call it. Every version meets the same luck: request number n has the same first and
// second copy in all of them. Times are seconds. Source: the redundant-execution text (seed 004), 3.1 and 3.2.
import { Draws } from '../world/draws.ts';

/** 3.1: a fifth fails at once, a tenth takes 5 to 7 s, the rest .5 to 1 s. */
export const SERVICE = { failShare: 0.2, slowShare: 0.1, slowS: [5, 7], usualS: [0.5, 1] } as const;

/** A request that takes longer is in the long tail (3.3). */
export const LONG_S = 5;

/** One execution: seconds until its answer, or null where it fails (at once). */
export type Execution = number | null;

/**
 * single: one execution. first-wins: two at once, the first success is the answer and the other one is cancelled. as-printed: the text's
 * own code; `return` inside `with ThreadPoolExecutor` runs `shutdown(wait=True)`, so the answer waits for the loser, and a
 * thread that runs cannot be cancelled. serial-retry: one, and once more at once if it failed.
 */
export const VERSIONS = ['single', 'first-wins', 'as-printed', 'serial-retry'] as const;
export type Version = (typeof VERSIONS)[number];

/** What one request came to. */
export interface Served {
  readonly isAnswered: boolean;
  /** Until the answer, or until it is known that there is none. */
  readonly latencyS: number;
  /** Copies that were started. */
  readonly executions: number;
  /** Seconds that copies were at work. */
  readonly busyS: number;
}

/** What a version makes of the two copies that a request meets. */
export function serve(version: Version, first: Execution, second: Execution): Served {
  switch (version) {
    case 'single':
      return served([first], first ?? 0, first ?? 0);
    case 'first-wins': {
      const latencyS = Math.min(first ?? second ?? 0, second ?? first ?? 0);
      return served([first, second], latencyS, Math.min(first ?? 0, latencyS) + Math.min(second ?? 0, latencyS));
    }
    case 'as-printed':
      return served([first, second], Math.max(first ?? 0, second ?? 0), (first ?? 0) + (second ?? 0));
    case 'serial-retry': {
      const latencyS = first ?? second ?? 0;
      return served(first === null ? [first, second] : [first], latencyS, latencyS);
    }
  }
}

function served(copies: readonly Execution[], latencyS: number, busyS: number): Served {
  return { isAnswered: copies.some((copy) => copy !== null), latencyS, executions: copies.length, busyS };
}

/** Kind of the keys of this luck; the world's own kinds are 1 to 6. */
const LUCK = 40;
const PURPOSE = { kind: 0, delay: 1 } as const;

/** The two copies that each request of a seed meets. */
export interface ServiceLuck {
  readonly seed: number;
  readonly requests: readonly (readonly [Execution, Execution])[];
}

/** The first `count` requests of a seed; a longer luck begins with the shorter one. */
export function drawLuck(seed: number, count: number): ServiceLuck {
  const draws = new Draws();
  const requests = Array.from(
    { length: count },
    (_, request) =>
      [execution(draws.key(seed, LUCK, request, 0)), execution(draws.key(seed, LUCK, request, 1))] as const,
  );
  return { seed, requests };
}

function execution(draws: Draws): Execution {
  const roll = draws.uniform(PURPOSE.kind);
  if (roll < SERVICE.failShare) return null;
  return draws.between(PURPOSE.delay, roll < SERVICE.failShare + SERVICE.slowShare ? SERVICE.slowS : SERVICE.usualS);
}
