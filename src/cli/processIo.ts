// The command line's own streams. A reader that is gone (`belay ledger list | head -1`) ends nothing: what is written for it
// from then on goes nowhere, and the command keeps its work, its ledger entry and its exit code.
// Other trouble of a stream, e.g. a full disk behind `> file`, is told once where it still can be.
import type { Writable } from 'node:stream';
import type { CommandIo } from './io.ts';

/** Nobody reads any more: EPIPE of a pipe, and what sockets and terminals say instead. */
const READER_GONE: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'EIO', 'ERR_STREAM_DESTROYED']);

/** The streams of a process. */
export interface ProcessStreams {
  readonly stdin: CommandIo['stdin'];
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** An io that writes to these streams until their readers are gone; also direct writes to them then do no harm. */
export function processIo({ stdin, stdout, stderr }: ProcessStreams, fail: (exitCode: number) => void): CommandIo {
  const gone = new Set<Writable>();
  const write = (stream: Writable, text: string): void => {
    if (!gone.has(stream)) stream.write(text);
  };
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (gone.has(stream)) return;
      gone.add(stream);
      if (READER_GONE.has(error.code ?? '')) return;
      fail(3);
      if (stream === stdout)
        write(stderr, `belay: the output could not be written (${error.code ?? error.message}).\n`);
    });
  }
  return {
    stdin,
    out: (line) => write(stdout, `${line}\n`),
    err: (line) => write(stderr, `${line}\n`),
  };
}
