// Reads the configuration file of `belay gateway` (YAML; JSON is YAML): the keys of the VS Code settings, nested or dotted,
// with or without `belay.`, and besides:
//   candidates: [{id?, kind, preset?, model, baseUrl?, keyEnv? | keyless? | signIn?, account?, project?, profile?,
//                 apiVersion?, path?, vendor?, region?, environment?, backbone?, residency?, tier?, price?,
//                 contextWindowTokens?, capabilities?}]                 one item a candidate; `id` names it in routes
//   routes:     {name or pattern with *: [candidate, ...] | {candidates: [...], tier?, pinned?}}   in order of preference
//   token: text | auth: none       who may use the gateway; without either a random token is made
// "Any model goes to A under its own name, and on failure to model M at A":
//   candidates: [{id: a, kind: openai-compatible, baseUrl: ..., model: '{model}', keyEnv: KEY}, {id: m, ..., model: M}]
//   routes: {'*': [a, m]}      advanced: {timers: {firstTokenMs: 4000}, retry: {maxAttemptsPerStep: 4}}
import type { Document, LineCounter } from 'yaml';
import { candidatesOf, matchesPattern } from '../core/routes.ts';
import { residencyWarnings } from '../core/providers/check.ts';
import { authOf, keyVariable } from '../core/providers/keys.ts';
import { parseSettings, settingDefinitions, type SettingProblem, type Settings } from '../core/settings.ts';
import type { Result } from '../engine/ports.ts';
import type { GatewayAuth } from '../gateway/admission.ts';
import { itemPlace, shorthandCandidate, type ShorthandCandidate } from './configCandidates.ts';
import { readConfigText } from '../adapters/imports/configText.ts';
import { findKeys, isObject, unknownPaths, type DocumentPath, type Placed } from './configKeys.ts';

/** A file that can be used. */
export interface ConfigFile {
  /** Raw values by full name, as `parseSettings` takes them. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly settings: Settings;
  /** Null: a random token is made. */
  readonly auth: GatewayAuth | null;
  /** What works, but perhaps not as meant; one line each. */
  readonly warnings: readonly string[];
  /** Where a path of the settings (`belay.providers.1.models.0.name`) stands in the file: `name:line:column: field`. */
  readonly placeOf: (path: string) => string;
}

interface Draft {
  readonly values: ReadonlyMap<string, Placed>;
  /** Providers written out in the file; those made from `candidates` come after them. */
  readonly written: readonly unknown[];
  readonly made: readonly ShorthandCandidate[];
  readonly problem: (path: DocumentPath, message: string) => void;
}

/** A problem whose place in the file is looked up only when it is told. */
interface LocatedProblem {
  readonly position: () => string;
  readonly message: string;
}

/** Problems that are told one by one; nobody mends more at a time. */
const MAX_LINES = 20;
const MAX_LINE_CHARS = 400;
const MAX_STEP_CHARS = 64;
/** Names that are listed for a person to choose from. */
const MAX_NAMES = 20;

/**
 * Reads the text of a file. Problems are one line each: `name:line:column: field: what was expected`; at most 20, then
 * how many more there are; they never repeat a token. `environment` is only asked whether a key's variable exists.
 */
export function readConfigFile(
  text: string,
  fileName: string,
  environment: Readonly<Record<string, string | undefined>>,
): Result<ConfigFile, readonly string[]> {
  const read = readConfigText(text);
  if (!read.ok) {
    const { problems, lines } = read.error;
    const located = problems.map(({ offset, message }) => ({ position: () => place(lines, offset), message }));
    return { ok: false, error: problemLines(fileName, located) };
  }
  const { document, lines, root } = read.value;
  const problems: LocatedProblem[] = [];
  const problem = (path: DocumentPath, message: string): void => {
    problems.push({ position: () => positionOf(document, lines, path), message: `${pathText(path)}${message}` });
  };
  if (!isObject(root)) {
    problem([], 'expected an object of settings');
    return { ok: false, error: problemLines(fileName, problems) };
  }
  const found = findKeys(root);
  for (const { path, message } of found.problems) problem(path, message);
  const draft = draftOf(found.values, problem);
  const auth = readAuth(found.values, problem);
  const raw = rawSettings(draft);
  const { settings, problems: settingProblems } = parseSettings(raw);
  for (const { path, message } of settingProblems.map((each) => placeProblem(draft, each))) problem(path, message);
  if (problems.length === 0) checkMeaning(draft, raw, settings);
  if (problems.length > 0) return { ok: false, error: problemLines(fileName, problems) };
  const residency = residencyWarnings(settings, raw['belay.providers']).map((each) => {
    const { path, message } = placeProblem(draft, each);
    return `${pathText(path)}${message}`;
  });
  const warnings = [...missingKeys(settings, environment), ...residency];
  const placeOf = (settingPath: string): string => {
    const { path } = placeProblem(draft, { path: settingPath, message: '' });
    return `${fileName}:${positionOf(document, lines, path)}: ${fieldText(path)}`;
  };
  return { ok: true, value: { raw, settings, auth, warnings, placeOf } };
}

function draftOf(values: ReadonlyMap<string, Placed>, problem: Draft['problem']): Draft {
  const written = values.get('providers')?.value;
  const list = values.get('candidates');
  const made: ShorthandCandidate[] = [];
  const items: unknown = list?.value ?? [];
  if (!Array.isArray(items)) problem(list?.path ?? [], 'expected a list');
  else {
    items.forEach((item: unknown, index) => {
      const { candidate, problems } = shorthandCandidate(item, index);
      for (const { field, message } of problems)
        problem([...(list?.path ?? []), index, ...(field === '' ? [] : [field])], message);
      if (candidate) made.push(candidate);
    });
  }
  return { values, written: Array.isArray(written) ? written : [], made, problem };
}

function rawSettings(draft: Draft): Record<string, unknown> {
  const raw: Record<string, unknown> = {};
  for (const [name, { value }] of draft.values) {
    if (Object.hasOwn(settingDefinitions, `belay.${name}`)) raw[`belay.${name}`] = value;
  }
  const written = raw['belay.providers'];
  const made = draft.made.map(({ provider }) => provider);
  if (made.length > 0 && (written === undefined || written === null || Array.isArray(written))) {
    raw['belay.providers'] = [...draft.written, ...made];
  }
  if (isObject(raw['belay.routes'])) {
    raw['belay.routes'] = Object.fromEntries(
      Object.entries(raw['belay.routes']).map(([name, route]) => [name, fullRoute(draft, route)]),
    );
  }
  return raw;
}

/** A list or a single name becomes a route; short candidate names become full ids. */
function fullRoute(draft: Draft, route: unknown): unknown {
  const full =
    typeof route === 'string' ? { candidates: [route] } : Array.isArray(route) ? { candidates: route } : route;
  if (!isObject(full) || !Array.isArray(full.candidates)) return full;
  const candidates = full.candidates.map(
    (name: unknown) => draft.made.find(({ id }) => id === name)?.candidateId ?? name,
  );
  return { ...full, candidates };
}

function readAuth(values: ReadonlyMap<string, Placed>, problem: Draft['problem']): GatewayAuth | null {
  const token = values.get('token');
  const auth = values.get('auth');
  if (auth && auth.value !== 'none' && auth.value !== 'token') {
    problem(auth.path, 'expected none (no token; loopback only) or token');
    return null;
  }
  if (token && auth?.value === 'none') {
    problem(token.path, 'a token and auth: none contradict each other; remove one of them');
    return null;
  }
  if (auth?.value === 'none') return { auth: 'none' };
  if (!token) return null;
  if (typeof token.value !== 'string' || !/^[\x21-\x7e]{1,512}$/.test(token.value)) {
    problem(token.path, 'expected text of 1 to 512 printable ASCII characters without spaces; put it in quotes');
    return null;
  }
  return { token: token.value };
}

/** Points a problem of the settings at the place in the file it comes from. */
function placeProblem(
  draft: Draft,
  { path, message }: SettingProblem,
): { readonly path: DocumentPath; readonly message: string } {
  const name = [...draft.values.keys()].find((key) => path === `belay.${key}` || path.startsWith(`belay.${key}.`));
  const isProvider = path === 'belay.providers' || path.startsWith('belay.providers.');
  const setting = isProvider ? 'providers' : name;
  if (setting === undefined) return { path: [], message: `${path}: ${message}` };
  const rest = path.slice(`belay.${setting}`.length).split('.').slice(1);
  const own = draft.values.get(setting)?.path ?? [];
  if (!isProvider) return { path: [...own, ...rest], message };
  const index = Number(rest[0]);
  if (rest[0] === undefined) return { path: own, message };
  const inItem = index - draft.written.length;
  if (inItem < 0) return { path: [...own, index, ...rest.slice(1)], message };
  return { path: [...(draft.values.get('candidates')?.path ?? []), inItem, ...itemPlace(rest.slice(1))], message };
}

/** What every value by itself does not show: unknown fields, routes to nobody, nobody to route to. */
function checkMeaning(draft: Draft, raw: Readonly<Record<string, unknown>>, settings: Settings): void {
  const parsed = {
    providers: settings.providers,
    routes: settings.routes,
    'guard.rules': settings.guardRules,
    'disclosure.rules': settings.disclosureRules,
    advanced: settings.advanced,
  };
  for (const [name, value] of Object.entries(parsed)) {
    for (const path of unknownPaths(raw[`belay.${name}`], value)) {
      draft.problem([...(draft.values.get(name)?.path ?? [name]), ...path], 'unknown field');
    }
  }
  const candidates = candidatesOf(settings);
  if (candidates.length === 0) draft.problem([], 'nobody may be called: add candidates (or providers), at least one');
  const routesPath = draft.values.get('routes')?.path ?? [];
  for (const [name, route] of Object.entries(settings.routes)) {
    for (const pattern of route.candidates) {
      if (candidates.some((candidate) => matchesPattern(pattern, candidate.id))) continue;
      const ids = [...draft.made.map(({ id }) => id), ...candidates.map(({ id }) => id)];
      draft.problem(
        [...routesPath, name],
        `no candidate is called ${JSON.stringify(pattern.slice(0, MAX_STEP_CHARS))}; there are ${someOf(ids)}`,
      );
    }
  }
}

function missingKeys(settings: Settings, environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return settings.providers
    .filter((provider) => provider.enabled && authOf(provider) === 'key')
    .flatMap((provider) => {
      const variable = keyVariable(provider);
      if (variable !== null && isSet(environment, variable)) return [];
      const which = variable === null ? 'no environment variable' : `the environment variable ${variable}`;
      const what = variable === null ? 'is named in its keyEnv' : 'is not set';
      return `${which} (key of ${provider.id}) ${what}; calls to ${provider.id} will be refused`;
    });
}

function isSet(environment: Readonly<Record<string, string | undefined>>, name: string): boolean {
  return Object.hasOwn(environment, name) && environment[name] !== '' && environment[name] !== undefined;
}

function problemLines(fileName: string, problems: readonly LocatedProblem[]): readonly string[] {
  const more = problems.length - MAX_LINES;
  return problems.slice(0, MAX_LINES + 1).map(({ position, message }, index) => {
    const text = index === MAX_LINES ? `and ${more} more problems from here on` : message;
    return `${fileName}:${position()}: ${oneLine(text)}`;
  });
}

function pathText(path: DocumentPath): string {
  return path.length === 0 ? '' : `${fieldText(path)}: `;
}

function fieldText(path: DocumentPath): string {
  return path.map((step) => String(step).slice(0, MAX_STEP_CHARS)).join('.');
}

function positionOf(document: Document, lines: LineCounter, path: DocumentPath): string {
  for (let length = path.length; length >= 0; length--) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length).map(keyStep), true);
    const range: unknown = isObject(node) ? node.range : undefined;
    if (Array.isArray(range) && typeof range[0] === 'number') return place(lines, range[0]);
  }
  return '1:1';
}

/** Positions of problems come as text. */
function keyStep(step: string | number): string | number {
  return typeof step === 'string' && /^\d+$/.test(step) ? Number(step) : step;
}

function place(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${Math.max(1, line)}:${Math.max(1, col)}`;
}

function someOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Text of a file may hold what moves a terminal's cursor, and may be of any length. */
function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are what is taken out
  const clean = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return clean.length > MAX_LINE_CHARS ? `${clean.slice(0, MAX_LINE_CHARS).toWellFormed()}...` : clean;
}
