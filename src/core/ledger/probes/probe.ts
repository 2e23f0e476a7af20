// What a probe is: one kind of effect, read from a command's words, looked at before and after. A new kind is one file that
// calls `defineProbe`, and one line in the table (../probes.ts).
// A probe may say COMMITTED or ABSENT only when no other story fits the facts; everything else is UNKNOWN, since a wrong
// ABSENT duplicates an effect and a wrong COMMITTED loses one (HFR document, proposition 3).
import type * as z from 'zod';
import type { ProbeBaseline } from '../entry.ts';
import type { ProbeResult } from '../reconcile.ts';
import type { Looking } from './reading.ts';
import type { Step } from './script.ts';

/** Where and as what a command runs, when its baseline is taken. Folders are absolute. */
export interface Scope {
  readonly workspace: string;
  /** The folder the probed part of the command runs in. */
  readonly folder: string;
  /** False where other parts, which change nothing, stand beside the probed one. */
  readonly isAlone: boolean;
  /** How git will mark the command's own commits in its log; null where it will not. */
  readonly mark: string | null;
}

/** What an effect may have touched, for telling whose work could be mistaken for whose (../rivals.ts). */
export interface Footprint {
  /** Null: not known. */
  readonly workspace: string | null;
  /** Files and folders, as the file port names them. */
  readonly paths: readonly string[];
  /** Refs of repositories, local and remote, each as one text. */
  readonly refs: readonly string[];
  /** Whether it runs programs (hooks, scripts) that may change anything in the workspace. */
  readonly runsPrograms: boolean;
}

/** What a probe says; `detail` is a sentence part for a person. */
export type Verdict = Pick<ProbeResult, 'says' | 'detail' | 'ifStopped'>;

/** How the run of an effect ended, as far as it is known (../runEnd.ts). */
export interface RunEnd {
  /** The exit code of the program itself; null: it was stopped, its end was not seen, or the code may be another part's. */
  readonly exitCode: number | null;
  /** What is kept of its output, both streams; '' where nothing is. */
  readonly output: string;
}

/** The effect of a command, read from its words. */
export interface PlannedProbe {
  readonly kind: string;
  /** What the words say; of the shape its kind defines. */
  readonly words: unknown;
  /** Paths it names, as written. */
  readonly targets: readonly string[];
  /** Looks before the effect; null: there can be no probe here. */
  before(scope: Scope): Looking<ProbeBaseline | null>;
}

/** A probe whose plan and data only itself understands. */
export interface Probe {
  readonly kind: string;
  /** How long the outside may take to show an effect: ABSENT is believed only when it is said again after so long (ms). */
  readonly settleMs: number;
  /** Whether git marks a commit of the command as its own (`Scope.mark`). */
  readonly isMarked: boolean;
  /** Null: the step is nothing for this probe. */
  plan(step: Step): PlannedProbe | null;
  /** Looks after the effect; null: the data is not of a shape this version knows. */
  after(data: unknown): Looking<Verdict> | null;
  footprint(data: unknown): Footprint | null;
  /** Whether only the facts speak for its COMMITTED and ABSENT, so that another entry's work may look the same. */
  needsRivals(data: unknown): boolean;
  /** Why its ABSENT proves nothing after a run that ended so, as a sentence part; null: it stands. */
  absentDoubt(data: unknown, end: RunEnd): string | null;
}

/** A probe with the types of its plan (what the words say) and its data (what the ledger keeps: hashes, never texts). */
export interface ProbeSpec<Words, Data extends Readonly<Record<string, unknown>>> {
  readonly kind: string;
  /** Default 0: the effect is on this machine. */
  readonly settleMs?: number;
  readonly isMarked?: boolean;
  readonly schema: z.ZodType<Data>;
  plan(step: Step): Words | null;
  /** Paths that the words name. Default: none. */
  targets?(words: Words): readonly string[];
  before(words: Words, scope: Scope): Looking<Data | null>;
  after(data: Data): Looking<Verdict>;
  footprint(data: Data): Footprint;
  /** Default: always. */
  needsRivals?(data: Data): boolean;
  /** Default: never, since what is killed with its group does not go on. */
  absentDoubt?(data: Data, end: RunEnd): string | null;
}

/** Makes a probe for the table: its plan and data are checked here and nowhere else. */
export function defineProbe<Words, Data extends Readonly<Record<string, unknown>>>(
  spec: ProbeSpec<Words, Data>,
): Probe {
  const { kind, settleMs = 0, isMarked = false, schema } = spec;
  const checked = (data: unknown): Data | null => schema.safeParse(data).data ?? null;
  return {
    kind,
    settleMs,
    isMarked,
    plan: (step) => {
      const words = spec.plan(step);
      if (words === null) return null;
      return {
        kind,
        words,
        targets: spec.targets?.(words) ?? [],
        *before(scope) {
          const data = yield* spec.before(words, scope);
          return data && { kind, data };
        },
      };
    },
    after: (data) => {
      const known = checked(data);
      return known && spec.after(known);
    },
    footprint: (data) => {
      const known = checked(data);
      return known && spec.footprint(known);
    },
    needsRivals: (data) => {
      const known = checked(data);
      return known === null || (spec.needsRivals?.(known) ?? true);
    },
    absentDoubt: (data, end) => {
      const known = checked(data);
      return known && (spec.absentDoubt?.(known, end) ?? null);
    },
  };
}

/** What a probe of one part cannot know of the others. */
export function restOf(isAlone: boolean): string {
  return isAlone ? '' : '; whether its other parts, which change nothing, ran to their end is not known';
}
