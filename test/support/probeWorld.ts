// A world for one probe in which each answer can be told by itself: what stands at a path, what cannot be seen or read, what a
// program says. Everything that was asked is kept, so that a test can say what must not be asked.
import type { Answer, Ask, Facts, Looking, Queried } from '../../src/core/ledger/probes/reading.ts';
import { sha256Hex } from '../../src/core/ledger/key.ts';

export interface World {
  /** By path: a text, null for a folder, or facts. What is not named is missing. */
  readonly files?: Readonly<Record<string, string | null | Facts>>;
  /** Paths that cannot be looked at. */
  readonly hidden?: readonly string[];
  /** Files whose bytes cannot be read. */
  readonly unread?: readonly string[];
  /** Paths that have no name here. */
  readonly nameless?: readonly string[];
  /** What a program answers; null: it cannot be run. Default: always null. */
  readonly query?: (words: readonly string[]) => Queried | null;
}

export const OTHER: Facts = { kind: 'other', hash: null, sizeBytes: 0 };

/** Facts of a file with a text of that many bytes in it, which is never read. */
export function fileOf(hash: string, sizeBytes: number): Facts {
  return { kind: 'file', hash, sizeBytes };
}

/** What a probe comes to in a world, and what it asked on the way. */
export function inWorld<T>(
  looking: Looking<T> | null,
  world: World,
): { readonly said: T; readonly asked: readonly Ask[] } {
  if (!looking) throw new Error('the probe does not know this data');
  const asked: Ask[] = [];
  let turn = looking.next();
  while (turn.done !== true) {
    asked.push(turn.value);
    turn = looking.next(answerTo(turn.value, world));
  }
  return { said: turn.value, asked };
}

function answerTo(ask: Ask, world: World): Answer {
  const { files = {}, hidden = [], unread = [], nameless = [], query } = world;
  switch (ask.ask) {
    case 'locate': {
      const value = ask.path.replace('/w/', '');
      if (nameless.includes(value)) return { ask: 'locate', seen: { ok: false, error: `${value} has no name` } };
      return { ask: 'locate', seen: { ok: true, value } };
    }
    case 'look':
      if (hidden.includes(ask.path)) return { ask: 'look', seen: { ok: false, error: `${ask.path} is hidden` } };
      return { ask: 'look', seen: { ok: true, value: factsOf(files[ask.path]) } };
    case 'bytes': {
      const file = files[ask.path];
      if (unread.includes(ask.path)) return { ask: 'bytes', seen: { ok: false, error: 'the disk is broken' } };
      return {
        ask: 'bytes',
        seen: { ok: true, value: new TextEncoder().encode(typeof file === 'string' ? file : '') },
      };
    }
    case 'list':
      return { ask: 'list', paths: Object.keys(files) };
    case 'query': {
      const value = query?.(ask.words) ?? null;
      return { ask: 'query', seen: value ? { ok: true, value } : { ok: false, error: 'it cannot be run' } };
    }
  }
}

function factsOf(file: string | null | Facts | undefined): Facts {
  if (file === undefined) return { kind: 'missing', hash: null, sizeBytes: 0 };
  if (file === null) return { kind: 'folder', hash: null, sizeBytes: 0 };
  return typeof file === 'string' ? fileOf(sha256Hex(file), new TextEncoder().encode(file).length) : file;
}
