// One generated case of the restore test: a copy of a repository, Belay's and a person's changes in it (restoreActs.ts), then dry
// run, undo, undo again, redo. Says everything that is not as it must be.
import { cpSync, rmSync } from 'node:fs';
import type { LedgerEntry } from '../../src/core/ledger/entry.ts';
import { changesToTakeBack } from '../../src/core/ledger/undo/selection.ts';
import { undoEffects } from '../../src/engine/undoEffects.ts';
import type { UndoOutcome, UndoRequest } from '../../src/engine/undoEffects.ts';
import { RestoreActs, TASK } from './restoreActs.ts';
import type { Done } from './restoreActs.ts';
import { differences, subtree, treeOf } from './treeSnapshot.ts';
import type { Tree } from './treeSnapshot.ts';

/** What a case came to. */
export interface CaseResult {
  readonly seed: number;
  /** What is wrong; empty: nothing. */
  readonly faults: readonly string[];
  readonly entries: number;
  readonly written: number;
  readonly merged: number;
  readonly left: number;
}

/** Runs the case of a seed on a copy of `template`, in `folder`, which is made and removed. */
export async function restoreCase(seed: number, template: string, folder: string): Promise<CaseResult> {
  cpSync(template, folder, { recursive: true, verbatimSymlinks: true, mode: 0 });
  try {
    return await new RestoreCase(new RestoreActs(seed, folder)).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class RestoreCase {
  readonly #acts: RestoreActs;
  readonly #faults: string[] = [];

  constructor(acts: RestoreActs) {
    this.#acts = acts;
  }

  async run(): Promise<CaseResult> {
    const acts = this.#acts;
    const count = 1 + acts.below(4);
    for (let i = 0; i < count; i++) {
      acts.step += acts.below(2);
      await acts.belay();
      for (let changes = acts.below(3); changes > 0; changes--) acts.person();
    }
    for (let changes = acts.below(4); changes > 0; changes--) acts.person();
    const outcome = await this.#check();
    const files = outcome?.files.map(({ file }) => file) ?? [];
    return {
      seed: acts.seed,
      faults: this.#faults,
      entries: acts.done.length,
      written: files.filter(({ action }) => action === 'write' || action === 'delete').length,
      merged: files.filter((file) => file.action === 'write' && file.isMerged).length,
      left: files.filter(({ action }) => action === 'left').length,
    };
  }

  async #undo(what: UndoRequest['what'], isDryRun: boolean): Promise<UndoOutcome> {
    await this.#acts.clock.advance(10);
    return undoEffects(this.#acts.ports, {
      what,
      client: 'test',
      workspace: this.#acts.ws,
      judge: () => ({ verdict: 'allow' }),
      isDryRun,
      restoresDeleted: false,
      signal: new AbortController().signal,
      emit: () => undefined,
    });
  }

  /** Undo in one of its forms, with everything that must hold. */
  async #check(): Promise<UndoOutcome | null> {
    if (this.#acts.done.length === 0) return null;
    const form = this.#acts.random.next();
    const single = this.#acts.pick(this.#acts.done);
    const what: UndoRequest['what'] =
      form < 0.6
        ? { kind: 'task', task: TASK }
        : form < 0.75
          ? { kind: 'task', task: TASK, fromStep: this.#acts.below(this.#acts.step + 1) }
          : { kind: 'entries', keys: [single.key] };
    const start = treeOf(this.#acts.folder);
    const planned = await this.#undo(what, true);
    const dry = treeOf(this.#acts.folder);
    this.#same('a dry run', start, dry);
    const outcome = await this.#undo(what, false);
    const undone = treeOf(this.#acts.folder);
    const [before, after] = [subtree(dry, 'ws'), subtree(undone, 'ws')];
    this.#same('outside the workspace', subtree(dry, 'outside'), subtree(undone, 'outside'));
    await this.#touchesOnly(planned, outcome, before, after);
    this.#keepsLines(before, after);
    if (form < 0.6) this.#asWithoutBelay(outcome, before, after);
    if (form >= 0.75) this.#exactWhereUntouched(single, outcome, before, after);
    if (this.#acts.random.next() < 0.5) {
      await this.#undo(what, false);
      this.#same('the same undo again', after, treeOf(this.#acts.ws));
    }
    if (this.#acts.random.next() < 0.6) await this.#redo(what, outcome, before, after);
    return outcome;
  }

  #fault(text: string): void {
    this.#faults.push(text);
  }

  #same(name: string, before: Tree, after: Tree): void {
    const changed = differences(before, after, true, false);
    if (changed.length > 0) this.#fault(`${name} changed ${changed.join(', ')}`);
  }

  /** Only paths of the ledger change, exactly those that were planned and reported. */
  async #touchesOnly(planned: UndoOutcome, outcome: UndoOutcome, before: Tree, after: Tree): Promise<void> {
    const ledger = new Set<string>();
    for (const { key } of this.#acts.done) {
      const entry = await this.#acts.ports.store.entry(key);
      if (entry.ok && entry.value) for (const path of pathsOf(entry.value)) ledger.add(path);
    }
    const reported = (one: UndoOutcome): readonly string[] =>
      one.files.flatMap(({ file }) => (file.action === 'write' || file.action === 'delete' ? [file.path] : []));
    const changed = differences(before, after, true, true);
    for (const path of changed) if (!ledger.has(path)) this.#fault(`foreign: ${path} was changed`);
    if (changed.join('\n') !== [...reported(outcome)].sort().join('\n'))
      this.#fault(`reported ${reported(outcome).join(', ')}, changed ${changed.join(', ')}`);
    if (reported(planned).join('\n') !== reported(outcome).join('\n'))
      this.#fault(`planned ${reported(planned).join(', ')}, done ${reported(outcome).join(', ')}`);
    for (const [path, item] of before)
      if (item.kind === 'file' && after.get(path)?.kind === 'file' && after.get(path)?.mode !== item.mode)
        this.#fault(`the mode of ${path} changed`);
  }

  /** Every line that a person wrote is still somewhere. */
  #keepsLines(before: Tree, after: Tree): void {
    const now = new Set([...after.values()].flatMap((item) => personLines(item.content)));
    for (const [path, item] of before)
      for (const line of personLines(item.content))
        if (!now.has(line) && !this.#acts.model.dropped.has(line)) this.#fault(`the line ${line} of ${path} is lost`);
  }

  /** A task restore leaves what would be there without Belay; a file is left only where a person changed it since. */
  #asWithoutBelay({ files }: UndoOutcome, before: Tree, after: Tree): void {
    for (const { file } of files) {
      const { path } = file;
      if (file.action === 'left') {
        const isOwn = this.#acts.model.touched.has(path) || this.#acts.model.murky.has(path);
        // Another file of the same move is in the way.
        const isOther =
          file.reason === 'waits' ||
          file.reason === 'occupied' ||
          (file.reason === 'blocked' && this.#acts.model.murky.size > 0);
        if (!isOwn && !isOther) this.#fault(`${path} was left (${file.message}), though nobody changed it`);
        if (differences(only(before, path), only(after, path), true, false).length > 0)
          this.#fault(`${path} was left and changed`);
        continue;
      }
      if (this.#acts.model.murky.has(path)) continue;
      const wanted = this.#acts.model.wanted(path);
      const now = after.get(path);
      const found = now?.kind === 'file' ? now.content : null;
      if (found !== wanted)
        this.#fault(`${path} (${file.action}) is ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`);
    }
  }

  /** One entry whose files nobody changed since is taken back byte for byte. */
  #exactWhereUntouched(entry: Done, { others }: UndoOutcome, before: Tree, after: Tree): void {
    const changed = differences(entry.before, entry.after, false, true);
    const isUntouched = changed.every(
      (path) => differences(only(entry.after, path), only(before, path), false, false).length === 0,
    );
    if (!isUntouched || others.length > 0) return;
    const wrong = changed.filter(
      (path) => differences(only(entry.before, path), only(after, path), false, false).length > 0,
    );
    if (wrong.length > 0) this.#fault(`not as before the entry: ${wrong.join(', ')}`);
  }

  async #redo(what: UndoRequest['what'], outcome: UndoOutcome, before: Tree, after: Tree): Promise<void> {
    if (outcome.compensations.length === 0) return;
    const redo = await this.#undo({ kind: 'entries', keys: outcome.compensations }, false);
    const again = treeOf(this.#acts.ws);
    const wrong = differences(before, again, false, true);
    if (wrong.length > 0)
      this.#fault(
        `a redo (${redo.result}: ${redo.reason}) differs in ${wrong.map((path) => `${path}: ${short(before, path)} -> ${short(after, path)} -> ${short(again, path)}`).join(', ')}`,
      );
    if (outcome.result !== 'done' || what.kind === 'entries') return;
    if (what.fromStep !== undefined) return;
    await this.#undo(what, false);
    const last = differences(after, treeOf(this.#acts.ws), false, true);
    if (last.length > 0) this.#fault(`an undo after the redo differs in ${last.join(', ')}`);
  }
}

function pathsOf(entry: LedgerEntry): readonly string[] {
  return changesToTakeBack(entry).map(({ path }) => path);
}

function only(tree: Tree, path: string): Tree {
  const item = tree.get(path);
  return new Map(item ? [[path, item]] : []);
}

function short(tree: Tree, path: string): string {
  const item = tree.get(path);
  return item ? `${item.kind} ${item.mode.toString(8)} ${item.content.length}` : 'nothing';
}

function personLines(content: string): readonly string[] {
  return content.replaceAll('\0', '').match(/\bu-\d+-\d+/g) ?? [];
}
