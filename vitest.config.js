// Unit, property, contract and loopback tests. Host tests run in a real VS Code instead (test/host).
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,property,contract,loopback}/**/*.test.ts'],
    // Many of these tests wait for processes and disks: no core is kept free, and a busy machine gets time.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    pool: 'forks',
  },
});
