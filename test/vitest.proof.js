// The long proofs at their full size: 1,000 generated repositories, 200 killed runs, 10,001 simulated deaths (npm run test:proof).
import config from '../vitest.config.js';

process.env.BELAY_RESTORE_CASES = '1000';
const include = ['test/contract/{restore,execKill}.test.ts', 'test/property/ledgerCrash.test.ts'];
export default { ...config, test: { ...config.test, projects: undefined, include } };
