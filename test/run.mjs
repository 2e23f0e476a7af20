// `npm test`: every check and every suite, one after the other, with one closing line over all of them.
// A stage that fails does not stop the others, except where they would need what it makes.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Set by runAllTests: build.mjs calls this module, so it hands its own functions over instead of being imported. */
let tools;

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'out');
const vitestReport = join(out, 'vitest.json');

/** Runs a command, shows its output, and returns its exit code with what it printed. */
function runAndRead(command, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...tools.toolEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const [stream, sink] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      stream.on('data', (chunk) => {
        text += chunk;
        sink.write(chunk);
      });
    }
    child.on('error', (error) => resolve({ code: 1, text: String(error) }));
    child.on('close', (code) => resolve({ code: code ?? 1, text }));
  });
}

const check = (script) => () => {
  const code = tools.run('npm', ['run', '--silent', script]);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
};

async function vitest() {
  rmSync(vitestReport, { force: true });
  const code = tools.run('vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${vitestReport}`,
  ]);
  if (!existsSync(vitestReport)) return { passed: 0, failed: 1 };
  const report = JSON.parse(readFileSync(vitestReport, 'utf8'));
  const { numPassedTests: passed, numFailedTests: failed } = report;
  // A file that cannot be loaded fails the run without a failed test.
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed, names: failedNames(report) };
}

const MAX_MESSAGE_LENGTH = 300;

/** What failed, one line each, for the end of the run: the beginning of a long output is easily lost. */
function failedNames({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0 && status === 'failed') return [`${file}: ${message.slice(0, MAX_MESSAGE_LENGTH)}`];
    return tests.map(({ fullName, failureMessages: [first = ''] }) => {
      const text = first.replaceAll('\n', ' ').slice(0, MAX_MESSAGE_LENGTH);
      return `${file}: ${fullName}\n      ${text}`;
    });
  });
}

/** Runs a script of the test host, which ends by printing its own counts. */
const hostScript = (file, env) => async () => {
  const { code, text } = await runAndRead(process.execPath, [join(root, 'test', 'host', file)], env);
  const counts = [...text.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1);
  const passed = Number(counts?.[1] ?? 0);
  const failed = Number(counts?.[2] ?? 0);
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed };
};

const stages = [
  { name: 'types', work: check('check:types') },
  { name: 'lint', work: check('check:lint') },
  { name: 'boundaries', work: check('check:boundaries') },
  { name: 'format', work: check('check:format') },
  { name: 'unused code', work: check('check:unused') },
  { name: 'build', isNeeded: true, work: async () => (await tools.build(), { passed: 1, failed: 0 }) },
  { name: 'unit, property, contract, loopback', work: vitest },
  { name: 'package', isNeeded: true, work: async () => (await tools.packageExtension(), { passed: 1, failed: 0 }) },
  {
    name: 'real VS Code host',
    work: async () => {
      const suite = await tools.buildHostTests();
      return hostScript('runTests.mjs', {
        BELAY_TESTS_PATH: suite,
        BELAY_EXTENSION_PATH: root,
        BELAY_FIGURES_FILE: join(out, 'activation.json'),
      })();
    },
  },
  { name: 'packaged extension in the workbench', work: hostScript('ui/runUi.mjs', {}) },
];

/** Runs all stages, or those whose name contains one of `only`; resolves with the exit code. */
export async function runAllTests(only, buildTools) {
  tools = buildTools;
  mkdirSync(out, { recursive: true });
  const chosen = only.length === 0 ? stages : stages.filter((stage) => only.some((word) => stage.name.includes(word)));
  const rows = [];
  for (const { name, work, isNeeded } of chosen) {
    console.log(`\n=== ${name}`);
    const startedAt = process.hrtime.bigint();
    let counts;
    try {
      counts = await work();
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      counts = { passed: 0, failed: 1 };
    }
    rows.push({ name, ...counts, seconds: Number(process.hrtime.bigint() - startedAt) / 1e9 });
    if (counts.failed > 0 && isNeeded) break;
  }
  console.log('\n=== summary');
  for (const row of rows)
    console.log(
      `${row.failed === 0 ? '✓' : '✕'} ${row.name}: ${row.passed} passed, ${row.failed} failed, ${row.seconds.toFixed(0)} s`,
    );
  for (const name of rows.flatMap(({ names }) => names ?? [])) console.log(`  ✕ ${name}`);
  const passed = rows.reduce((sum, row) => sum + row.passed, 0);
  const failed = rows.reduce((sum, row) => sum + row.failed, 0);
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
