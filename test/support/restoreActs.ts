// Belay's edits and commands through the real file port, and a person's changes, drawn from a seed, in one generated
// repository; the model hears of the same changes.
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../src/adapters/time/virtualClock.ts';
import type { FileEdit } from '../../src/core/edits/editSet.ts';
import { assess } from '../../src/core/guard/assess.ts';
import type { EffectPorts } from '../../src/engine/effectEntry.ts';
import { runGuardedCommand } from '../../src/engine/guardedCommand.ts';
import { applyGuardedEdit } from '../../src/engine/guardedEdit.ts';
import { memoryCommands } from './memoryCommands.ts';
import { seededRandom } from './random.ts';
import { changeLine, deleteLine, insertLine, ModelTree, textFile } from './restoreModel.ts';
import { differences, filesOf, treeOf } from './treeSnapshot.ts';
import type { Tree } from './treeSnapshot.ts';

/** All entries are of this task. */
export const TASK = 'task';

/** One entry, with the files around it before and after. */
export interface Done {
  readonly key: string;
  readonly before: Tree;
  readonly after: Tree;
}

/** Belay and a person at work in one workspace. Every draw comes from the seed. */
export class RestoreActs {
  readonly seed: number;
  readonly folder: string;
  readonly ws: string;
  readonly random: { next(): number };
  readonly ports: EffectPorts;
  readonly clock = virtualClock(1_700_000_000_000);
  readonly model: ModelTree;
  readonly done: Done[] = [];
  step = 0;
  #token = 0;

  constructor(seed: number, folder: string) {
    this.seed = seed;
    this.folder = folder;
    this.ws = join(folder, 'ws');
    this.random = seededRandom(seed);
    this.model = new ModelTree(this.ws);
    const commands = memoryCommands({ act: ({ command }) => this.#act(command) });
    this.ports = {
      clock: this.clock,
      store: memoryStore(),
      command: commands.asProcess(1),
      files: workspaceFiles({ root: this.ws, beforeDirectory: join(folder, 'before') }),
      approval: { ask: () => Promise.resolve({ choice: 'allow', note: '', by: 'test' }) },
    };
  }

  below(limit: number): number {
    return Math.floor(this.random.next() * limit);
  }

  pick<T>(items: readonly T[]): T {
    // Callers never ask for one of nothing.
    return items[this.below(items.length)] as T;
  }

  #word(owner: string): string {
    return `${owner}-${this.seed}-${this.#token++}`;
  }

  /** Paths that Belay has changed. */
  #own(): readonly string[] {
    return this.done.flatMap(({ before, after }) => differences(before, after, false, true));
  }

  /** A file; with this chance one that Belay has changed. */
  #likely(chance: number): string {
    const files = filesOf(this.ws);
    const own = this.#own().filter((path) => files.includes(path));
    return own.length > 0 && this.random.next() < chance ? this.pick(own) : this.pick(files);
  }

  #newPath(): string {
    const folder = this.pick(['', 'src/', 'new folder/', 'src/deep/neu ü/', 'sub/', 'nested/']);
    return `${folder}${this.#word('f')}.txt`;
  }

  async belay(): Promise<void> {
    const before = treeOf(this.ws, true);
    await this.clock.advance(10);
    const key = this.random.next() < 0.7 ? await this.#edit() : await this.#command();
    if (key !== null) this.done.push({ key, before, after: treeOf(this.ws, true) });
  }

  async #edit(): Promise<string | null> {
    const paths = new Set<string>();
    const edits: FileEdit[] = [];
    const after: (() => void)[] = [];
    for (let i = 1 + this.below(2); i > 0; i--) {
      const path = this.#likely(0.4);
      if (paths.has(path)) continue;
      const kind = this.random.next();
      const to = this.#newPath();
      if (kind < 0.6) {
        const blocks = this.#blocks(path);
        if (!blocks) continue;
        edits.push({ ...blocks, path: this.#alias(path) });
        after.push(() => this.model.belayChanges(path));
      } else if (kind < 0.75) {
        edits.push({ kind: 'create', path: to, text: `${this.#word('b')}\n${this.#word('b')}\n` });
        this.model.know(to);
        after.push(() => this.model.belayMakes(to));
      } else if (kind < 0.87) {
        edits.push({ kind: 'delete', path });
        after.push(() => this.model.belayDeletes(path));
      } else {
        edits.push({ kind: 'move', path, moveTo: to });
        this.model.know(to);
        after.push(() => this.model.belayMoves(path, to));
      }
      this.model.know(path);
      paths.add(path);
    }
    if (edits.length === 0) return null;
    const outcome = await applyGuardedEdit(this.ports, {
      context: this.#context(),
      edit: { files: edits },
      judgement: { verdict: 'allow' },
      workspace: this.ws,
      signal: new AbortController().signal,
      emit: () => undefined,
    });
    if (outcome.result !== 'done') return null;
    for (const apply of after) apply();
    return outcome.key;
  }

  /** The same file by a link that leads to it, now and then. */
  #alias(path: string): string {
    if (!path.startsWith('src/') || this.random.next() < 0.7) return path;
    const alias = path === 'src/a.ts' ? 'link-in' : path.replace(/^src/, 'folder-in');
    return isThere(join(this.ws, 'link-in')) && isThere(join(this.ws, alias)) ? alias : path;
  }

  #blocks(path: string): Extract<FileEdit, { kind: 'blocks' }> | null {
    const text = textFile(readFileSync(join(this.ws, path)));
    const lines = text?.lines.filter((line) => line !== '') ?? [];
    if (!text || lines.length === 0) return null;
    const search = this.pick(lines);
    const { eol } = text.style;
    const kind = this.random.next();
    const replace =
      kind < 0.5
        ? this.#word('b')
        : kind < 0.8
          ? `${search}${eol}${this.#word('b')}`
          : `${this.#word('b')}${eol}${search}`;
    return { kind: 'blocks', path, blocks: [{ search, replace }] };
  }

  #context(): Parameters<typeof applyGuardedEdit>[1]['context'] {
    const scope = { tenant: 'local', client: 'test', task: TASK, step: this.step };
    return { ...scope, role: 'coder', criticality: 'low', qualityFloor: 0, deadlineMs: Number.MAX_SAFE_INTEGER };
  }

  async #command(): Promise<string | null> {
    const path = this.pick(filesOf(this.ws));
    const to = this.#newPath();
    const kind = this.pick(['cp', 'mv', 'rm', 'echo'] as const);
    if (kind === 'echo' && !isPlainText(join(this.ws, path))) return null;
    this.model.know(path);
    this.model.know(to);
    const command = { cp: `cp ${q(path)} ${q(to)}`, mv: `mv ${q(path)} ${q(to)}`, rm: `rm ${q(path)}`, echo: '' }[kind];
    const text = command === '' ? `echo ${this.#word('b')} >> ${q(path)}` : command;
    // A program does not make folders.
    if (kind !== 'rm' && kind !== 'echo') mkdirSync(dirname(join(this.ws, to)), { recursive: true });
    const place = { cwd: this.ws, workspace: this.ws };
    const outcome = await runGuardedCommand(this.ports, {
      ...place,
      context: this.#context(),
      command: text,
      shell: 'bash',
      assessment: assess({ ...place, shell: 'bash', command: text }),
      judgement: { verdict: 'allow' },
      timeoutMs: 1000,
      env: {},
      signal: new AbortController().signal,
      emit: () => undefined,
    });
    if (outcome.result !== 'done') throw new Error(`seed ${this.seed}: ${text}: ${outcome.reason}`);
    const known = await this.ports.store.entry(outcome.key);
    // A command whose files are not known cannot be taken back, and is part of what the person has.
    if (!known.ok || !known.value?.evidence?.files)
      throw new Error(`seed ${this.seed}: ${text}: its files are not known`);
    if (kind === 'cp') this.model.belayMakes(to);
    if (kind === 'mv') this.model.belayMoves(path, to);
    if (kind === 'rm') this.model.belayDeletes(path);
    if (kind === 'echo') this.model.belayChanges(path);
    return outcome.key;
  }

  #act(command: string | readonly string[]): void {
    const words = [...String(command).matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(
      ([, quoted, bare]) => quoted?.replaceAll("'\\''", "'") ?? bare ?? '',
    );
    const [name, first = '', second = '', third = ''] = words;
    const at = (path: string): string => join(this.ws, path.replace(/^\.\//, ''));
    if (name === 'cp') writeFileSync(at(second), readFileSync(at(first)));
    else if (name === 'mv') renameSync(at(first), at(second));
    else if (name === 'rm') rmSync(at(first));
    else writeFileSync(at(third), `${first}\n`, { flag: 'a' });
  }

  /** One change by the person. */
  person(): void {
    const own = this.#own();
    const files = filesOf(this.ws);
    const path = this.#likely(0.6);
    this.model.know(path);
    const file = join(this.ws, path);
    const kind = this.random.next();
    if (kind < 0.7) this.#personEdits(path);
    else if (kind < 0.78) {
      this.model.personDeletes(path);
      rmSync(file);
      const next = this.random.next();
      if (next < 0.2) symlinkSync(this.pick(['/etc/hostname', 'nowhere', this.pick(files)]), file);
      else if (next < 0.35) mkdirSync(file);
      if (next < 0.35) this.model.murky.add(path);
    } else if (kind < 0.86) {
      const to = this.random.next() < 0.3 && own.length > 0 ? this.pick(own) : this.#newPath();
      if (isThere(join(this.ws, to))) return;
      this.model.know(to);
      const content = readFileSync(file, 'latin1');
      this.model.personDeletes(path);
      this.model.personMakes(to, content);
      mkdirSync(dirname(join(this.ws, to)), { recursive: true });
      renameSync(file, join(this.ws, to));
    } else if (kind < 0.94) {
      const to = this.random.next() < 0.4 && own.length > 0 ? this.pick(own) : this.#newPath();
      if (isThere(join(this.ws, to))) return;
      this.model.know(to);
      const content = `${this.#word('u')}\n`;
      this.model.personMakes(to, content);
      mkdirSync(dirname(join(this.ws, to)), { recursive: true });
      writeFileSync(join(this.ws, to), content);
    } else chmodSync(file, 0o600);
  }

  #personEdits(path: string): void {
    const bytes = this.model.personEdits(path, (real, model) => {
      const at = this.below(real.length);
      const kind = this.random.next();
      const isLast = at === real.length - 1;
      if (isLast || kind < 0.6) insertLine(real, model, at, this.#word('u'));
      else if (kind < 0.8) changeLine(real, model, at, this.#word('u'));
      else deleteLine(real, model, at);
    });
    if (bytes) writeFileSync(join(this.ws, path), bytes);
  }
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function q(path: string): string {
  const safe = path.startsWith('-') ? `./${path}` : path;
  return `'${safe.replaceAll("'", "'\\''")}'`;
}

/** UTF-8 with line feeds, so that an appended line fits. */
function isPlainText(file: string): boolean {
  const text = textFile(readFileSync(file));
  return (
    text?.style.encoding === 'utf8' && text.style.eol === '\n' && text.lines.at(-1) === '' && text.lines.length > 1
  );
}
