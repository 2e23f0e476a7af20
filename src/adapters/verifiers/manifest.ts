// package.json as far as checks need it: its scripts. A file that cannot be understood is told as trouble, since it may have
// scripts that nobody sees.
import * as z from 'zod';
import { textFile } from './textFile.ts';

const manifestSchema = z.object({ scripts: z.record(z.string(), z.unknown()).default({}) });

/** What package.json says. */
export interface Manifest {
  readonly isThere: boolean;
  /** Text of each script by its name. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Why its scripts are not known; null: they are. */
  readonly trouble: string | null;
}

/** Reads package.json of the workspace's root. */
export async function readManifest(workspace: string): Promise<Manifest> {
  const { text, trouble } = await textFile(workspace, 'package.json');
  if (text === null) return { isThere: trouble !== null, scripts: {}, trouble };
  try {
    const read = manifestSchema.safeParse(JSON.parse(text));
    const entries = read.success ? Object.entries(read.data.scripts) : [];
    const scripts = Object.fromEntries(
      entries.flatMap(([name, script]) => (typeof script === 'string' ? [[name, script]] : [])),
    );
    return { isThere: true, scripts, trouble: null };
  } catch {
    // No JSON: no package manager would run anything of it either.
    return { isThere: true, scripts: {}, trouble: 'package.json is no JSON, so its scripts are not known' };
  }
}
