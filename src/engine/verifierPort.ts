// The verifier port: which checks a workspace has (V1: tests, type checker, linter), and what their output says. Part of
// engine/ports.ts, which hands it on. It runs nothing: the engine does, through the guarded command path.
import type { CheckReason } from '../core/recovery/checks.ts';

/** `named`: a command that the settings or the task name; what it checks is its own affair. */
export type CheckKind = 'tests' | 'types' | 'lint' | 'named';

/** A check that the workspace has and that is installed. */
export interface PlannedCheck {
  readonly kind: CheckKind;
  /** Who checks, e.g. `tests: vitest`. */
  readonly verifier: string;
  /** Version of the tool as installed; empty: not known. */
  readonly version: string;
  /** A text for bash, run in the workspace. */
  readonly command: string;
  /** Used instead when `command` looks at some files only and finds no test of theirs. */
  readonly wide?: string;
  /** Where it was found, for a person. */
  readonly why: string;
}

/** A check that the workspace asks for and that cannot be run. */
export interface LackingCheck {
  readonly kind: CheckKind;
  /** Names the thing and the remedy. */
  readonly reason: string;
}

/** What would be run in a workspace. */
export interface CheckPlan {
  readonly checks: readonly PlannedCheck[];
  readonly lacking: readonly LackingCheck[];
  /** Why there may be more checks than are named here, e.g. a file that could not be read; absent: nothing stood against it. */
  readonly unsure?: readonly string[];
}

/** What is to be checked. */
export interface CheckPlanRequest {
  /** Absolute root of the workspace. */
  readonly workspace: string;
  /** Files that were changed, relative to it; a tool that can looks at these only. Null: the whole workspace. */
  readonly touched: readonly string[] | null;
  /** The environment of the commands: what is on its PATH is installed. */
  readonly env: Readonly<Record<string, string>>;
}

/** How a check's command ended. */
export interface CheckRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run says. */
export interface CheckReading {
  /** Empty exactly where the exit code is 0 and nothing that was printed reports a failure. */
  readonly reasons: readonly CheckReason[];
  /** Share of the tests that passed, 1 where there is no reason; null: no share is told. */
  readonly quality: number | null;
  /** Tests that were run; null: not told. */
  readonly ranTests: number | null;
  /** What was printed besides errors of types that stand among the reasons, or that it was cut; null: there is nothing else. */
  readonly unread: string | null;
}

/** What says what a check does. */
export interface DefinitionRequest {
  readonly check: Pick<PlannedCheck, 'kind' | 'command'>;
  /** Absolute root of the workspace. */
  readonly workspace: string;
  /** Files that were changed, relative to it. */
  readonly touched: readonly string[];
}

export interface VerifierPort {
  plan(request: CheckPlanRequest): Promise<CheckPlan>;
  /** Those of the touched files that say what the check does: scripts, its tool's configuration, programs that it names. */
  definedBy(request: DefinitionRequest): Promise<readonly string[]>;
  /** `workspace`: absolute root, for the names of files. */
  read(check: Pick<PlannedCheck, 'command'>, run: CheckRun, workspace: string): CheckReading;
  /** Version of the rules by which output is read. */
  readonly version: string;
}
