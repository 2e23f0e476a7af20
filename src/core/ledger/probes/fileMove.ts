// The probe of `mv`: nothing is left at the old place and the same content stands at the new one. A folder is known by the
// files in it.
import { afterStates, splitOptions, stateAt, statesFootprint, statesSchema } from './fileStates.ts';
import type { StateChange, StatesBaseline } from './fileStates.ts';
import { pathOf } from './paths.ts';
import { defineProbe } from './probe.ts';
import { listing } from './reading.ts';
import type { Looking } from './reading.ts';
import { destinationOf, transferWords } from './transfer.ts';
import type { TransferWords } from './transfer.ts';

const OPTIONS: ReadonlySet<string> = new Set(['f', 'v', '--force', '--verbose']);
/** Folders with more files get no probe: their baseline would cost more than it is worth. */
const MAX_FILES = 100;

export const fileMoveProbe = defineProbe<TransferWords, StatesBaseline>({
  kind: 'file-move',
  schema: statesSchema,
  plan: ({ words: [name, ...rest], output }) =>
    name === 'mv' && !output ? transferWords(splitOptions(rest, OPTIONS)) : null,
  targets: ({ sources, destination }) => [...sources, destination],
  *before({ sources, destination }, scope) {
    const files: StateChange[] = [];
    for (const source of sources) {
      const from = yield* pathOf(scope, source);
      const to = yield* destinationOf(scope, source, destination, sources.length > 1);
      if (from === null || to === null || to.startsWith(`${from}/`)) return null;
      const moved = yield* movedFiles(from, to);
      if (!moved) return null;
      files.push(...moved);
    }
    const isMany = files.length > MAX_FILES || new Set(files.map(({ path }) => path)).size < files.length;
    return isMany ? null : { workspace: scope.workspace, isAlone: scope.isAlone, files };
  },
  after: afterStates,
  footprint: statesFootprint,
});

function* movedFiles(from: string, to: string): Looking<readonly StateChange[] | null> {
  const content = yield* stateAt(from);
  const before = yield* stateAt(to);
  if (content === undefined || content === null || content === 'other' || before === undefined) return null;
  const files: StateChange[] = [
    { path: from, before: content, after: null },
    { path: to, before, after: content },
  ];
  if (content !== 'folder') return files;
  const inside = (yield* listing()).filter((path) => path.startsWith(`${from}/`));
  if (inside.length > MAX_FILES) return null;
  for (const path of inside) {
    const one = yield* stateAt(path);
    if (one === undefined || one === null) return null;
    const place = `${to}${path.slice(from.length)}`;
    files.push({ path, before: one, after: null }, { path: place, before: null, after: one });
  }
  return files;
}
