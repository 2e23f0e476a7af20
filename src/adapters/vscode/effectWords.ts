// Entries of the ledger as lines of a quick pick. Text only; must not import vscode.
import type { LedgerEntry } from '../../core/ledger/entry.ts';
import { changesOf } from '../../core/ledger/fileChanges.ts';

type Translate = (message: string, ...values: (string | number)[]) => string;

/** One thing that can be undone: an entry, or all of a task. */
export interface UndoChoice {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly what:
    { readonly kind: 'entries'; readonly keys: readonly string[] } | { readonly kind: 'task'; readonly task: string };
}

const MAX_PATHS = 5;

/** Tasks first, then their entries, both newest first. Only entries that changed files are offered. */
export function undoChoices(
  entries: readonly LedgerEntry[],
  nowMs: number,
  translate: Translate,
): { readonly tasks: readonly UndoChoice[]; readonly entries: readonly UndoChoice[] } {
  const withFiles = entries.filter((entry) => changesOf(entry).length > 0);
  const byTask = Map.groupBy(withFiles, ({ task }) => task);
  const tasks = [...byTask].map(([task, own]): UndoChoice => {
    const paths = [...new Set(own.flatMap(pathsOf))];
    return {
      label: translate('Everything of task {0}', task),
      description: agoText(Math.max(...own.map(({ updatedAtMs }) => updatedAtMs)), nowMs, translate),
      detail: pathList(paths, translate),
      what: { kind: 'task', task },
    };
  });
  const single = withFiles.map((entry): UndoChoice => {
    const isUndo = entry.compensates !== undefined;
    return {
      label: isUndo ? translate('Redo: take back "{0}"', entry.title) : entry.title,
      description: agoText(entry.updatedAtMs, nowMs, translate),
      detail: pathList(pathsOf(entry), translate),
      what: { kind: 'entries', keys: [entry.key] },
    };
  });
  return { tasks, entries: single };
}

function pathsOf(entry: LedgerEntry): readonly string[] {
  return changesOf(entry).map(({ path }) => path);
}

function pathList(paths: readonly string[], translate: Translate): string {
  const shown = paths.slice(0, MAX_PATHS).join(', ');
  return paths.length > MAX_PATHS ? translate('{0} and {1} more', shown, paths.length - MAX_PATHS) : shown;
}

/** How long ago, in the largest unit that fits. */
export function agoText(atMs: number, nowMs: number, translate: Translate): string {
  const minutes = Math.max(0, Math.floor((nowMs - atMs) / 60_000));
  if (minutes < 1) return translate('just now');
  if (minutes < 60) return translate('{0} min ago', minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? translate('{0} h ago', hours) : translate('{0} days ago', Math.floor(hours / 24));
}
