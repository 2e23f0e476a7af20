// Providers that the environment has keys or sign-ins for. Only names of variables are kept: the values stay where they
// are. Which models to use the environment does not say; a person picks them from a live list.
import type { ProviderKind } from '../../core/candidate.ts';
import { kindFacts, presetFacts, presetNames } from '../../core/providers/kinds.ts';
import { nameOf, type ImportedEntry, type ImportNote } from './entry.ts';
import { gather, type ImportResult } from './gather.ts';
import { placedAt } from './targets.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables in which the vendors' own tools look for an address. */
const ADDRESSES: Readonly<Partial<Record<ProviderKind, string>>> = {
  openai: 'OPENAI_BASE_URL',
  anthropic: 'ANTHROPIC_BASE_URL',
  azure: 'AZURE_OPENAI_ENDPOINT',
};
/** Kinds that a key variable alone can stand for. */
const KINDS = ['openai', 'anthropic', 'gemini', 'azure', 'bedrock'] as const;
const AWS_REGIONS = ['AWS_REGION', 'AWS_DEFAULT_REGION'];
const GOOGLE_PROJECTS = ['GOOGLE_CLOUD_PROJECT', 'ANTHROPIC_VERTEX_PROJECT_ID'];
const GOOGLE_REGIONS = ['GOOGLE_CLOUD_LOCATION', 'CLOUD_ML_REGION'];

/** The names of variables that hold something. */
export function variablesIn(environment: Environment): ReadonlySet<string> {
  return new Set(Object.keys(environment).filter((name) => isSet(environment, name)));
}

/** One provider for each key variable that is set, and Vertex where its project and region are. */
export function readEnvironment(environment: Environment): ImportResult {
  const notes: ImportNote[] = [];
  const kinds = KINDS.flatMap((kind) => {
    const { keyEnv } = kindFacts[kind];
    return keyEnv === null || !isSet(environment, keyEnv) ? [] : [{ target: { kind } as const, variable: keyEnv }];
  });
  const presets = presetNames.flatMap((preset) => {
    const variable = presetFacts[preset].keyEnv;
    return variable === null || !isSet(environment, variable)
      ? []
      : [{ target: { kind: 'openai-compatible', preset } as const, variable }];
  });
  const entries = [...kinds, ...presets].flatMap(({ target, variable }): ImportedEntry[] => {
    const address = ADDRESSES[target.kind];
    const placed = placedAt(target, address === undefined ? undefined : environment[address]);
    if ('reason' in placed) {
      notes.push({ entry: variable, reason: placed.reason });
      return [];
    }
    const region = target.kind === 'bedrock' ? firstName(environment, AWS_REGIONS) : undefined;
    if (target.kind === 'bedrock' && region === undefined) {
      notes.push({ entry: variable, reason: 'no-region' });
      return [];
    }
    return [
      {
        ...placed,
        label: variable,
        model: null,
        key: { from: 'variable', name: variable },
        ...(region === undefined ? {} : { region }),
      },
    ];
  });
  return gather({ entries: [...entries, ...vertexIn(environment)], notes, routes: [], secrets: [] });
}

function vertexIn(environment: Environment): readonly ImportedEntry[] {
  const project = firstName(environment, GOOGLE_PROJECTS);
  const region = firstName(environment, GOOGLE_REGIONS);
  if (project === undefined || region === undefined) return [];
  return [{ label: project, target: { kind: 'vertex' }, model: null, key: { from: 'sign-in' }, project, region }];
}

function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? '').trim() !== '';
}

function firstName(environment: Environment, names: readonly string[]): string | undefined {
  return names.map((name) => nameOf(environment[name])).find((value) => value !== undefined);
}
