// Runs a command in memory: chunks in, lines out.
import type { CommandIo } from '../../../src/cli/io.ts';

/** A command's world of which the test sees everything. */
export interface MemoryIo {
  readonly io: CommandIo;
  readonly lines: string[];
  readonly messages: string[];
}

/** An io whose standard input is the given chunks. */
export function memoryIo(chunks: readonly (string | Uint8Array)[]): MemoryIo {
  const lines: string[] = [];
  const messages: string[] = [];
  const io: CommandIo = {
    stdin: chunksOf(chunks),
    out: (line) => lines.push(line),
    err: (line) => messages.push(line),
  };
  return { io, lines, messages };
}

/** The chunks as a stream, each in its own turn. */
export async function* chunksOf(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}
