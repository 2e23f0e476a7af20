// May one tool stand in for another (HFR 4.4, compatibility layer)? A pure check of what both promise: required fields, types and
// units, error codes, side effects. It converts nothing and calls nothing; what it cannot see in the contracts it does not grant.
import type { FaultClass } from '../../faults/fault.ts';
import type { EffectLevel } from '../../ledger/entry.ts';
import type { Alternate } from '../decision.ts';

/** One field of what a tool takes or gives. `unit`: null where it has none (text, counts). */
export interface ContractField {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';
  readonly unit: string | null;
  readonly isRequired: boolean;
}

type Fields = Readonly<Record<string, ContractField>>;

/** What a tool promises. */
export interface ToolContractShape {
  readonly takes: Fields;
  readonly gives: Fields;
  /** Its error codes and what each means. */
  readonly errors: Readonly<Record<string, FaultClass>>;
  readonly level: EffectLevel;
  /** Name of what it does to the world, e.g. `file.append`; the same name means exactly the same effect. Null: nothing. */
  readonly effect: string | null;
}

/** How the substitute's fields are called by the original: original name -> substitute's name. Absent: the same name. */
export interface FieldNames {
  readonly takes: Readonly<Record<string, string>>;
  readonly gives: Readonly<Record<string, string>>;
}

/** What does not hold: which check, of which field or code, in words. */
export interface ContractFailure {
  readonly check: 'required-field' | 'shared-field' | 'type' | 'unit' | 'error-code' | 'effect';
  readonly subject: string;
  readonly detail: string;
}

/** `unusable`: it must not stand in at all. `similar`: for a read only, never for a write. */
export interface ContractCheck {
  readonly match: Alternate['match'] | 'unusable';
  readonly failures: readonly ContractFailure[];
}

/**
 * Compares a substitute with the original. `equivalent` where every check holds. Of a read whose substitute only reports errors
 * that nobody can map it is `similar`: its results are right, its failures are not understood.
 */
export function checkContract(
  original: ToolContractShape,
  substitute: ToolContractShape,
  names: FieldNames = { takes: {}, gives: {} },
): ContractCheck {
  const failures = [
    ...effectFailures(original, substitute),
    ...inputFailures(original, substitute, names),
    ...outputFailures(original, substitute, names),
    ...sharedFailures('takes', original, names),
    ...sharedFailures('gives', original, names),
    ...errorFailures(original, substitute),
  ];
  if (failures.length === 0) return { match: 'equivalent', failures };
  const isReadOnly = original.level === 'R0' && substitute.level === 'R0';
  const isOnlyErrors = failures.every(({ check }) => check === 'error-code');
  return { match: isReadOnly && isOnlyErrors ? 'similar' : 'unusable', failures };
}

/** A substitute with a higher level does more than was asked; with a lower one, less; under another name, something else. */
function effectFailures(original: ToolContractShape, substitute: ToolContractShape): readonly ContractFailure[] {
  const failures: ContractFailure[] = [];
  if (original.level !== substitute.level)
    failures.push(failure('effect', 'level', `${original.level} against ${substitute.level}`));
  if (original.effect !== substitute.effect || (original.effect === null && original.level !== 'R0'))
    failures.push(failure('effect', 'effect', `${original.effect} against ${substitute.effect}`));
  return failures;
}

/** Everything the substitute needs must come from what the original is given, and everything given must have a place. */
function inputFailures(
  original: ToolContractShape,
  substitute: ToolContractShape,
  names: FieldNames,
): readonly ContractFailure[] {
  const failures: ContractFailure[] = [];
  const placed = new Map(Object.keys(original.takes).map((name) => [own(names.takes, name) ?? name, name]));
  for (const [name, field] of Object.entries(substitute.takes)) {
    const from = own(original.takes, placed.get(name) ?? '');
    if (field.isRequired && !from?.isRequired)
      failures.push(failure('required-field', name, 'the substitute needs it and the original is not always given it'));
  }
  for (const [name, field] of Object.entries(original.takes)) {
    const into = own(substitute.takes, own(names.takes, name) ?? name);
    if (into) failures.push(...fieldFailures(name, field, into));
    else failures.push(failure('required-field', name, 'the substitute has no place for it'));
  }
  return failures;
}

/** Every required field of the original's result must be in the substitute's. */
function outputFailures(
  original: ToolContractShape,
  substitute: ToolContractShape,
  names: FieldNames,
): readonly ContractFailure[] {
  return Object.entries(original.gives).flatMap(([name, field]) => {
    const from = own(substitute.gives, own(names.gives, name) ?? name);
    if (from && (from.isRequired || !field.isRequired)) return fieldFailures(name, from, field);
    return field.isRequired ? [failure('required-field', name, 'the substitute does not always give it')] : [];
  });
}

/** Two fields of the original in one place of the substitute: one of the two values would be lost, or stand for the other. */
function sharedFailures(
  side: 'takes' | 'gives',
  original: ToolContractShape,
  names: FieldNames,
): readonly ContractFailure[] {
  const holders = new Map<string, string>();
  return Object.keys(original[side]).flatMap((name) => {
    const place = own(names[side], name) ?? name;
    const holder = holders.get(place);
    holders.set(place, holder ?? name);
    return holder === undefined ? [] : [failure('shared-field', name, `${holder} has the same place, ${place}`)];
  });
}

/** An integer may be given where a number is taken; nothing else changes its type on the way. */
function fieldFailures(name: string, from: ContractField, into: ContractField): readonly ContractFailure[] {
  const failures: ContractFailure[] = [];
  const isType = from.type === into.type || (from.type === 'integer' && into.type === 'number');
  if (!isType) failures.push(failure('type', name, `${from.type} for ${into.type}`));
  if (from.unit !== into.unit)
    failures.push(failure('unit', name, `${from.unit ?? 'none'} for ${into.unit ?? 'none'}`));
  return failures;
}

/** Each error of the substitute must mean something that the original's caller knows. */
function errorFailures(original: ToolContractShape, substitute: ToolContractShape): readonly ContractFailure[] {
  const known = new Set(Object.values(original.errors));
  return Object.entries(substitute.errors).flatMap(([code, meaning]) =>
    meaning === 'unknown' || !known.has(meaning)
      ? [failure('error-code', code, `means ${meaning}, which the original never reports`)]
      : [],
  );
}

function failure(check: ContractFailure['check'], subject: string, detail: string): ContractFailure {
  return { check, subject, detail };
}

/** A name may be one that every object has. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
