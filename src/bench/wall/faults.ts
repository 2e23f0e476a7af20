// The wall's kinds of fault, one row each: where in a request it strikes, and what is billed for it.
// How a row looks on a wire (status, body, headers) belongs to the vendor's own file; when it strikes belongs to the schedule.

/** Every kind the schedule can name. */
export type FaultKind =
  | 'rate-limit-with-retry-after'
  | 'rate-limit-bare'
  | 'server-error'
  | 'unavailable'
  | 'overloaded'
  | 'reset-before-headers'
  | 'silence'
  | 'slow-first-token'
  | 'cut'
  | 'stall'
  | 'malformed-chunk'
  | 'context-overflow'
  | 'refusal';

/** Kinds that a vendor answers at its front door, with a status and a body, before the model has read anything. */
export type FrontDoorKind =
  'rate-limit-with-retry-after' | 'rate-limit-bare' | 'server-error' | 'unavailable' | 'overloaded';

/** What happens inside an answer that has begun. */
export interface StreamFault {
  readonly place: 'stream';
  /** Wait before the first token in place of the region's own, in ms. */
  readonly firstTokenMs: number;
  /** Whether the headers leave at once (else with the first token). */
  readonly headersAtOnce: boolean;
  /** Share (0-1) of the answer's tokens that leaves before the fault. */
  readonly afterShare: number;
  /** Pause before the fault, in ms, so that the client has read what was sent. */
  readonly pauseMs: number;
  /** What follows: the socket goes, nothing more comes, a broken event comes and the rest after it, or all goes well. */
  readonly then: 'cut' | 'silence' | 'broken-event' | 'go-on';
}

/** One row: where the fault strikes. A request is billed its prompt once the wall has accepted it, and what was sent of the answer. */
export type FaultRow =
  /** An error status with a body; costs nothing. */
  | { readonly place: 'front-door'; readonly answer: FrontDoorKind }
  /** The connection is reset before any header; costs nothing. */
  | { readonly place: 'connection' }
  /** Accepted (the prompt is billed), then not a byte until the client goes. */
  | { readonly place: 'queue' }
  | StreamFault
  /** The step's requests are refused as too long until one is clearly shorter than the first; costs nothing. */
  | { readonly place: 'window' }
  /** The model declines; billed as any answer. */
  | { readonly place: 'answer' };

/** Time a `slow-first-token` lets pass before its first token, in ms: beyond a client's first-token patience of 1.5 s. */
export const SLOW_FIRST_TOKEN_MS = 2400;

/** What `rate-limit-with-retry-after` asks to wait, in seconds (the header's unit). */
export const RETRY_AFTER_SECONDS = 1;

/** Faults inside an answer come early, so that a race does not end before they are seen. */
const EARLY_TOKEN_MS = 20;

/** Without a pause a busy client sees headers and end at once, and takes the cut for a failed connection. */
const CUT_PAUSE_MS = 80;

export const FAULTS: Readonly<Record<FaultKind, FaultRow>> = {
  'rate-limit-with-retry-after': { place: 'front-door', answer: 'rate-limit-with-retry-after' },
  'rate-limit-bare': { place: 'front-door', answer: 'rate-limit-bare' },
  'server-error': { place: 'front-door', answer: 'server-error' },
  unavailable: { place: 'front-door', answer: 'unavailable' },
  overloaded: { place: 'front-door', answer: 'overloaded' },
  'reset-before-headers': { place: 'connection' },
  silence: { place: 'queue' },
  'slow-first-token': {
    place: 'stream',
    firstTokenMs: SLOW_FIRST_TOKEN_MS,
    headersAtOnce: true,
    afterShare: 0,
    pauseMs: 0,
    then: 'go-on',
  },
  cut: {
    place: 'stream',
    firstTokenMs: EARLY_TOKEN_MS,
    headersAtOnce: false,
    afterShare: 0.3,
    pauseMs: CUT_PAUSE_MS,
    then: 'cut',
  },
  stall: {
    place: 'stream',
    firstTokenMs: EARLY_TOKEN_MS,
    headersAtOnce: false,
    afterShare: 0.3,
    pauseMs: 0,
    then: 'silence',
  },
  'malformed-chunk': {
    place: 'stream',
    firstTokenMs: EARLY_TOKEN_MS,
    headersAtOnce: false,
    afterShare: 0.3,
    pauseMs: 0,
    then: 'broken-event',
  },
  'context-overflow': { place: 'window' },
  refusal: { place: 'answer' },
};

/** All kinds, in the order of the table. */
export const FAULT_KINDS = [
  'rate-limit-with-retry-after',
  'rate-limit-bare',
  'server-error',
  'unavailable',
  'overloaded',
  'reset-before-headers',
  'silence',
  'slow-first-token',
  'cut',
  'stall',
  'malformed-chunk',
  'context-overflow',
  'refusal',
] as const satisfies readonly FaultKind[];
