// Runs mocha inside the extension host. A test entry bundles this file and its tests, and exports
// `run = () => runMocha(() => import('./one.test'), ...)`; mocha itself comes from the test host's cache.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Slow machines start a window slowly: a test that waits for the workbench needs this long. */
const TEST_TIMEOUT_MS = 30_000;

/**
 * Loads the tests (`describe` and `it` are globals while they load) and runs them; rejects when one failed.
 * @param {readonly (() => Promise<unknown>)[]} suites one import a test file
 * @param {Record<string, unknown>} [options] options of mocha
 * @returns {Promise<void>}
 */
export async function runMocha(suites, options = {}) {
  const folder = process.env.BELAY_HOST_MODULES;
  if (!folder) throw new Error('BELAY_HOST_MODULES is not set: start the tests through test/host/runTests.mjs');
  const { default: Mocha } = await import(pathToFileURL(path.join(folder, 'mocha', 'index.js')).href);
  const mocha = new Mocha({
    ui: 'bdd',
    reporter: 'spec',
    timeout: TEST_TIMEOUT_MS,
    grep: process.env.BELAY_TEST_GREP,
    ...options,
  });
  mocha.suite.emit('pre-require', globalThis, 'entry', mocha);
  for (const load of suites) await load();
  const runner = await new Promise((resolve) => {
    const started = mocha.run(() => resolve(started));
  });
  const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
  console.log(`${passes} passed, ${failures} failed, ${pending} skipped`);
  if (failures > 0) throw new Error(`${failures} tests failed in the extension host`);
  if (passes === 0) throw new Error('no test ran in the extension host');
}
