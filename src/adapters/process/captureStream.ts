// One output stream of a command while it is read: what is kept, and what was printed last. Bounded, whatever arrives.
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { boundedOutput } from './boundedOutput.ts';
import type { BoundedOutput } from './boundedOutput.ts';

export interface Capture {
  readonly kept: BoundedOutput;
  /** The last characters that were printed, at most about 4,000. */
  lastText(): string;
  /** What was printed after the last line end; empty where that is too long to be a line. */
  openLine(): string;
  /** Resolves when the stream has closed, or after `ms` when something else keeps it open. */
  drained(ms: number): Promise<void>;
}

const LAST_CHARS = 4000;

/** Reads a stream to its end, also after the command has ended, so that nothing that writes to it is ever blocked. */
export function capture(stream: Readable | null, limitBytes: number, onText: (text: string) => void): Capture {
  const kept = boundedOutput(limitBytes);
  let last = '';
  let isOver = false;
  const closed = new Promise<void>((resolve) => {
    stream?.once('close', () => resolve());
    if (!stream || stream.closed) resolve();
  });
  stream?.on('error', () => undefined);
  stream?.on('data', (bytes: Buffer) => {
    // Later output of a background process no longer belongs to the command.
    if (isOver) return;
    const text = kept.push(bytes);
    if (text === '') return;
    last = text.length >= LAST_CHARS ? text.slice(-LAST_CHARS) : `${last}${text}`.slice(-LAST_CHARS);
    onText(text);
  });
  return {
    kept,
    lastText: () => last,
    openLine() {
      const line = last.slice(last.lastIndexOf('\n') + 1);
      return line.length < LAST_CHARS ? line : '';
    },
    async drained(ms) {
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      await Promise.race([closed, over]);
      clearTimeout(timer);
      isOver = true;
      // Node's pipes are sockets: a background process that holds this one must not keep Belay alive.
      if (stream instanceof Socket) stream.unref();
    },
  };
}
