// Where other tools keep what can be imported, and the reading of those files. Small plain files only; nothing is searched
// for beyond these places, and what cannot be read is as good as not there.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { readCline } from '../../imports/clineConfig.ts';
import { readContinue } from '../../imports/continueConfig.ts';
import { readEnvironment, variablesIn } from '../../imports/environment.ts';
import type { ImportResult } from '../../imports/gather.ts';
import { readLitellm } from '../../imports/litellmConfig.ts';

/** Somewhere to import from. */
export interface ImportSource {
  readonly name: 'environment' | 'continue' | 'cline' | 'litellm';
  /** The file; null: none. */
  readonly file: string | null;
  readonly result: ImportResult;
}

/** Cline's state also holds the titles of all its tasks. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const LITELLM_NAMES = ['litellm_config.yaml', 'litellm.yaml', 'litellm-config.yaml', 'litellm_config.yml'];

/** Everything that is found; `folders` are those of the workspace. */
export function importSources(folders: readonly string[]): readonly ImportSource[] {
  return [environment(), ...continueFiles(), ...clineFiles(), ...folders.flatMap(litellmFiles)].filter(
    ({ result }) => result.providers.length > 0 || result.notes.length > 0,
  );
}

/** A LiteLLM configuration that a person pointed to. */
export function litellmSource(file: string): ImportSource {
  return { name: 'litellm', file, result: readLitellm(textOf(file) ?? '', variablesIn(process.env)) };
}

function environment(): ImportSource {
  return { name: 'environment', file: null, result: readEnvironment(process.env) };
}

/** The YAML file replaces the JSON one where both are there. */
function continueFiles(): readonly ImportSource[] {
  const folder = process.env.CONTINUE_GLOBAL_DIR ?? path.join(homedir(), '.continue');
  const file = ['config.yaml', 'config.json'].map((name) => path.join(folder, name)).find((name) => existsSync(name));
  const text = file === undefined ? null : textOf(file);
  if (file === undefined || text === null) return [];
  const secretsText = textOf(path.join(folder, '.env'));
  return [
    {
      name: 'continue',
      file,
      result: readContinue({ text, secretsText, variables: variablesIn(process.env) }),
    },
  ];
}

function clineFiles(): readonly ImportSource[] {
  const folder = path.join(process.env.CLINE_DIR ?? path.join(homedir(), '.cline'), 'data');
  const file = path.join(folder, 'globalState.json');
  const stateText = textOf(file);
  if (stateText === null) return [];
  return [
    { name: 'cline', file, result: readCline({ stateText, secretsText: textOf(path.join(folder, 'secrets.json')) }) },
  ];
}

function litellmFiles(folder: string): readonly ImportSource[] {
  return LITELLM_NAMES.map((name) => path.join(folder, name))
    .filter((file) => existsSync(file))
    .map(litellmSource);
}

function textOf(file: string): string | null {
  try {
    return statSync(file).size <= MAX_FILE_BYTES ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
}
