// Plays the world to a probe: what it asks is answered from a table, so that every story a program could tell can be told.
import type { Answer, Ask, Facts, Looking, Queried } from '../../src/core/ledger/probes/reading.ts';

export interface ProbeWorld {
  /** Output of a git question by a part of its words, the first that fits; a number is an exit code. Default: exit code 128. */
  readonly git?: readonly (readonly [part: string, answer: string | number])[];
  /** Content by path; null: a folder. What is not named is missing. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Makes every look fail. */
  readonly isBlind?: boolean;
  readonly hashOf?: (text: string) => string;
}

/** Runs a probe's work in a world that stands still. */
export function playProbe<T>(looking: Looking<T> | null, world: ProbeWorld): T {
  if (!looking) throw new Error('the probe does not know this data');
  let turn = looking.next();
  while (turn.done !== true) turn = looking.next(answerOf(turn.value, world));
  return turn.value;
}

function answerOf(ask: Ask, world: ProbeWorld): Answer {
  const { files = {}, hashOf = (text: string) => `hash of ${text}` } = world;
  switch (ask.ask) {
    case 'locate':
      return { ask: 'locate', seen: { ok: true, value: ask.path.replace('/w/', '') } };
    case 'look': {
      if (world.isBlind) return { ask: 'look', seen: { ok: false, error: `${ask.path} cannot be read` } };
      return { ask: 'look', seen: { ok: true, value: factsOf(files[ask.path], hashOf) } };
    }
    case 'bytes':
      return { ask: 'bytes', seen: { ok: true, value: new TextEncoder().encode(files[ask.path] ?? '') } };
    case 'list':
      return { ask: 'list', paths: Object.keys(files) };
    case 'query':
      return { ask: 'query', seen: { ok: true, value: queried(ask.words, world) } };
  }
}

function factsOf(text: string | null | undefined, hashOf: (text: string) => string): Facts {
  if (text === undefined) return { kind: 'missing', hash: null, sizeBytes: 0 };
  if (text === null) return { kind: 'folder', hash: null, sizeBytes: 0 };
  return { kind: 'file', hash: hashOf(text), sizeBytes: text.length };
}

function queried(words: readonly string[], { git = [] }: ProbeWorld): Queried {
  const text = words.join(' ');
  const [, answer = 128] = git.find(([part]) => text.includes(part)) ?? [];
  return typeof answer === 'number' ? { exitCode: answer, stdout: '' } : { exitCode: 0, stdout: answer };
}
