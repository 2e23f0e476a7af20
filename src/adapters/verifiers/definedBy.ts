// Which of the files that a task changed say what a check does: the judged may not rewrite the judge. These are the scripts of
// the package, the configuration of the tools, and every file of the workspace that the command or the scripts it runs name. It
// goes by names: a manifest that was changed elsewhere than in its scripts counts, too.
import { posix } from 'node:path';
import type { CheckKind, DefinitionRequest } from '../../engine/ports.ts';
import { readManifest } from './manifest.ts';

/** Programs of one kind of project, and the files that say what they do; `kinds`: only for these checks. */
interface Family {
  readonly programs: RegExp;
  readonly files: readonly { readonly name: RegExp; readonly kinds?: readonly CheckKind[] }[];
}

const FAMILIES: readonly Family[] = [
  {
    programs:
      /\b(?:npm|npx|pnpm|pnpx|yarn|bunx?|node|deno|tsx|vitest|jest|mocha|ava|playwright|cypress|karma|tsc|eslint)\b/,
    files: [
      {
        name: /^(?:package\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.c?js|pnpm-workspace\.yaml|bunfig\.toml|deno\.jsonc?)$/i,
      },
      {
        name: /^(?:(?:vitest|vite|jest|mocha|ava|karma|playwright|cypress|babel|web-test-runner)\.(?:config|conf|workspace|setup)\.[cm]?[jt]sx?(?:on)?|jest\.config\.json|\.(?:mocharc|jestrc|taprc|babelrc|c8rc|nycrc)[\w.]*)$/i,
        kinds: ['tests', 'named'],
      },
      { name: /^(?:tsconfig|jsconfig)(?:\.[\w.-]+)?\.json$/i, kinds: ['types', 'tests', 'named'] },
      { name: /^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?|\.eslintignore)$/i, kinds: ['lint', 'named'] },
    ],
  },
  {
    programs: /\b(?:pytest|python[\d.]*|py\.test|tox|nox|poetry|uv|hatch|pipenv)\b/,
    files: [{ name: /^(?:\.?pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini|conftest\.py|noxfile\.py|uv\.toml)$/i }],
  },
  { programs: /\bcargo\b/, files: [{ name: /^(?:Cargo\.toml|build\.rs|nextest\.toml|rust-toolchain(?:\.toml)?)$/i }] },
  { programs: /\bgo\b/, files: [{ name: /^(?:go\.mod|go\.work)$/i }] },
  { programs: /\bg?make\b/, files: [{ name: /^(?:GNUmakefile|makefile|.*\.mk)$/i }] },
  { programs: /\bjust\b/, files: [{ name: /^\.?justfile$/i }] },
];
/** Folders whose every file is a program or a setting of a tool. */
const TOOL_FOLDERS = /(?:^|\/)(?:node_modules|\.cargo|\.config|\.venv|venv)\//;

/** Those of the touched files, as they are named there. */
export async function definedBy({ check, workspace, touched }: DefinitionRequest): Promise<readonly string[]> {
  if (touched.length === 0) return [];
  const scripts = await scriptsOf(check.command, workspace);
  const text = [check.command, ...scripts].join('\n');
  const known = FAMILIES.filter(({ programs }) => programs.test(text));
  // A program that nobody knows may run any of them.
  const families = known.length > 0 ? known : FAMILIES;
  // What a check of the workspace names itself are the files it looks at.
  const words = wordsOf(check.kind === 'named' ? text : scripts.join('\n'));
  return touched.filter((path) => {
    const plain = posix.normalize(path.replaceAll('\\', '/'));
    const name = posix.basename(plain);
    const isSetup = families.some(({ files }) =>
      files.some((file) => file.name.test(name) && (file.kinds?.includes(check.kind) ?? true)),
    );
    return isSetup || TOOL_FOLDERS.test(plain) || words.has(plain);
  });
}

const RUN = /\b(?:npm|pnpm|yarn|bun)\s+(?:(?:run|run-script|--?\w\S*)\s+)*([\w:.@/-]+)/g;
/** Short names of npm for scripts. */
const SHORT_NAMES: Readonly<Record<string, string>> = { t: 'test', tst: 'test' };
const MAX_SCRIPTS = 50;

/** The texts of all scripts that a command runs, with those before and after them and those that they run. */
async function scriptsOf(command: string, workspace: string): Promise<readonly string[]> {
  const { scripts } = await readManifest(workspace);
  const texts = new Map<string, string>();
  const waiting = [command];
  for (let text = waiting.pop(); text !== undefined && texts.size < MAX_SCRIPTS; text = waiting.pop()) {
    for (const [, called = ''] of text.matchAll(RUN)) {
      const name = SHORT_NAMES[called] ?? called;
      for (const each of [`pre${name}`, name, `post${name}`]) {
        const script = Object.hasOwn(scripts, each) ? scripts[each] : undefined;
        if (script === undefined || texts.has(each)) continue;
        texts.set(each, script);
        waiting.push(script);
      }
    }
  }
  return [...texts.values()];
}

/** Everything in a text that may be the path of a file. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.split(/[\s'"`;&|()<>=]+/).filter((word) => word !== '');
  return new Set(words.map((word) => posix.normalize(word)));
}
