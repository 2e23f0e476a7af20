// The words of the balanced and fast scheduler: what is known of a candidate, what was learned, what one attempt teaches.
// Plain data only: it is saved, sent and compared. The constants are in constants.ts. Source: scheduler-study 6.2.
import type { CandidateId } from '../../candidate.ts';
import type { Role } from '../../chat.ts';

/** Capability tier: small, medium, large, or not known (then the careful priors of `constants.tiers.unknown` hold). */
export type TierLetter = 'S' | 'M' | 'L' | 'unknown';

/** What a source of failure is: the candidate itself, its region, its vendor, a backbone that regions share. */
export type SourceKind = 'own' | 'region' | 'vendor' | 'backbone';

/** A source of failure by kind and label, e.g. `region:openai:eu`. Candidates with the same name fail together. */
export type SourceName = `${SourceKind}:${string}`;

/** Dollars per million tokens, or a multiple of the reference price (study: L = 1), or null where nothing is known. */
export type CandidatePrice =
  | {
      readonly inputUsdPerMTok: number;
      readonly outputUsdPerMTok: number;
      /** Of an input token that is read from the prompt cache; null: no discount. */
      readonly cachedInputUsdPerMTok: number | null;
    }
  | { readonly relative: number }
  | null;

/** What is configured of a candidate, as far as the scheduler needs it. */
export interface CandidateFacts {
  readonly id: CandidateId;
  readonly tier: TierLetter;
  /** Each source once, `own` first. */
  readonly sources: readonly SourceName[];
  readonly price: CandidatePrice;
  /** Tokens of prompt plus answer; null: not known. */
  readonly contextWindowTokens: number | null;
  /** Calls that it serves at full speed at the same time (a local server's slots); null: not known, never a reason. */
  readonly capacity: number | null;
  /** Its answers are computed on this machine, so a second one at the same time slows the first; absent: they are not. */
  readonly isLocalCompute?: true;
}

/** Belief that a source is down. */
export interface SourceBelief {
  /** 0-1, as of `atMs`; relaxes to its prior from then on. */
  readonly p: number;
  readonly atMs: number;
}

/** Long-run distribution of a duration: ln(ms) is normal(m, s2). `n`: observations behind it, the prior counts as one. */
export interface LatencyBelief {
  readonly m: number;
  readonly s2: number;
  readonly n: number;
}

/** Own decode speed: ln(ms per output token) and how many answers it was seen in. */
export interface DecodeNorm {
  readonly m: number;
  readonly n: number;
}

/** Soft counts of a Beta distribution. */
export interface BetaBelief {
  readonly alpha: number;
  readonly beta: number;
}

/** What was learned of one candidate. Every figure is as of `atMs` and relaxes towards its prior from then on. */
export interface CandidateBelief {
  readonly atMs: number;
  /** f: chance that a call fails though no source is down, 0-1. */
  readonly baseFail: number;
  readonly total: LatencyBelief;
  readonly firstToken: LatencyBelief;
  /** x: how much slower than its long run it is now, in ln units (ln 10 in a tenfold brown-out). */
  readonly fast: number;
  readonly decode: DecodeNorm;
  /** Per role; an absent role has its tier's prior. */
  readonly quality: Readonly<Record<Role, BetaBelief>>;
  /** The provider asked to be left alone (Retry-After), counted from `fromMs`; null: it did not. */
  readonly cooling: { readonly fromMs: number; readonly forMs: number } | null;
}

/** Sums over the promises of one bin, weighted by recency. */
export interface CalibrationBin {
  readonly n: number;
  /** Sum of promised success. */
  readonly promised: number;
  /** Sum of what independence would have promised; for single attempts the same as `promised`. */
  readonly independent: number;
  /** Sum of successes. */
  readonly observed: number;
}

/** Promised against observed success: of single attempts by bin of the promise, and of start sets by bin of the failure. */
export interface Calibration {
  readonly attempts: readonly CalibrationBin[];
  readonly starts: readonly CalibrationBin[];
}

/** Everything the scheduler has learned. JSON in and out; its size has a bound (savedState.ts). */
export interface SchedulerState {
  readonly version: 1;
  /** Latest time it has seen. */
  readonly atMs: number;
  readonly sources: Readonly<Record<string, SourceBelief>>;
  readonly candidates: Readonly<Record<CandidateId, CandidateBelief>>;
  /** Tokens in the hedge bucket. */
  readonly hedgeTokens: number;
  readonly calibration: Calibration;
}

/**
 * How an attempt ended. hard-failure: refused, reset, 5xx, rate limited, timed out. hang-cut: cut off while it was overdue and
 * silent (see `cutOutcome`). invalid-output: answered, but unusable by a deterministic check. neutral: says nothing of the
 * candidate (the user's cancel, a refusal, our own bad request). cancelled: a superseded loser, known to last at least `totalMs`.
 */
export type TraceOutcome = 'success' | 'hard-failure' | 'hang-cut' | 'invalid-output' | 'neutral' | 'cancelled';

/** Where a judgement of quality comes from; each has its weight in `constants.evidence`. */
export type QualitySource = 'verifier' | 'acceptance' | 'schema' | 'semantic-fault' | 'judge';

/** One judgement of an answer. */
export interface QualityEvidence {
  readonly source: QualitySource;
  /** 0 useless, 1 perfect. */
  readonly q: number;
  /** Multiplies the source's own weight, 0-1; absent: 1. */
  readonly weight?: number;
}

/** What one attempt teaches. Numbers that cannot be are left out of account one by one. */
export interface CallTrace {
  readonly candidate: CandidateId;
  readonly role: Role;
  readonly outcome: TraceOutcome;
  /** ms from launch to the end, or to the cut. */
  readonly totalMs: number;
  /** ms from launch to the first content; null: none came. */
  readonly firstTokenMs: number | null;
  /** Output tokens that came; null: not counted. */
  readonly outputTokens: number | null;
  /** Judgements that are known already; later ones go through `learnQuality`. Only successes are judged. */
  readonly quality: readonly QualityEvidence[];
  /** A one-token call of the scheduler's own: teaches the sources and the present speed, nothing else. */
  readonly isPing: boolean;
  /** Availability promised at launch, for calibration; null: not kept. */
  readonly promisedSuccess: number | null;
  /** Kinds of sources that may be at fault; absent: all. A refused key blames `own` alone. */
  readonly blames?: readonly SourceKind[];
  /** ms for which the provider asked to be left alone; absent: it did not. */
  readonly retryAfterMs?: number;
}
