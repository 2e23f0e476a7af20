// `belay` as it is now, bundled into a folder: hundreds of real processes start fast, and never from a build that is old.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/** Bundles the command line, with the store's worker and the asker of execLane beside it; resolves with the path of the program. */
export async function bundleCommandLine(folder: string): Promise<string> {
  await build({
    absWorkingDir: resolve(import.meta.dirname, '../..'),
    entryPoints: {
      cli: 'src/cli/main.ts',
      sqliteWorker: 'src/adapters/stores/sqliteWorker.ts',
      asker: 'test/support/execAsker.ts',
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return join(folder, 'cli.js');
}
