// The checks of projects in Python, Rust and Go, where they are set up and their tools are installed.
import type { CheckPlan, CheckPlanRequest } from '../../engine/ports.ts';
import { firstThere, isOnPath, isThere, noChecks, type Discovery } from './found.ts';
import { textFile } from './textFile.ts';

/** Files that set pytest up, and what must stand in them. */
const PYTEST_SETUPS: readonly (readonly [file: string, mark: RegExp])[] = [
  ['pytest.ini', /\[pytest\]/],
  ['pyproject.toml', /\bpytest\b/],
  ['setup.cfg', /\[tool:pytest\]/],
  ['tox.ini', /\[pytest\]/],
  ['requirements-dev.txt', /^pytest\b/m],
  ['conftest.py', /(?:)/],
  ['tests/conftest.py', /(?:)/],
];

/** pytest, from the project's own environment before any other. */
export const pythonChecks: Discovery = async ({ workspace, touched, env }) => {
  if (!isTouched(touched, /\.(?:py|pyi|toml|cfg|ini)$/)) return noChecks;
  const { why, unsure } = await pytestSetup(workspace);
  if (why === null) return { ...noChecks, ...unsure };
  const own = await firstThere(workspace, ['.venv/bin/pytest', 'venv/bin/pytest']);
  const program = own ?? ((await isOnPath('pytest', env)) ? 'pytest' : null);
  if (program === null)
    return {
      checks: [],
      lacking: [{ kind: 'tests', reason: `${why} names pytest, which is not installed` }],
      ...unsure,
    };
  const command = `${program} -q --tb=short`;
  return { checks: [{ kind: 'tests', verifier: 'tests: pytest', version: '', command, why }], lacking: [], ...unsure };
};

/** The first file that sets pytest up; null: none does, as far as they could be read. */
async function pytestSetup(
  workspace: string,
): Promise<{ readonly why: string | null; readonly unsure: Pick<CheckPlan, 'unsure'> }> {
  const troubles: string[] = [];
  const found = (why: string | null) => ({ why, unsure: troubles.length === 0 ? {} : { unsure: troubles } });
  for (const [file, mark] of PYTEST_SETUPS) {
    const { text, trouble } = await textFile(workspace, file);
    if (trouble !== null) troubles.push(`${trouble}, and it may set pytest up`);
    if (text !== null && mark.test(text)) return found(file);
  }
  return found(null);
}

/** `cargo test`, which compiles first and so checks types as well. */
export const cargoChecks: Discovery = (request) =>
  oneProgram(request, {
    file: 'Cargo.toml',
    program: 'cargo',
    command: 'cargo test --no-fail-fast',
    touches: /\.(?:rs|toml|lock)$/,
  });

/** `go test` of all packages, which compiles and vets them first. */
export const goChecks: Discovery = (request) =>
  oneProgram(request, { file: 'go.mod', program: 'go', command: 'go test ./...', touches: /\.(?:go|mod|sum)$/ });

interface OneProgram {
  readonly file: string;
  readonly program: string;
  readonly command: string;
  readonly touches: RegExp;
}

async function oneProgram(
  { workspace, touched, env }: CheckPlanRequest,
  { file, program, command, touches }: OneProgram,
): ReturnType<Discovery> {
  if (!isTouched(touched, touches) || !(await isThere(workspace, file))) return noChecks;
  if (!(await isOnPath(program, env)))
    return { checks: [], lacking: [{ kind: 'tests', reason: `${file} needs ${program}, which is not installed` }] };
  return { checks: [{ kind: 'tests', verifier: `tests: ${program}`, version: '', command, why: file }], lacking: [] };
}

function isTouched(touched: CheckPlanRequest['touched'], ending: RegExp): boolean {
  return touched?.some((path) => ending.test(path)) ?? true;
}
