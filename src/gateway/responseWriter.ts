// The one way bytes reach a client: headers once and only with safe characters, chunks in order, never more in memory than
// the client takes. When the client has gone or takes nothing for too long, every write says so.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClockPort } from '../engine/ports.ts';
import type { AnswerChunk } from './wires/wire.ts';

export type HeaderValues = Readonly<Record<string, string>>;

/** Discarded bytes of a body nobody wants, so that its sender can read why. */
const MAX_DISCARDED_BYTES = 67_108_864;

export class ResponseWriter {
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly clock: ClockPort;
  private readonly stallMs: number;
  private readonly gone = new AbortController();
  private isBlocked = false;
  private writes = 0;
  private sendsTrailers = false;
  /** The client waits for `100 Continue` before it sends its body. */
  isBodyWithheld = false;

  /** `stallMs`: how long a client may take nothing before it is dropped. */
  constructor(request: IncomingMessage, response: ServerResponse, clock: ClockPort, stallMs: number) {
    this.request = request;
    this.response = response;
    this.clock = clock;
    this.stallMs = stallMs;
    response.on('error', () => this.gone.abort());
    response.on('close', () => this.gone.abort());
  }

  /** Aborted as soon as the connection is closed, also after a complete answer. */
  get closed(): AbortSignal {
    return this.gone.signal;
  }

  /** The whole answer was handed over; what happens to the connection now does not matter to it. */
  get hasEnded(): boolean {
    return this.response.writableEnded;
  }

  get hasHeaders(): boolean {
    return this.response.headersSent;
  }

  /** Grows with every chunk: tells whether anything was sent since. */
  get writeCount(): number {
    return this.writes;
  }

  get status(): number {
    return this.response.statusCode;
  }

  /** Sends status and headers now, for an answer that is written in chunks. */
  open(status: number, headers: HeaderValues): void {
    if (this.gone.signal.aborted || this.response.headersSent) return;
    this.sendsTrailers = headers.trailer !== undefined;
    this.response.writeHead(status, safeHeaders(headers));
    this.response.flushHeaders();
  }

  /** Writes one chunk and waits until the client has room for more. False when it has gone. */
  async write(chunk: AnswerChunk): Promise<boolean> {
    if (this.gone.signal.aborted) return false;
    this.writes++;
    if (!this.response.write(chunk)) await this.drained();
    return !this.closed.aborted;
  }

  /** A sign of life; left out while the client has not taken what it already has. */
  writeIfIdle(chunk: AnswerChunk): void {
    if (this.isBlocked || this.gone.signal.aborted || this.response.writableEnded) return;
    this.response.write(chunk);
  }

  /** Writes without waiting; false when the client has gone or is more than `maxBacklogBytes` behind. */
  push(chunk: string, maxBacklogBytes: number): boolean {
    if (this.gone.signal.aborted || this.response.writableEnded) return false;
    this.response.write(chunk);
    return this.response.writableLength <= maxBacklogBytes;
  }

  /** `trailers` reach only clients that said they take them and were announced by the `trailer` header. */
  end(trailers?: HeaderValues): void {
    if (this.gone.signal.aborted) return;
    if (trailers && this.sendsTrailers) this.response.addTrailers(safeHeaders(trailers));
    this.response.end();
    this.dropIfStalled();
  }

  /** One whole answer. A request that is still being sent is read to its end and thrown away, else its sender could not read this. */
  async send(status: number, headers: HeaderValues, body: AnswerChunk): Promise<void> {
    if (this.gone.signal.aborted || this.response.headersSent) return;
    const isOpen = !this.request.complete;
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    this.response.writeHead(status, {
      ...safeHeaders(headers),
      'content-length': String(length),
      ...(isOpen ? { connection: 'close' } : {}),
    });
    this.writes++;
    if (!isOpen || this.isBodyWithheld) {
      this.response.end(body);
      this.dropIfStalled();
      return;
    }
    this.response.write(body);
    await this.discardRequest();
    this.response.end();
  }

  destroy(): void {
    this.response.destroy();
  }

  private async drained(): Promise<void> {
    this.isBlocked = true;
    const waited = new AbortController();
    const stop = AbortSignal.any([waited.signal, this.gone.signal]);
    const stalled = this.clock.sleep(this.stallMs, stop).then(
      () => this.response.destroy(),
      () => undefined,
    );
    await new Promise<void>((resolve) => {
      this.response.once('drain', resolve);
      this.gone.signal.addEventListener('abort', () => resolve(), { once: true, signal: waited.signal });
    });
    waited.abort();
    await stalled;
    this.isBlocked = false;
  }

  /** An ended answer that its client does not take must not stay in memory for ever. */
  private dropIfStalled(): void {
    if (this.response.writableLength === 0) return;
    void this.clock.sleep(this.stallMs, this.gone.signal).then(
      () => this.response.destroy(),
      () => undefined,
    );
  }

  private discardRequest(): Promise<void> {
    if (this.request.destroyed || this.request.readableEnded) return Promise.resolve();
    return new Promise((resolve) => {
      let size = 0;
      this.request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_DISCARDED_BYTES) this.request.destroy();
      });
      this.request.once('end', resolve);
      this.request.once('close', resolve);
      this.request.resume();
    });
  }
}

function safeHeaders(headers: HeaderValues): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerText(value)]));
}

/** Anything but printable ASCII is percent-encoded: a model name may hold line breaks, a header may not. */
export function headerText(value: string): string {
  return value.toWellFormed().replace(/[^\x20-\x7e]+/gu, (text) => encodeURIComponent(text));
}
