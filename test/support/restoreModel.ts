// What the files would be if Belay had never been there: the same person's changes, made to a second tree in memory. Lines are
// unique, so a person's line keeps its place by the lines before it. Knows nothing of hashes, images, merges or the ledger.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text file as lines; the last one is what follows the last line ending. */
export interface TextFile {
  readonly lines: string[];
  readonly style: TextStyle;
}

export interface TextStyle {
  readonly encoding: 'utf8' | 'latin1' | 'utf16le';
  readonly mark: string;
  readonly eol: string;
}

/** Reads a text as it is written; null for bytes that are none. */
export function textFile(bytes: Buffer): TextFile | null {
  const style = styleOf(bytes);
  if (!style) return null;
  const text = bytes.toString(style.encoding);
  return { lines: text.slice(style.mark.length).split(style.eol), style };
}

export function bytesOf({ lines, style }: TextFile): Buffer {
  return Buffer.from(style.mark + lines.join(style.eol), style.encoding);
}

function styleOf(bytes: Buffer): TextStyle | null {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  if (!isWide && bytes.includes(0)) return null;
  const isUtf8 = isWide || Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);
  const encoding = isWide ? 'utf16le' : isUtf8 ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const mark = encoding !== 'latin1' && text.startsWith('\ufeff') ? '\ufeff' : '';
  return { encoding, mark, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** The tree without Belay. Paths as in the workspace. */
export class ModelTree {
  /** Bytes as latin1. Files that nobody has asked for yet are as on the disk. */
  readonly #files = new Map<string, string | null>();
  readonly #root: string;
  /** Where a file of the workspace has its place in this tree; null: Belay made it. */
  readonly #home = new Map<string, string | null>();
  /** Paths of which this model cannot tell what should become. */
  readonly murky = new Set<string>();
  /** Paths that the person changed after Belay had. */
  readonly touched = new Set<string>();
  /** Lines that the person took out himself; a copy that Belay made may hold the last of them. */
  readonly dropped = new Set<string>();
  readonly #belays = new Set<string>();
  /** Where a file was before Belay moved it. */
  readonly #trail = new Map<string, readonly string[]>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Remembers a file before anybody changes it. */
  know(path: string): void {
    if (!this.#files.has(path)) this.#files.set(path, onDisk(join(this.#root, path)));
  }

  /** What should be there without Belay; null: nothing. */
  wanted(path: string): string | null {
    return this.#files.get(path) ?? null;
  }

  isKnown(path: string): boolean {
    return this.#files.has(path);
  }

  /** Belay changed the content of a file. */
  belayChanges(path: string): void {
    this.#belays.add(path);
  }

  /** Belay made a file where there was none. */
  belayMakes(path: string): void {
    this.#home.set(path, null);
    this.#belays.add(path);
    this.touched.delete(path);
  }

  belayDeletes(path: string): void {
    this.#home.set(path, null);
    this.#belays.add(path);
  }

  belayMoves(from: string, to: string): void {
    this.#trail.set(to, [...(this.#trail.get(from) ?? []), from]);
    this.#home.set(to, this.homeOf(from));
    this.#home.set(from, null);
    for (const path of [from, to]) this.#belays.add(path);
    if (this.touched.has(from)) this.touched.add(to);
  }

  homeOf(path: string): string | null {
    const home = this.#home.get(path);
    return home === undefined ? path : home;
  }

  /** The person changes a file, and so what would come back at every place that it was moved from. */
  #touch(path: string): void {
    if (!this.#belays.has(path)) return;
    for (const each of [path, ...(this.#trail.get(path) ?? [])]) this.touched.add(each);
  }

  /** The person changes a text. `real`: its lines on the disk before. */
  personEdits(path: string, edit: (real: string[], model: string[] | null) => void): Buffer | null {
    const real = textFile(readFileSync(join(this.#root, path)));
    if (!real) return null;
    const home = this.homeOf(path);
    const bytes = home === null ? null : this.#files.get(home);
    const model = typeof bytes === 'string' ? textFile(Buffer.from(bytes, 'latin1')) : null;
    const before = [...real.lines];
    edit(real.lines, model?.lines ?? null);
    for (const line of before) if (!real.lines.includes(line)) this.dropped.add(line);
    if (home !== null && model) this.#files.set(home, bytesOf(model).toString('latin1'));
    this.#touch(path);
    return bytesOf(real);
  }

  personDeletes(path: string): void {
    for (const line of textFile(readFileSync(join(this.#root, path)))?.lines ?? []) this.dropped.add(line);
    const home = this.homeOf(path);
    if (home !== null) this.#files.set(home, null);
    this.#home.set(path, null);
    this.#touch(path);
  }

  personMakes(path: string, content: string): void {
    for (const line of textFile(Buffer.from(content, 'latin1'))?.lines ?? []) this.dropped.delete(line);
    if (this.#belays.has(path)) {
      this.murky.add(path);
      const home = this.homeOf(path);
      if (home !== null) this.murky.add(home);
    }
    this.#touch(path);
    this.#files.set(path, content);
    this.#home.set(path, path);
  }
}

function onDisk(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // Nothing there, or nothing that is a file.
    return null;
  }
}

/** Puts a person's line before the line `at`, at the same place in both. */
export function insertLine(real: string[], model: string[] | null, at: number, text: string): void {
  model?.splice(placeIn(real, model, at), 0, text);
  real.splice(at, 0, text);
}

export function deleteLine(real: string[], model: string[] | null, at: number): void {
  const [text = ''] = real.splice(at, 1);
  const place = model?.indexOf(text) ?? -1;
  if (place >= 0) model?.splice(place, 1);
}

export function changeLine(real: string[], model: string[] | null, at: number, text: string): void {
  const place = model?.indexOf(real[at] ?? '') ?? -1;
  if (model && place >= 0) model[place] = text;
  else model?.splice(placeIn(real, model, at), 0, text);
  real[at] = text;
}

/** Right after the nearest line above that both have. */
function placeIn(real: readonly string[], model: readonly string[], at: number): number {
  for (let i = at - 1; i >= 0; i--) {
    const place = model.indexOf(real[i] ?? '');
    if (place >= 0) return place + 1;
  }
  return 0;
}
