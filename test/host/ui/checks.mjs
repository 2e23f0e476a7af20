// The smallest runner that the UI needs: named checks in order, a picture of what went wrong, and the counts at the end.
import fs from 'node:fs';
import path from 'node:path';
import { writeMachineSettings as writeSettings } from '../codeServer.mjs';

const results = { passed: 0, failed: 0 };

/**
 * Runs one check and goes on whatever comes of it.
 * @param {{screenshot: (name: string) => Promise<string>, belayLog?: () => string}} window
 * @param {string} name a sentence
 * @param {() => Promise<void>} work
 */
export async function check(window, name, work) {
  const startMs = performance.now();
  try {
    await work();
    results.passed += 1;
    console.log(`  ✔ ${name} (${Math.round(performance.now() - startMs)} ms)`);
  } catch (error) {
    results.failed += 1;
    console.log(`  ✘ ${name}\n    ${error instanceof Error ? error.message : String(error)}`);
    const file = await window.screenshot(`failed-${name.replace(/[^a-z0-9]+/gi, '-').slice(0, 60)}`).catch(() => null);
    if (file) console.log(`    picture: ${file}`);
    const log = window.belayLog?.() ?? '';
    if (log !== '') console.log(`    the end of the Belay log:\n${log.replace(/^/gm, '      ')}`);
  }
}

/** Writes Belay's settings into a profile folder, where the window's machine keeps them. */
export function writeMachineSettings(profileDir, settings) {
  writeSettings(path.join(profileDir, 'user'), settings);
}

/** Gives a window the means to show the log that Belay has written into its profile. */
export function withLog(window, profileDir) {
  const belayLog = () => {
    const folder = path.join(profileDir, 'user', 'logs');
    const files = fs.existsSync(folder)
      ? fs.readdirSync(folder, { recursive: true }).filter((file) => /Belay\.log$/.test(file))
      : [];
    return files
      .map((file) => fs.readFileSync(path.join(folder, file), 'utf8').trim().split('\n').slice(-15).join('\n'))
      .join('\n');
  };
  return { ...window, belayLog };
}

/** A window that could not even be opened counts as one failure. */
export function fail(name, error) {
  results.failed += 1;
  console.log(`  ✘ ${name}\n    ${error instanceof Error ? error.message : String(error)}`);
}

/** Prints the closing line; returns the exit code. */
export function close() {
  console.log(`${results.passed} passed, ${results.failed} failed`);
  return results.failed === 0 ? 0 : 1;
}
