// Unit, property, contract and loopback tests. Host tests run in a real VS Code instead (test/host).
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { defineConfig } from 'vitest/config';

const root = import.meta.dirname;
const workerFile = join(root, 'out', 'test-worker', 'sqliteWorker.js');

/** The store's worker bundled once, as the product has it: from source each of its thousands of starts takes half a second. */
const bundledStoreWorker = {
  name: 'bundled-store-worker',
  buildStart: () =>
    build({
      absWorkingDir: root,
      entryPoints: ['src/adapters/stores/sqliteWorker.ts'],
      outfile: workerFile,
      bundle: true,
      platform: 'node',
      format: 'esm',
    }),
  transform: (code, id) =>
    id.endsWith('/src/adapters/stores/sqliteStore.ts')
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(workerFile).href))
      : null,
};

export default defineConfig({
  test: {
    projects: [
      // Without servers, processes left behind or environments of their own: files share a process, which is faster.
      { extends: true, test: { name: 'unit', include: ['test/{unit,property}/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'real', include: ['test/{contract,loopback}/**/*.test.ts'] } },
    ],
    // Many of these tests wait for processes and disks: no core is kept free, and a busy machine gets time.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    pool: 'forks',
  },
  plugins: [bundledStoreWorker],
});
