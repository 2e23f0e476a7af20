// Reads a configuration file from the disk, with one clear line for each thing that is wrong with it.
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Result } from '../engine/ports.ts';
import { readConfigFile, type ConfigFile } from './configFile.ts';

/** A larger file is no configuration. */
const MAX_CONFIG_BYTES = 1_048_576;

/** Reads and parses the file, a relative path from `cwd`; each line of the error names the file, the field and what was expected. */
export async function readConfig(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
  cwd = '.',
): Promise<Result<ConfigFile, readonly string[]>> {
  try {
    const { size } = await stat(resolve(cwd, path));
    if (size > MAX_CONFIG_BYTES)
      return { ok: false, error: [`${path}: larger than ${MAX_CONFIG_BYTES} bytes; this is no configuration file`] };
    return readConfigFile(await readFile(resolve(cwd, path), 'utf8'), path, environment);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const why = reasons[code] ?? `it cannot be read (${code})`;
    return { ok: false, error: [`${path}: ${why}`] };
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; name an existing one with --config',
  EISDIR: 'this is a folder; name a file with --config',
  EACCES: 'it may not be read by this user; change its permissions',
};
