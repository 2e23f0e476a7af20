// One secret that is fetched when it is needed: kept until shortly before it expires, fetched once for all who ask at the
// same time, and dropped when a provider refuses it. One asker's abort ends the fetch only when nobody else waits for it; a
// fetch that hangs is given up, so that askers who come one after the other do not keep it for ever.
import { untilAborted } from './untilAborted.ts';

/** A secret older than this before its end is fetched anew. */
const MARGIN_MS = 60_000;
/** Longer than any sign-in takes that asks nobody (`az` may start a Python and ask the network: up to 30 s). */
const FETCH_LIMIT_MS = 45_000;

/** A thing that expires; null: it is not kept. */
interface Expiring {
  readonly expiresAtMs: number | null;
}

/** A kept secret. */
export interface SharedSecret<T extends Expiring> {
  /** The secret, or null where there is none. Rejects with the fetch's error, or the signal's reason. */
  get(signal: AbortSignal): Promise<T | null>;
  /** Forgets this secret, unless another one has taken its place. */
  drop(secret: T): void;
}

interface Fetch<T> {
  readonly result: Promise<T | null>;
  readonly controller: AbortController;
  askers: number;
}

/** Keeps what `fetch` gives. After `limitMs` it is aborted and counts as failed, with code ETIMEDOUT. */
export function sharedSecret<T extends Expiring>(
  nowMs: () => number,
  fetch: (signal: AbortSignal) => Promise<T | null>,
  limitMs = FETCH_LIMIT_MS,
): SharedSecret<T> {
  let kept: T | null = null;
  let running: Fetch<T> | null = null;

  const start = (): Fetch<T> => {
    const controller = new AbortController();
    const own: Fetch<T> = { result: inTime(fetch(controller.signal), controller, limitMs), controller, askers: 0 };
    running = own;
    own.result.then(
      (secret) => {
        if (running !== own) return;
        running = null;
        kept = secret !== null && secret.expiresAtMs !== null ? secret : null;
      },
      () => {
        if (running === own) running = null;
      },
    );
    return own;
  };

  const leave = (own: Fetch<T>): void => {
    own.askers--;
    if (own.askers > 0 || running !== own) return;
    running = null;
    own.controller.abort();
  };

  return {
    async get(signal) {
      signal.throwIfAborted();
      if (kept?.expiresAtMs != null && kept.expiresAtMs - MARGIN_MS > nowMs()) return kept;
      const own = running ?? start();
      own.askers++;
      try {
        return await untilAborted(own.result, signal);
      } finally {
        leave(own);
      }
    },
    drop(secret) {
      if (kept === secret) kept = null;
    },
  };
}

function inTime<T>(promise: Promise<T>, controller: AbortController, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(Object.assign(new Error('it took too long'), { code: 'ETIMEDOUT' }));
      controller.abort();
    }, limitMs);
    timer.unref();
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
