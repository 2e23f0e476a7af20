// The checks of a JavaScript or TypeScript project: its own scripts first, then the tools that are set up and installed.
// Reads package.json, tsconfig.json and file names; a script is run by its name, never by its text.
import type { CheckKind, CheckPlan, CheckPlanRequest, LackingCheck, PlannedCheck } from '../../engine/ports.ts';
import { commandLine, firstThere, isOnPath, isThere, noChecks, touchedFiles, type Discovery } from './found.ts';
import { readManifest } from './manifest.ts';
import { textFile, type FileText } from './textFile.ts';

const BIN = 'node_modules/.bin';
const CODE = /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte)$/;
const TYPED = /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte|json)$/;
const TYPE_SCRIPTS = ['typecheck', 'type-check', 'check:types', 'check-types', 'types', 'tsc'];
const ESLINT_CONFIGS = [
  ...['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((ending) => `eslint.config.${ending}`),
  ...['.js', '.cjs', '.yaml', '.yml', '.json', ''].map((ending) => `.eslintrc${ending}`),
];
/** More files in one command line than this, and all are looked at instead. */
const MAX_NAMED_FILES = 100;
/** What `npm init` writes where there are no tests. */
const NO_TESTS = 'no test specified';

interface Project {
  readonly request: CheckPlanRequest;
  readonly scripts: Readonly<Record<string, string>>;
  /** tsconfig.json. */
  readonly config: FileText;
  readonly manager: string;
}

type Found = PlannedCheck | LackingCheck | null;

/** Looks for tests, types and lint where there is a package.json or a tsconfig.json. */
export const nodeChecks: Discovery = async (request) => {
  const { workspace } = request;
  const { isThere: hasManifest, scripts, trouble } = await readManifest(workspace);
  const config = await textFile(workspace, 'tsconfig.json');
  if (!hasManifest && config.text === null && config.trouble === null) return noChecks;
  const project = { request, scripts, config, manager: await managerOf(workspace) };
  const found = [await typesOf(project), await lintOf(project), await testsOf(project)];
  const unsure = [trouble, config.trouble].filter((each) => each !== null);
  return { ...(await withManager(project, found)), ...(unsure.length > 0 ? { unsure } : {}) };
};

async function managerOf(workspace: string): Promise<string> {
  const lock = await firstThere(workspace, ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb']);
  return lock === null ? 'npm' : (/^(pnpm|yarn|bun)/.exec(lock)?.[1] ?? 'npm');
}

/** A script cannot be run without its package manager. */
async function withManager({ manager, request }: Project, found: readonly Found[]): Promise<CheckPlan> {
  const isInstalled = await isOnPath(manager, request.env);
  const checks: PlannedCheck[] = [];
  const lacking: LackingCheck[] = [];
  for (const each of found) {
    if (each === null) continue;
    if ('reason' in each) lacking.push(each);
    else if (isInstalled || !each.command.startsWith(`${manager} `)) checks.push(each);
    else lacking.push({ kind: each.kind, reason: `${each.why} needs ${manager}, which is not installed` });
  }
  return { checks, lacking };
}

async function typesOf(project: Project): Promise<Found> {
  const { request, scripts, config } = project;
  const isTouched = request.touched?.some((path) => TYPED.test(path)) ?? true;
  if (!isTouched) return null;
  const script = TYPE_SCRIPTS.find((name) => scripts[name] !== undefined);
  if (script !== undefined) return scriptCheck(project, 'types', script);
  if (config.text === null) return null;
  if (!(await isThere(request.workspace, `${BIN}/tsc`)))
    return { kind: 'types', reason: 'tsconfig.json is there, but typescript is not installed in node_modules' };
  if (/"references"\s*:/.test(config.text) && /"files"\s*:\s*\[\s*\]/.test(config.text)) {
    const reason = 'tsconfig.json only refers to other projects; add a script "typecheck" that checks them';
    return { kind: 'types', reason };
  }
  const command = `${BIN}/tsc --noEmit --pretty false -p tsconfig.json`;
  return toolCheck(request, { kind: 'types', tool: 'typescript', command, why: 'tsconfig.json' });
}

async function lintOf(project: Project): Promise<Found> {
  const { request, scripts } = project;
  const files = await touchedFiles(request, CODE);
  if (files?.length === 0) return null;
  const config = await firstThere(request.workspace, ESLINT_CONFIGS);
  const hasEslint = config !== null && (await isThere(request.workspace, `${BIN}/eslint`));
  const isNamed = files !== null && files.length <= MAX_NAMED_FILES;
  if (hasEslint && (isNamed || scripts.lint === undefined)) {
    const names = isNamed ? ['--', ...files] : ['.'];
    const command = commandLine([`${BIN}/eslint`, '--format', 'json', ...names]);
    return toolCheck(request, { kind: 'lint', tool: 'eslint', command, why: config });
  }
  if (scripts.lint !== undefined) return scriptCheck(project, 'lint', 'lint');
  if (config === null) return null;
  return { kind: 'lint', reason: `${config} is there, but eslint is not installed in node_modules` };
}

async function testsOf(project: Project): Promise<Found> {
  const { request, scripts } = project;
  const text = scripts.test;
  if (text !== undefined && !text.includes(NO_TESTS)) {
    const whole = scriptCheck(project, 'tests', 'test');
    const tool = /^(?:npx )?(vitest|jest)\b[^&|;]*$/.exec(text)?.[1];
    return tool === undefined ? whole : ((await relatedTests(request, tool, whole)) ?? whole);
  }
  const tool = await firstThere(request.workspace, [`${BIN}/vitest`, `${BIN}/jest`]);
  if (tool === null) return null;
  const name = tool.slice(BIN.length + 1);
  const command = name === 'vitest' ? `${tool} run` : tool;
  const whole = await toolCheck(request, { kind: 'tests', tool: name, command, why: tool });
  return (await relatedTests(request, name, whole)) ?? whole;
}

/** Only the tests that have to do with the touched files: both tools follow the imports, which is cheap. */
async function relatedTests(
  request: CheckPlanRequest,
  tool: string,
  whole: PlannedCheck,
): Promise<PlannedCheck | null> {
  const files = await touchedFiles(request, CODE);
  if (files === null || files.length === 0 || files.length > MAX_NAMED_FILES) return null;
  if (!(await isThere(request.workspace, `${BIN}/${tool}`))) return null;
  const related =
    tool === 'vitest' ? ['related', '--run', '--passWithNoTests'] : ['--passWithNoTests', '--findRelatedTests'];
  const command = commandLine([`${BIN}/${tool}`, ...related, ...files]);
  const check = await toolCheck(request, { kind: 'tests', tool, command, why: whole.why });
  return { ...check, wide: whole.command };
}

function scriptCheck({ manager }: Project, kind: CheckKind, script: string): PlannedCheck {
  const command = `${manager} run ${script}`;
  return { kind, verifier: `${kind}: ${command}`, version: '', command, why: `package.json, script "${script}"` };
}

interface ToolCheck {
  readonly kind: CheckKind;
  /** Name of its package. */
  readonly tool: string;
  readonly command: string;
  readonly why: string;
}

async function toolCheck(
  { workspace }: CheckPlanRequest,
  { kind, tool, command, why }: ToolCheck,
): Promise<PlannedCheck> {
  const { text } = await textFile(workspace, `node_modules/${tool}/package.json`);
  const version = /"version"\s*:\s*"([^"]{1,50})"/.exec(text ?? '')?.[1] ?? '';
  return { kind, verifier: `${kind}: ${tool}`, version, command, why };
}
