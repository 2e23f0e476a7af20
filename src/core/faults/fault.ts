// F2D-9: the words in which a failure is told (HFR document, tables 2, 4 and 11). Classification never acts.

/** T1 transient, T2 rate limit, T3 timeout/unknown, T4 overloaded, T5 tool contract, T6 context overflow, T7 permanent, T8 refusal, V1 semantic. */
export type FaultClass = 'T1' | 'T2' | 'T3' | 'T4' | 'T5' | 'T6' | 'T7' | 'T8' | 'V1' | 'unknown';

/** Whether T7 can be mended by one repair, is a matter of permission, or of quota (DESIGN 5). */
export type PermanentDetail = 'fixable' | 'permission' | 'quota';

export type StreamPhase = 'before_headers' | 'before_first_token' | 'mid_stream' | 'after_finish';

export type Operation = 'model_read' | 'tool_read' | 'tool_write';

/** The nine recovery actions (HFR table 3). */
export type RecoveryAction =
  | 'RETRY'
  | 'RECONCILE'
  | 'COMPRESS'
  | 'DEGRADE_MODEL'
  | 'DEGRADE_TOOL'
  | 'DEGRADE_SCOPE'
  | 'REPLAN'
  | 'ESCALATE'
  | 'FAIL';

/** Everything that was seen of one failed attempt (CONTRACTS, classify). All text in it is untrusted. */
export interface Observation {
  /** Provider family by name (openai, anthropic, ...); absent: generic rules only. */
  readonly provider?: string;
  readonly httpStatus: number | null;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, text, or null. */
  readonly body: unknown;
  readonly clientError: { readonly name?: string; readonly code?: string; readonly message?: string } | null;
  readonly streamPhase: StreamPhase | null;
  readonly finishReason: string | null;
  readonly operation: Operation;
  readonly elapsedMs?: number;
  readonly recent?: {
    readonly requests: number;
    readonly errors: number;
    readonly rateLimited: number;
    readonly p95Ms: number;
  };
}

/** A classified failure. */
export interface Fault {
  readonly class: FaultClass;
  /** 0-1; how sure the rule is. */
  readonly confidence: number;
  /** Second fault present at the same time; the primary is the one that decides what is safe. */
  readonly secondary: FaultClass | null;
  /** Only for T7. */
  readonly detail: PermanentDetail | null;
  /** May sending the same thing again help (never true for T7 and T8). */
  readonly retryable: boolean;
  /** False for a silent failure (a 200 that is wrong), HFR's v. */
  readonly explicit: boolean;
  /** Default action by table 2 and 11 for this operation; the decision itself belongs to core/recovery. */
  readonly action: RecoveryAction;
  /** What the provider asked us to wait, in ms from now, if it said so. */
  readonly retryAfterMs: number | null;
  /** Rule ids and the signals that matched; never bodies, prompts or secrets. */
  readonly evidence: readonly string[];
}
