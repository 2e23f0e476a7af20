// The tests that a mutant of core/recovery has to survive (npm run test:mutation:recovery): the quick ones, and the borders over
// fewer decisions than the million of a whole run.
import { defineConfig } from 'vitest/config';

process.env.BELAY_DECISIONS = '20000';

export default defineConfig({
  test: {
    include: [
      'test/unit/core/recovery/**/*.test.ts',
      'test/unit/engine/{breakerBook,budgetBook,bulkheadQueue,callDecision,contextCompressor}.test.ts',
      'test/property/{breaker,recoveryBorders,recoveryPropositions}.test.ts',
    ],
    testTimeout: 30_000,
  },
});
