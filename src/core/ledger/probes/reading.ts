// How a probe sees the world without touching it: it asks, one thing after the other, and somebody else answers (the engine
// through its ports, a test from a table). So that a probe is one pure file, before and after the effect, and runs nothing.
// Everything asked is read-only. What cannot be seen is an answer of its own, never a guess.

/** What stands at a path; links are followed. The file port's `FileFacts` has this shape. */
export interface Facts {
  readonly kind: 'missing' | 'file' | 'folder' | 'other';
  readonly hash: string | null;
  readonly sizeBytes: number;
}

/** What was seen, or why it could not be. */
export type Seen<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

/** How a program ended. */
export interface Queried {
  readonly exitCode: number;
  readonly stdout: string;
}

/** One question. Paths are the file port's; `cwd` is absolute. */
export type Ask =
  | { readonly ask: 'locate'; readonly path: string }
  | { readonly ask: 'look'; readonly path: string }
  | { readonly ask: 'bytes'; readonly path: string; readonly hash: string }
  | { readonly ask: 'list' }
  | { readonly ask: 'query'; readonly words: readonly string[]; readonly cwd: string; readonly timeoutMs: number };

/** The answer to the question of the same name. */
export type Answer =
  | { readonly ask: 'locate'; readonly seen: Seen<string> }
  | { readonly ask: 'look'; readonly seen: Seen<Facts> }
  | { readonly ask: 'bytes'; readonly seen: Seen<Uint8Array> }
  | { readonly ask: 'list'; readonly paths: readonly string[] }
  | { readonly ask: 'query'; readonly seen: Seen<Queried> };

/** Work that asks while it goes on and ends with a `T`. */
export type Looking<T> = Generator<Ask, T, Answer>;

/** The file port's one name of a path. */
export function* locate(path: string): Looking<Seen<string>> {
  const answer = yield { ask: 'locate', path };
  return answer.ask === 'locate' ? answer.seen : mixedUp();
}

export function* look(path: string): Looking<Seen<Facts>> {
  const answer = yield { ask: 'look', path };
  return answer.ask === 'look' ? answer.seen : mixedUp();
}

/** The bytes of a file that has this hash on the disk. They may be kept as a before-image on the way: ask only for small files. */
export function* bytesOf(path: string, hash: string): Looking<Seen<Uint8Array>> {
  const answer = yield { ask: 'bytes', path, hash };
  return answer.ask === 'bytes' ? answer.seen : mixedUp();
}

/** Every file of the workspace, as far as the port lists them. */
export function* listing(): Looking<readonly string[]> {
  const answer = yield { ask: 'list' };
  return answer.ask === 'list' ? answer.paths : mixedUp();
}

/** Runs a read-only program. */
export function* query(words: readonly string[], cwd: string, timeoutMs: number): Looking<Seen<Queried>> {
  const answer = yield { ask: 'query', words, cwd, timeoutMs };
  return answer.ask === 'query' ? answer.seen : mixedUp();
}

function mixedUp(): never {
  throw new TypeError('a probe was given the answer to another question');
}
