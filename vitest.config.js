// Unit, property, contract and loopback tests. Host tests run in a real VS Code instead (test/host).
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,property,contract,loopback}/**/*.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
  },
});
