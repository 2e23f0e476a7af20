// Finds the settings in a configuration file however they are spelled: nested or dotted, with or without `belay.`.
// Every key is either known or a named problem; nothing is skipped.
import { settingDefinitions } from '../core/settings.ts';

export type DocumentPath = readonly (string | number)[];

/** A value of the file and where it stands. */
export interface Placed {
  readonly value: unknown;
  readonly path: DocumentPath;
}

export interface KeyProblem {
  readonly path: DocumentPath;
  readonly message: string;
}

const PREFIX = 'belay.';
/** Keys of a gateway file that are no VS Code settings. */
const extras = ['candidates', 'token', 'auth'] as const;
const known: ReadonlySet<string> = new Set([
  ...extras,
  ...Object.keys(settingDefinitions).map((name) => name.slice(PREFIX.length)),
]);
/** The one setting below which further dots are taken as nesting. */
const OPEN = 'advanced';

export interface FoundKeys {
  /** By name without the prefix, e.g. `guard.mode`, `candidates`. */
  readonly values: ReadonlyMap<string, Placed>;
  readonly problems: readonly KeyProblem[];
}

/** Collects all values of the root object. */
export function findKeys(root: Readonly<Record<string, unknown>>): FoundKeys {
  const values = new Map<string, Placed>();
  const problems: KeyProblem[] = [];
  const put = (name: string, placed: Placed): void => {
    const earlier = values.get(name);
    if (!earlier) values.set(name, placed);
    else if (name === OPEN && isObject(earlier.value) && isObject(placed.value)) {
      values.set(name, { path: earlier.path, value: merge(earlier.value, placed, problems) });
    } else problems.push({ path: placed.path, message: `${name} is given twice` });
  };
  const walk = (node: Readonly<Record<string, unknown>>, prefix: string, path: DocumentPath): void => {
    for (const [key, value] of Object.entries(node)) {
      const here = [...path, key];
      const spelled = prefix === '' ? key : `${prefix}.${key}`;
      const name = spelled.startsWith(PREFIX) ? spelled.slice(PREFIX.length) : spelled;
      if (known.has(name)) put(name, { value, path: here });
      else if (name.startsWith(`${OPEN}.`)) put(OPEN, { value: nest(name.split('.').slice(1), value), path: here });
      else if ((name === 'belay' && prefix === '') || isGroup(name)) {
        if (isObject(value)) walk(value, name === 'belay' ? '' : name, here);
        else problems.push({ path: here, message: `expected an object of settings` });
      } else problems.push({ path: here, message: `unknown key; known are ${[...known].join(', ')}` });
    }
  };
  walk(root, '', []);
  return { values, problems };
}

function isGroup(name: string): boolean {
  return [...known].some((other) => other.startsWith(`${name}.`));
}

function nest(steps: readonly string[], value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = steps;
  return { [first]: rest.length === 0 ? value : nest(rest, value) };
}

function merge(
  into: Readonly<Record<string, unknown>>,
  from: Placed,
  problems: KeyProblem[],
  below = OPEN,
): Record<string, unknown> {
  // A map: a key may be the name of something that every object has.
  const result = new Map<string, unknown>(Object.entries(into));
  for (const [key, value] of Object.entries(isObject(from.value) ? from.value : {})) {
    const before = result.get(key);
    if (before === undefined) result.set(key, value);
    else if (isObject(before) && isObject(value))
      result.set(key, merge(before, { value, path: from.path }, problems, `${below}.${key}`));
    else problems.push({ path: from.path, message: `${below}.${key} is given twice` });
  }
  return Object.fromEntries(result);
}

/** True for a plain object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Paths in `raw` that the parsed value does not have: a schema that knows them would have kept them. */
export function unknownPaths(raw: unknown, parsed: unknown, path: DocumentPath = []): readonly DocumentPath[] {
  if (Array.isArray(raw) && Array.isArray(parsed)) {
    return raw.flatMap((item, index) => unknownPaths(item, parsed[index], [...path, index]));
  }
  if (!isObject(raw) || !isObject(parsed)) return [];
  return Object.entries(raw).flatMap(([key, value]) =>
    Object.hasOwn(parsed, key) ? unknownPaths(value, parsed[key], [...path, key]) : [[...path, key]],
  );
}
