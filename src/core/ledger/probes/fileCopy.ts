// The probe of `cp` with single files: the copy has the hash that the source had when the command began.
import { afterStates, splitOptions, stateAt, statesFootprint, statesSchema } from './fileStates.ts';
import type { StateChange, StatesBaseline } from './fileStates.ts';
import { pathOf } from './paths.ts';
import { defineProbe } from './probe.ts';
import { destinationOf, transferWords } from './transfer.ts';
import type { TransferWords } from './transfer.ts';

/** Those that only say how it is done. Not -n, -i, -u, -b, -l, -s: with them it may rightly do nothing or something else. */
const OPTIONS: ReadonlySet<string> = new Set([
  ...['f', 'v', 'p', 'a', 'r', 'R', 'L'],
  '--force',
  '--verbose',
  '--recursive',
  '--archive',
]);

export const fileCopyProbe = defineProbe<TransferWords, StatesBaseline>({
  kind: 'file-copy',
  schema: statesSchema,
  plan: ({ words: [name, ...rest], output }) =>
    name === 'cp' && !output ? transferWords(splitOptions(rest, OPTIONS)) : null,
  targets: ({ sources, destination }) => [...sources, destination],
  *before({ sources, destination }, scope) {
    const files: StateChange[] = [];
    for (const source of sources) {
      const from = yield* pathOf(scope, source);
      const to = yield* destinationOf(scope, source, destination, sources.length > 1);
      if (from === null || to === null || from === to) return null;
      const content = yield* stateAt(from);
      const before = yield* stateAt(to);
      // A folder has no hash: whether all of it was copied could not be told.
      if (content === undefined || content === null || content === 'folder' || content === 'other') return null;
      if (before === undefined || files.some((file) => file.path === to)) return null;
      files.push({ path: to, before, after: content });
    }
    return { workspace: scope.workspace, isAlone: scope.isAlone, files };
  },
  after: afterStates,
  footprint: statesFootprint,
});
