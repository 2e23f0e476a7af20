// What the parts of the guard share while one command text is walked: findings, directory, bounds, and the two ways back in
// (a list of words, a text to parse again). Inspectors and wrappers reach the walker only through this, so nothing is circular.
import { note, notUnderstood, type EffectKind, type Findings } from './effects.ts';
import type { EffectLevel } from '../ledger/entry.ts';
import { isSecretWord, locate, resolvePath, type Located, type Surroundings } from './paths.ts';
import type { NameSurvey } from './bash/names.ts';
import type { ShellWord } from './word.ts';

/** Where a command's standard input comes from; `text` where it is literally in the command (here-string, here-document). */
export interface Stdin {
  readonly from: 'caller' | 'pipe' | 'file' | 'text';
  readonly text?: string;
}

/** Enough of a walk to judge a path. */
export interface Noting extends Surroundings {
  readonly findings: Findings;
}

/** State of one walk. `cwds` changes with `cd`; `depth` counts texts and wrappers inside one another. */
export interface Walk extends Noting {
  cwds: readonly (string | undefined)[];
  /** Names the text itself defines as functions; their bodies are walked where they stand. */
  functions: ReadonlySet<string>;
  /** Variables whose every possible value is known. */
  variables: Map<string, readonly ShellWord[]>;
  /** What the text in hand does to names (see bash/names.ts). */
  names: NameSurvey;
  depth: number;
  /** Loops, functions and traps around the place in hand: what stands there may run after what follows it. */
  loops: number;
  /** Steps taken; see {@link spend}. */
  steps: number;
  commandCount: number;
  readonly runWords: (words: readonly ShellWord[], stdin: Stdin) => void;
  readonly runText: (text: string) => void;
}

/** Standard input as inherited: nothing is known to be in it. */
export const CALLER_STDIN: Stdin = { from: 'caller' };
const MAX_DEPTH = 12;
const MAX_STEPS = 20_000;

/** Counts one step of work. False where the text has been given up: not understood, or more work than one text may cost. */
export function spend(walk: Walk, steps = 1): boolean {
  walk.steps += steps;
  if (walk.steps > MAX_STEPS)
    notUnderstood(walk.findings, 'the command needs more work than the guard gives to one text');
  return walk.findings.understood;
}

/** Runs `inner` one level deeper, or reports that the nesting is too deep. */
export function deeper(walk: Walk, inner: () => void): void {
  if (walk.depth >= MAX_DEPTH) {
    notUnderstood(walk.findings, 'commands are nested too deeply to follow');
    return;
  }
  walk.depth += 1;
  inner();
  walk.depth -= 1;
}

/** Runs `inner` in a copy of the shell's state: what it sets is gone afterwards (subshell, pipe, substitution). */
export function apart(walk: Walk, inner: () => void): void {
  const before = walk.cwds;
  scoped(walk, inner);
  walk.cwds = before;
}

/** Runs `inner` so that variables and functions it sets are not relied on afterwards: it may not have run at all (branch, loop, list). */
export function scoped(walk: Walk, inner: () => void): void {
  const { variables, functions } = walk;
  walk.variables = new Map(variables);
  walk.functions = new Set(functions);
  inner();
  walk.variables = variables;
  walk.functions = functions;
}

/** What a write is: its level where the target is inside the workspace, and how to name it. */
export interface Write {
  readonly level: EffectLevel;
  readonly kind: EffectKind;
  readonly verb: string;
  readonly rule?: string;
  /** What is written follows from the project's own files (a build, a formatter), not from the command's text. */
  readonly isOwnOutput?: boolean;
}

/** Notes a write to `word`: its own level inside the workspace, R3 anywhere else or where the target is not known. */
export function noteWrite(walk: Noting, word: ShellWord, write: Write): Located {
  const at = locate(word, walk);
  const rule = write.rule === undefined ? {} : { rule: write.rule };
  const shown = at.path ?? word.known;
  if (at.place !== 'discard' && write.kind !== 'delete-file') {
    walk.findings.writes += 1;
    if (write.isOwnOutput !== true) walk.findings.written.add(shown);
  }
  if (at.place === 'discard') {
    if (write.level === 'R3')
      note(walk.findings, { level: 'R3', reason: `${write.verb} ${shown}`, kind: write.kind, ...rule });
    return at;
  }
  if (at.place === 'inside' && !(write.kind === 'delete-file' && isWholeTree(at.path, walk.workspace))) {
    note(walk.findings, {
      level: write.level,
      reason: `${write.verb} ${shown}`,
      kind: write.kind,
      target: shown,
      ...rule,
    });
    return at;
  }
  if (at.place === 'protected' || at.place === 'inside') {
    note(walk.findings, {
      level: 'R3',
      reason: `${write.verb} ${shown}, ${at.place === 'inside' ? 'the whole workspace' : 'which steers git, an editor or an agent'}`,
      kind: write.kind,
      target: shown,
      ...rule,
    });
    note(walk.findings, {
      level: 'R3',
      reason: `${shown} is guarded by name`,
      kind: 'change-environment',
      target: shown,
    });
    return at;
  }
  const why =
    at.place === 'unknown'
      ? 'a target that is known only when it runs or whose directory is unknown'
      : `${shown}, which is outside the workspace`;
  note(walk.findings, {
    level: 'R3',
    reason: `${write.verb} ${why}`,
    kind: write.kind,
    ...(shown === '' ? {} : { target: shown }),
    ...rule,
  });
  note(walk.findings, {
    level: 'R3',
    reason: 'reaches outside the workspace',
    kind: 'outside-workspace',
    ...(shown === '' ? {} : { target: shown }),
  });
  return at;
}

/** `.`, `*` and the root's own path: everything there is. */
function isWholeTree(path: string | undefined, workspace: string | undefined): boolean {
  const root = workspace === undefined ? undefined : resolvePath('/', workspace);
  return root !== undefined && path !== undefined && (path === root || /^[/.*?]*$/.test(path.slice(root.length)));
}

const MAX_COMPARED = 200;
// Written names under which no tool looks for code.
const INERT = /\.(log|out|md)$|(^|\/)(?!requirements|constraints|CMakeLists)[\w-]+\.txt$/;

/**
 * Notes that code of the project runs: a script at `path`, or with no path whatever a build, test or check loads. R3 where the
 * same text has written it (or may have, in a loop): then nobody has seen what runs.
 */
export function noteRun(walk: Pick<Walk, 'findings' | 'loops'>, path?: string): void {
  const { findings } = walk;
  findings.runs.push({ path, isLate: walk.loops > 0 });
  noteWrittenRun(findings, path);
}

/** The check of {@link noteRun} with what has been written so far. */
export function noteWrittenRun(findings: Findings, path: string | undefined): void {
  // More than this many writes are R3 by themselves (see effects.ts).
  for (const written of [...findings.written].slice(0, MAX_COMPARED)) {
    const isSame =
      path === undefined
        ? !INERT.test(written)
        : path === written || path.startsWith(written.endsWith('/') ? written : `${written}/`) || /[*?[]/.test(written);
    if (!isSame) continue;
    note(findings, {
      level: 'R3',
      reason: `writes ${written} and then runs ${path ?? 'what may load it'}`,
      kind: 'run-hidden-text',
    });
    return;
  }
}

/** Notes it where a word names a file that usually holds secrets. Reading is R0 by itself; the end of the walk weighs it. */
export function noteSecretRead(walk: Pick<Noting, 'findings'>, word: ShellWord): void {
  for (const one of word.choices ?? [word]) {
    if (isSecretWord(one)) {
      note(walk.findings, {
        level: 'R0',
        reason: `reads ${one.known}, which usually holds secrets`,
        kind: 'read-secret',
        target: one.known,
      });
    }
  }
}
