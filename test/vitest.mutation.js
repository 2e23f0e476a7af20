// The tests that a mutant of core/ledger has to survive (npm run test:mutation): the quick ones without processes or disks, so
// that thousands of mutants can be tried.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/unit/core/ledger/**/*.test.ts',
      'test/unit/engine/undo*.test.ts',
      'test/unit/engine/recoverLedger.test.ts',
      'test/unit/engine/guardedEditCrash.test.ts',
      'test/property/ledgerTransitions.test.ts',
      'test/property/ledgerPropositions.test.ts',
    ],
    testTimeout: 30_000,
  },
});
