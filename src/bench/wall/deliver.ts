// Sends one answer over a socket at a server's pace, with the fault that strikes inside it, and counts what has left.
// It never throws for a client that hung up: that is an outcome. Times come from the clock port.
import type { ServerResponse } from 'node:http';
import type { ClockPort } from '../../engine/ports.ts';
import type { StreamFault } from './faults.ts';
import type { Frame } from './wire.ts';

/** How an answer leaves. */
export interface Delivery {
  readonly response: ServerResponse;
  readonly clock: ClockPort;
  /** Aborted when the client has gone or the wall closes. */
  readonly gone: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  readonly outputTokens: number;
  readonly fault: StreamFault | null;
  /** How a `cut` ends: the socket is torn down, or the body ends early without an error. */
  readonly cutLook: 'socket-closed' | 'early-end';
  /** Told as tokens leave (or, for a whole body, as the model writes them). */
  onTokens(sentTokens: number): void;
  /** Told when the client can see the fault. */
  onFaultShown(): void;
}

/** How it went. */
export type Delivered = 'answered' | 'faulted' | 'client-gone';

/** Sends server-sent events. */
export async function deliverStream(delivery: Delivery, frames: readonly Frame[]): Promise<Delivered> {
  const { response, clock, gone, headers, fault } = delivery;
  const head = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    connection: 'keep-alive',
    ...headers,
  };
  response.writeHead(200, head);
  if (fault?.headersAtOnce) {
    response.flushHeaders();
    delivery.onFaultShown();
  }
  const strikesAt =
    fault && fault.then !== 'go-on' ? strikingFrame(frames, delivery.outputTokens * fault.afterShare) : Infinity;
  const startMs = clock.nowMs() + (fault?.firstTokenMs ?? delivery.firstTokenMs);
  let sent = 0;
  for (const [i, frame] of frames.entries()) {
    const dueMs = startMs + (sent * 1000) / delivery.tokensPerSecond;
    if (!(await waited(clock, dueMs, gone))) return 'client-gone';
    if (i === strikesAt && fault) {
      if (!(await waited(clock, dueMs + fault.pauseMs, gone))) return 'client-gone';
      const ended = await strike(delivery, fault, frame);
      if (ended) return ended;
    } else {
      response.write(frame.text);
    }
    sent += frame.tokens;
    delivery.onTokens(sent);
  }
  response.end();
  return fault && fault.then !== 'go-on' ? 'faulted' : 'answered';
}

/** Sends one JSON body when the model would have written all of it. */
export async function deliverWhole(delivery: Delivery, value: unknown): Promise<Delivered> {
  const { response, clock, gone, fault } = delivery;
  const body = Buffer.from(JSON.stringify(value));
  const half = body.subarray(0, Math.floor(body.length / 2));
  const isBroken = fault?.then === 'broken-event';
  const length = isBroken ? half.length : body.length;
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': String(length),
    ...delivery.headers,
  });
  if (fault?.headersAtOnce) {
    response.flushHeaders();
    delivery.onFaultShown();
  }
  const startMs = clock.nowMs() + (fault?.firstTokenMs ?? delivery.firstTokenMs);
  const wanted =
    fault && fault.then !== 'go-on' ? Math.ceil(delivery.outputTokens * fault.afterShare) : delivery.outputTokens;
  for (let written = 0; written < wanted;) {
    if (!(await waited(clock, startMs + (written * 1000) / delivery.tokensPerSecond, gone))) return 'client-gone';
    written = Math.min(wanted, written + TOKENS_A_TICK);
    delivery.onTokens(written);
  }
  if (!(await waited(clock, startMs + (wanted * 1000) / delivery.tokensPerSecond, gone))) return 'client-gone';
  if (!fault || fault.then === 'go-on') {
    response.end(body);
    return 'answered';
  }
  if (isBroken) {
    response.end(half);
    delivery.onFaultShown();
    return 'faulted';
  }
  response.write(half);
  if (!(await waited(clock, clock.nowMs() + fault.pauseMs, gone))) return 'client-gone';
  return fault.then === 'cut' ? cut(delivery, 'socket-closed') : fallSilent(delivery);
}

/** Tokens a whole answer is written in, between two looks at whether the client is still there. */
const TOKENS_A_TICK = 4;

/** The first content frame after `tokens` tokens have left, but never the first content frame of all. */
function strikingFrame(frames: readonly Frame[], tokens: number): number {
  let sent = 0;
  const found = frames.findIndex((frame) => {
    const isStriking = sent > 0 && sent >= tokens && frame.tokens > 0;
    sent += frame.tokens;
    return isStriking;
  });
  // An answer of a single piece is struck at what follows it.
  return found >= 0 ? found : frames.findLastIndex((frame) => frame.tokens > 0) + 1;
}

/** `null` when the answer goes on after the fault. */
async function strike(delivery: Delivery, fault: StreamFault, frame: Frame): Promise<Delivered | null> {
  if (fault.then === 'cut') return cut(delivery, delivery.cutLook);
  if (fault.then === 'silence') return fallSilent(delivery);
  const text = frame.text.trimEnd();
  delivery.response.write(`${text.slice(0, Math.ceil(text.length * 0.6))}\n\n`);
  delivery.onFaultShown();
  return null;
}

function cut(delivery: Delivery, look: Delivery['cutLook']): Delivered {
  const { response } = delivery;
  delivery.onFaultShown();
  if (look === 'early-end') response.end();
  else response.socket?.destroySoon();
  return 'faulted';
}

async function fallSilent(delivery: Delivery): Promise<Delivered> {
  delivery.onFaultShown();
  await untilGone(delivery.gone);
  return 'faulted';
}

/** Resolves when the client has gone. */
export function untilGone(gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) resolve();
    else gone.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** False when the client left before the time came. */
async function waited(clock: ClockPort, untilMs: number, gone: AbortSignal): Promise<boolean> {
  const hasGone = (): boolean => gone.aborted;
  const ms = untilMs - clock.nowMs();
  if (hasGone() || ms <= 0) return !hasGone();
  try {
    await clock.sleep(ms, gone);
  } catch (error) {
    if (!hasGone()) throw error;
  }
  return !hasGone();
}
