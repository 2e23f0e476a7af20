// The shape of the effect table: one row says what a program does under which conditions, and carries its own examples.
// Base rows give the level (the longest subcommand wins; several of the same length: the highest level).
// Lower rows (a dry run) replace the base level; raise rows can only add. So the order of rows never matters.
import type { EffectLevel } from '../../ledger/entry.ts';
import type { EffectKind } from '../effects.ts';

/** Which words of the call a row writes to: they must lie inside the workspace, else the call is R3. */
export type Target =
  | 'operands'
  | 'first-operand'
  | 'last-operand'
  | 'second-operand'
  | 'sources'
  | 'copy-target'
  | 'clone-target'
  | 'prefix-operand'
  | 'cwd'
  | 'afterwards'
  | `option ${string}`;

/** One row of the effect table. */
export interface Rule {
  readonly id: string;
  readonly tier?: 'base' | 'lower' | 'raise';
  readonly programs: readonly string[];
  /** Leading operands, `stash list`; absent: the row does not look at a subcommand. */
  readonly subcommands?: readonly string[];
  /** At least one of these options is given (`--name=value` also asks for the value). */
  readonly options?: readonly string[];
  /** The program takes no beginnings of long names. */
  readonly exactNames?: true;
  /** The option found by `options` must have a value that matches. */
  readonly value?: RegExp;
  /** None of these options is given. */
  readonly without?: readonly string[];
  /** One of these options stands before the subcommand. */
  readonly globalOptions?: readonly string[];
  /** There are operands after `--`. */
  readonly afterDashes?: true;
  /** Some operand after the subcommand matches. */
  readonly operand?: RegExp;
  /** The first operand after the subcommand is there and matches. */
  readonly first?: RegExp;
  /** The second operand after the subcommand is there and matches. */
  readonly second?: RegExp;
  /** Every operand after the subcommand matches (also when there is none). */
  readonly everyOperand?: RegExp;
  /** Least and greatest number of operands after the subcommand. */
  readonly operandCount?: readonly [number, number];
  readonly level: EffectLevel;
  readonly kind: EffectKind;
  /** Completes "the command ...": `only reads`, `publishes a package`. */
  readonly because: string;
  readonly writes?: readonly Target[];
  /** Words that must name something inside the workspace, though they are only read: a tree is copied with the links in it. */
  readonly needsInside?: readonly Target[];
  /** What it writes follows from the project's own files (a formatter), or is empty (mkdir): running it later is no surprise. */
  readonly ownOutput?: true;
  /** Operands are text, not file names (echo, commit messages): they are not looked at for secrets. */
  readonly textOnly?: true;
  /** A raise row that holds in a dry run too: it starts a program. */
  readonly evenInDryRun?: true;
  /** Commands this row must and must not fire on; `checkRules` runs them. */
  readonly examples: { readonly match: readonly string[]; readonly notMatch: readonly string[] };
}

/** Conditions and targets a row may add. */
export type RowOptions = Omit<
  Rule,
  'id' | 'tier' | 'programs' | 'subcommands' | 'level' | 'kind' | 'because' | 'examples'
>;

type RowArguments = [
  id: string,
  programs: string,
  subcommands: string,
  level: EffectLevel,
  kind: EffectKind,
  because: string,
  match: readonly string[],
  notMatch: readonly string[],
  more?: RowOptions,
];

/** A row that gives the level. Programs are separated by blanks, subcommands by `|`; '*' means any or none. */
export function base(...row: RowArguments): Rule {
  return { tier: 'base', ...fields(row) };
}

/** A row that replaces the level of the base rows, as a dry run does. */
export function lower(...row: RowArguments): Rule {
  return { tier: 'lower', ...fields(row) };
}

/** A row that can only make it worse. */
export function raise(...row: RowArguments): Rule {
  return { tier: 'raise', ...fields(row) };
}

function fields([id, programs, subcommands, level, kind, because, match, notMatch, more]: RowArguments): Rule {
  return {
    id,
    programs: programs.split(' '),
    ...(subcommands === '*' ? {} : { subcommands: subcommands.split('|') }),
    level,
    kind,
    because,
    ...more,
    examples: { match, notMatch },
  };
}
