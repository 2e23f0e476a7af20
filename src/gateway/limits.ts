// How much the gateway takes from one client, and how long it waits for one.

/** Sizes in bytes, times in ms. */
export interface GatewayLimits {
  /** Largest request body. */
  readonly bodyBytes: number;
  /** Largest header block of a request. */
  readonly headerBytes: number;
  /** A client must have sent its headers after so long, */
  readonly headersTimeoutMs: number;
  /** and its whole request after so long. */
  readonly requestTimeoutMs: number;
  /** Connections at the same time; more are closed at once. */
  readonly maxConnections: number;
  /** A streamed answer gets its headers, and later a sign of life, after so long without anything else. */
  readonly keepAliveMs: number;
  /** A client that takes nothing for so long is dropped. */
  readonly writeStallMs: number;
  /** Running requests may go on for so long after `close()`. */
  readonly drainMs: number;
  /** A reader of the decision stream that is so far behind is dropped. */
  readonly feedBacklogBytes: number;
  /** Calls whose decisions are kept for `GET /belay/decisions/{request id}`. */
  readonly rememberedCalls: number;
}

export const defaultLimits: GatewayLimits = {
  bodyBytes: 33_554_432,
  headerBytes: 65_536,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  maxConnections: 4096,
  keepAliveMs: 10_000,
  writeStallMs: 120_000,
  drainMs: 10_000,
  feedBacklogBytes: 1_048_576,
  rememberedCalls: 1000,
};
