// What an adapter itself may find wrong with an answer, by code. The codes are what the classifier reads in
// `Observation.clientError.code`; the sentences are for people and never hold keys, prompts or answers.

/** Codes of troubles that Belay's adapters find; network trouble keeps its own code (ECONNRESET, ENOTFOUND, ...). */
export const TROUBLE_CODES = {
  /** No key is stored for the provider's account. */
  missingKey: 'belay_missing_key',
  /** The key store could not be read. */
  keyStore: 'belay_key_store',
  /** The cloud's own sign-in gave nothing: nobody is signed in. */
  signIn: 'belay_sign_in',
  /** The provider's base URL is no http(s) address. */
  badBaseUrl: 'belay_bad_base_url',
  /** The candidate's kind and wire do not fit together. */
  unsupportedCandidate: 'belay_unsupported_candidate',
  /** 200, but neither an event stream nor JSON (a proxy's HTML page). */
  wrongContentType: 'belay_wrong_content_type',
  /** A complete event, or a whole JSON answer, that is not JSON. */
  malformedChunk: 'belay_malformed_chunk',
  /** JSON that breaks the wire's own rules (arguments of a tool call that never began, two names for one call). */
  malformedStream: 'belay_malformed_stream',
  /** The provider reported an error inside a 200 answer. */
  inBandError: 'belay_in_band_error',
  /** The stream ended without its terminal marker. */
  endedEarly: 'belay_stream_ended_early',
  /** Ended properly, or without a single event, and with nothing in it. */
  emptyAnswer: 'belay_empty_answer',
  /** Text or a tool call after the terminal marker. */
  contentAfterFinish: 'belay_content_after_finish',
  /** One event is larger than any honest provider sends. */
  eventTooLarge: 'belay_event_too_large',
} as const;

/** Something wrong with an answer, before it becomes an observation. */
export interface Trouble {
  /** One of the codes above, or the network's own code where that is what went wrong. */
  readonly code: string;
  readonly message: string;
  /** What the provider said about it: parsed JSON, text, or null. */
  readonly body: unknown;
  /** The provider's word for why it stopped, where it said one. */
  readonly finishReason: string | null;
}

/** Thrown inside an adapter to leave a loop with a trouble; never leaves the adapter. */
export class TroubleError extends Error {
  readonly trouble: Trouble;
  constructor(trouble: Trouble) {
    super(trouble.message);
    this.name = 'TroubleError';
    this.trouble = trouble;
  }
}

/** A trouble with no body and no finish reason unless given. */
export function trouble(
  code: string,
  message: string,
  more: Partial<Pick<Trouble, 'body' | 'finishReason'>> = {},
): Trouble {
  return { code, message, body: more.body ?? null, finishReason: more.finishReason ?? null };
}
