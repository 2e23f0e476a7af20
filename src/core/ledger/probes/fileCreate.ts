// The probe of commands that make or fill files and folders with content their own words say: `touch`, `> file`, `tee`, a
// here-doc, `mkdir`. Touching a file that exists changes only its time, which no probe can tell from another's touch.
import { sha256Hex } from '../key.ts';
import { pathOf } from './paths.ts';
import { defineProbe } from './probe.ts';
import type { Scope } from './probe.ts';
import { afterStates, splitOptions, stateAt, statesFootprint, statesSchema } from './fileStates.ts';
import type { StateChange, StatesBaseline } from './fileStates.ts';
import type { Looking } from './reading.ts';
import { printedText } from './script.ts';
import type { Step } from './script.ts';

/** Files or folders that are made. */
interface CreateWords {
  readonly targets: readonly string[];
  /** The exact content; null: they are folders. */
  readonly text: string | null;
  /** `touch`: only what does not exist gets the content. */
  readonly isOnlyNew: boolean;
  /** `mkdir -p`: folders around it are made, too. */
  readonly withParents: boolean;
}

export const fileCreateProbe = defineProbe<CreateWords, StatesBaseline>({
  kind: 'file-create',
  schema: statesSchema,
  plan: (step) => writeWords(step) ?? touchWords(step) ?? folderWords(step),
  targets: ({ targets }) => targets,
  before: createBefore,
  after: afterStates,
  footprint: statesFootprint,
});

const PRINTERS = new Set(['echo', 'printf', 'cat']);
const TEE_OPTIONS: ReadonlySet<string> = new Set(['i', 'p']);

/** `printer > file`, `> file` alone, and `text | tee file`. */
function writeWords({ words, output, input }: Step): CreateWords | null {
  const [name, ...rest] = words;
  const written = { isOnlyNew: false, withParents: false };
  if (output && !output.isAppend) {
    const isEmpty = name === undefined || name === ':' || name === 'true';
    if (!isEmpty && !PRINTERS.has(name)) return null;
    const text = isEmpty ? '' : printedText({ words, input });
    return text === null ? null : { ...written, targets: [output.path], text };
  }
  if (name !== 'tee' || output || input === null) return null;
  const split = splitOptions(rest, TEE_OPTIONS);
  return split && split.rest.length > 0 ? { ...written, targets: split.rest, text: input } : null;
}

function touchWords({ words, output }: Step): CreateWords | null {
  const [name, ...rest] = words;
  const split = name === 'touch' && !output ? splitOptions(rest, new Set()) : null;
  if (!split || split.rest.length === 0) return null;
  return { targets: split.rest, text: '', isOnlyNew: true, withParents: false };
}

function folderWords({ words, output }: Step): CreateWords | null {
  const [name, ...rest] = words;
  const split = name === 'mkdir' && !output ? splitOptions(rest, new Set(['p', 'v', '--parents', '--verbose'])) : null;
  if (!split || split.rest.length === 0) return null;
  const withParents = split.options.has('p') || split.options.has('--parents');
  return { targets: split.rest, text: null, isOnlyNew: false, withParents };
}

function* createBefore(words: CreateWords, scope: Scope): Looking<StatesBaseline | null> {
  const files: StateChange[] = [];
  for (const target of words.targets) {
    const path = yield* pathOf(scope, target);
    if (path === null) return null;
    for (const one of words.withParents ? [...foldersAround(path), path] : [path]) {
      const before = yield* stateAt(one);
      if (before === undefined) return null;
      if (words.isOnlyNew && before !== null) continue;
      // A folder that is there is nobody's work; one that the command was to enter is no change either.
      if (one !== path && before !== null) continue;
      const after = words.text === null ? 'folder' : sha256Hex(words.text);
      if (!files.some((file) => file.path === one)) files.push({ path: one, before, after });
    }
  }
  return files.length === 0 ? null : { workspace: scope.workspace, isAlone: scope.isAlone, files };
}

function foldersAround(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(0, -1).map((_part, i) => parts.slice(0, i + 1).join('/'));
}
