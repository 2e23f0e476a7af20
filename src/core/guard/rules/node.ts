// JavaScript: package managers and the tools npx may start. Installing what the manifest names can be repeated (R1). A script is
// judged by its name alone here: test, lint, build and the like only write their outputs (R1), any other may do anything that a
// later look can find (R2). Publishing and changing rights cannot be taken back (R3).
import { base, lower, raise, type Rule } from './rule.ts';

const MANAGERS = 'npm pnpm yarn bun';
/** Names of scripts that are taken for repeatable work on the project's own outputs. */
export const TASK_NAMES =
  'test tests test:unit test:integration test:ci test:coverage unit coverage lint lint:fix lint:check eslint typecheck type-check types check check:types check-types tsc build build:dev build:prod compile bundle format format:check fmt prettier verify validate ci docs:build spec';
const tasks = TASK_NAMES.split(' ');
const TEST_TOOLS =
  'vitest jest mocha ava tap karma jasmine uvu playwright cypress web-test-runner wtr stryker size-limit';
const BUILD_TOOLS =
  'tsc vue-tsc tsup rollup webpack esbuild parcel babel swc vite next astro nuxt nuxi ng gatsby remix svelte-kit svelte-check ncc pkgroll unbuild tsdown rspack rsbuild storybook build-storybook sass postcss tailwindcss typedoc api-extractor';
const CHECKERS =
  'eslint prettier stylelint biome oxlint knip depcheck madge depcruise markdownlint markdownlint-cli2 cspell tslint standard xo publint attw jscpd dpdm type-coverage license-checker npm-check-updates ncu';
const SCAFFOLD =
  'create-vite create-react-app create-next-app create-vue create-svelte create-astro create-remix create-expo-app create-t3-app degit';

/** Programs of this file that npx may start under their own name. */
export const NODE_TOOLS: readonly string[] =
  `${TEST_TOOLS} ${BUILD_TOOLS} ${CHECKERS} ${SCAFFOLD} c8 nyc turbo nx lerna prisma drizzle-kit tsx ts-node changeset rimraf mkdirp`.split(
    ' ',
  );

// prettier-ignore
export const NODE_RULES: readonly Rule[] = [
  base('npm-read', 'npm pnpm yarn', 'view|v|info|show|ls|list|ll|la|outdated|why|explain|ping|prefix|root|bin|search|help|help-search|diff|doctor|fund|query|sbom|config get|config list|config ls|pkg get|cache ls|cache list|cache verify|dist-tag ls|audit|licenses|store path|store status|workspaces list|workspaces info', 'R0', 'read-service', 'only looks packages up', ['npm view react version', 'npm ls', 'pnpm why x'], ['npm publish']),
  base('npm-bare', 'npm pnpm bun', '', 'R0', 'read-system', 'prints', ['npm -v', 'npm'], ['npm install'], { operandCount: [0, 0] }),
  raise('npm-spec', MANAGERS, 'install|i|add|update|up|upgrade|link|ln|import', 'R3', 'install-packages', 'installs from an address, a path, an archive or a repository', ['npm install https://a.example/x.tgz', 'npm i user/repo', 'npm i ./x', 'pnpm add x@npm:y', 'npm i x.tgz'], ['npm i -D vitest', 'npm i @a/b@^1.2.3', 'npm install'], { operand: /^(?!(@[\w~-][\w.~-]*\/)?[\w~][\w.~-]*(@[\w.^~*+-]+)?$)|\.(tgz|tar|gz|zip)$/ }),
  base('npm-install', MANAGERS, 'install|i|ci|add|clean-install|install-ci-test|install-test|it|dedupe|rebuild|rb|fetch|import|up|update|upgrade|prune', 'R1', 'install-packages', 'installs packages into the project', ['npm install', 'npm i -D vitest', 'pnpm add x', 'bun install'], ['npm publish', 'npm view x'], { writes: ['cwd'] }),
  base('yarn-install', 'yarn', '', 'R1', 'install-packages', 'installs packages into the project', ['yarn'], ['yarn add x'], { operandCount: [0, 0], writes: ['cwd'] }),
  raise('npm-global', MANAGERS, '*', 'R3', 'install-packages', 'works outside the project', ['npm install -g x', 'pnpm add --global x', 'npm i --location=global x'], ['npm install'], { options: ['-g', '--global', '--location', '--globalconfig', '--userconfig'] }),
  raise('yarn-global', 'yarn', 'global', 'R3', 'install-packages', 'works outside the project', ['yarn global add x'], ['yarn add x']),
  raise('npm-steer', MANAGERS, '*', 'R3', 'run-hidden-text', 'chooses another shell, registry or program', ['npm run build --script-shell=./x', 'npm install --registry=https://x.example'], ['npm run build'], { options: ['--script-shell', '--registry', '--node-options', '--shell', '--git', '--node-gyp', '--viewer', '--editor', '--browser', '--@', '--cafile', '--proxy', '--https-proxy', '--strict-ssl', '--onload-script', '--init-module'], evenInDryRun: true }),
  raise('npm-audit-fix', 'npm pnpm', 'audit fix', 'R2', 'install-packages', 'changes versions', ['npm audit fix'], ['npm audit']),
  raise('npm-audit-option', 'pnpm yarn', 'audit', 'R2', 'install-packages', 'changes versions', ['pnpm audit --fix'], ['pnpm audit'], { options: ['--fix'] }),
  base('npm-change', MANAGERS, 'uninstall|remove|rm|un|unlink|version|pkg set|pkg delete|pkg fix|init|create|set-script|patch|patch-commit|shrinkwrap|link|ln|approve-builds|set version|plugin import', 'R2', 'change-repository', 'changes the project, which can be looked up', ['npm version patch', 'npm init -y', 'npm uninstall x'], ['npm view x']),
  base('npm-pack', 'npm pnpm yarn', 'pack', 'R2', 'write-file', 'writes a package archive, the last one inside when it is repeated', ['npm pack'], ['npm publish'], { writes: ['cwd'] }),
  base('npm-publish', MANAGERS, 'publish|unpublish|deprecate|undeprecate|dist-tag|dist-tag add|dist-tag rm|owner|access|token|login|logout|adduser|team|org|hook|profile|star|unstar|trust|stage|npm publish|npm login|npm tag|config|config set|config delete|config edit|config fix|set|cache|cache clean|cache add|cache delete|store prune|store add|edit|explore|repo|bugs|env|setup|self-update|run-hook', 'R3', 'publish', 'publishes, changes rights or settings of the account or the machine', ['npm publish', 'npm deprecate x y', 'npm config set a b'], ['npm view x', 'npm config get a']),
  lower('npm-dry', 'npm pnpm yarn bun', 'publish|pack|install|i|ci|update|uninstall|version|dedupe|prune|audit fix', 'R0', 'read-service', 'only shows what it would do', ['npm publish --dry-run', 'npm pack --dry-run'], ['npm publish'], { options: ['--dry-run'] }),
  base('script-list', 'npm pnpm yarn bun', 'run|run-script', 'R0', 'read-file', 'lists the scripts', ['npm run'], ['npm run build'], { operandCount: [0, 0] }),
  base('script-task', MANAGERS, ['test', 't', 'tst', ...tasks.flatMap((name) => [`run ${name}`, `run-script ${name}`])].join('|'), 'R1', 'run-project-task', "runs the project's own check or build by its name", ['npm test', 'npm run build', 'CI=1 pnpm test', 'npm run lint -- --quiet'], ['npm run deploy', 'npm run'], { writes: ['cwd'], textOnly: true }),
  base('script-task-bare', 'pnpm yarn', tasks.join('|'), 'R1', 'run-project-task', "runs the project's own check or build by its name", ['yarn build', 'pnpm lint'], ['yarn deploy'], { writes: ['cwd'], textOnly: true }),
  base('script-other', MANAGERS, 'run|run-script', 'R2', 'run-script', 'runs a script of the project that the guard does not know', ['npm run db:seed'], ['npm test', 'npm run build', 'npm run'], { operandCount: [1, 99], textOnly: true }),
  base('script-start', MANAGERS, 'start|stop|restart', 'R2', 'run-script', 'runs a script of the project that the guard does not know', ['npm start'], ['npm test'], { textOnly: true }),
  base('script-other-bare', 'yarn pnpm', 'dev|serve|preview|watch|storybook|seed|migrate|generate|codegen|clean', 'R2', 'run-script', 'runs a script of the project that the guard does not know', ['yarn dev'], ['yarn build']),
  raise('script-publishes', MANAGERS, 'run|run-script', 'R3', 'publish', 'runs a script whose name says that it publishes, deploys or deletes', ['npm run deploy', 'npm run release:prod', 'npm run db:reset'], ['npm run build', 'npm run db:seed'], { operand: /(^|[:_-])(deploy|publish|release|ship|destroy|drop|wipe|purge|reset|nuke|delete)([:_-]|$)/ }),
  base('bun-run-file', 'deno', 'run|task', 'R2', 'run-script', 'runs a script', ['deno run a.ts'], ['deno test']),
  base('deno-test', 'deno', 'test|check|lint|fmt|bench|cache|doc|info', 'R1', 'run-project-task', 'tests, checks or formats', ['deno test'], ['deno run a.ts'], { writes: ['cwd'] }),
  base('test-tool', TEST_TOOLS, '*', 'R1', 'run-project-task', 'runs tests and writes only their outputs', ['npx vitest run a.test.ts', 'jest'], ['eslint .'], { writes: ['cwd'] }),
  raise('test-outside', 'vitest jest mocha', '*', 'R3', 'run-hidden-text', 'loads other code or writes elsewhere', ['mocha --require /tmp/x.js', 'vitest --config /tmp/x'], ['vitest run', 'jest --config jest.config.js', 'jest --coverage'], { exactNames: true, options: ['--require', '-r', '--config', '-c', '--setupFiles', '--globalSetup', '--runner', '--reporter', '--outputFile', '--coverage.reportsDirectory', '--coverageDirectory', '--root', '--rootDir', '--dir'], value: /^(\/|~|\.\.|https?:)/ }),
  raise('test-snapshot', 'vitest jest ava', '*', 'R1', 'write-file', 'rewrites snapshots', ['vitest run -u'], ['vitest run'], { options: ['-u', '--update', '--updateSnapshot', '--update-snapshots'] }),
  base('build-tool', BUILD_TOOLS, '*', 'R1', 'run-project-task', 'builds and writes only its outputs', ['tsc -p .', 'vite build'], ['tsc --noEmit'], { writes: ['cwd'], without: ['--noEmit'] }),
  base('type-check', 'tsc vue-tsc', '*', 'R0', 'read-file', 'only checks types', ['npx tsc --noEmit', 'tsc -p . --noEmit'], ['tsc'], { options: ['--noEmit', '--showConfig', '--listFilesOnly', '-v', '--version'], without: ['--build', '-b', '--generateTrace', '--init', '--noEmit=false', '--tsBuildInfoFile'] }),
  raise('build-outside', BUILD_TOOLS, '*', 'R3', 'write-file', 'writes or reads its settings outside the project', ['tsc --outDir /etc', 'vite build --outDir ../x'], ['tsc --outDir dist'], { options: ['--outDir', '--outFile', '--outdir', '--outfile', '-o', '--output-path', '--out-dir', '--dist', '--declarationDir', '--config', '-c', '--tsBuildInfoFile', '--generateTrace', '-p', '--project', '--out', '--output', '--output-file'], value: /^(\/|~|\.\.)/ }),
  base('task-runner', 'turbo nx lerna', 'run|build|test|lint|typecheck|affected|run-many', 'R1', 'run-project-task', "runs the project's own check or build by its name", ['turbo run build test', 'nx build', 'nx run app:lint'], ['turbo run seed', 'turbo login'], { everyOperand: new RegExp(`^([\\w@/-]+:)?(${tasks.join('|')}|test|build|lint)$`), writes: ['cwd'] }),
  base('task-runner-other', 'turbo nx lerna', 'run|affected|run-many', 'R2', 'run-script', 'runs a script of the project that the guard does not know', ['turbo run seed'], ['turbo run build'], { operand: new RegExp(`^(?!([\\w@/-]+:)?(${tasks.join('|')}|test|build|lint)$)`) }),
  raise('task-runner-publishes', 'turbo nx lerna', '*', 'R3', 'publish', 'runs a script whose name says that it publishes, deploys or deletes', ['turbo run deploy', 'nx run app:deploy', 'lerna run release'], ['turbo run build'], { operand: /(^|[:_-])(deploy|publish|release|ship|destroy|drop|wipe|purge|reset|nuke|delete)([:_-]|$)/ }),
  raise('task-runner-target', 'nx turbo lerna', '*', 'R3', 'run-hidden-text', 'runs what an option names', ['nx run-many --target=deploy'], ['nx run-many --target=build'], { options: ['-t', '--target', '--targets', '--exec'], value: new RegExp(`^(?!(${tasks.join('|')}|test|build|lint)$)`) }),
  raise('dev-server', 'next vite astro nuxt nuxi ng storybook remix gatsby parcel', 'dev|serve|start|preview|develop', 'R2', 'change-service', 'starts a server', ['next dev', 'vite preview'], ['vite build']),
  raise('dev-server-bare', 'vite storybook', '', 'R2', 'change-service', 'starts a server', ['vite'], ['vite build', 'vite optimize'], { operandCount: [0, 0] }),
  raise('tool-deploys', 'next ng gatsby astro', 'deploy|publish|version|add|release|login|link|exec|run-many --exec', 'R3', 'publish', 'publishes, deploys or runs something else', ['ng deploy', 'next login'], ['next build']),
  base('checker', CHECKERS, '*', 'R0', 'read-file', 'only checks', ['npx eslint src --max-warnings 0', 'prettier --check .'], ['eslint --fix src'], { without: ['--fix', '--write', '-w', '--apply', '--apply-unsafe', '-u'] }),
  base('checker-fix', CHECKERS, '*', 'R1', 'write-file', 'rewrites files to its rules', ['npx eslint --fix src', 'prettier --write .', 'biome check --apply src'], ['eslint src'], { options: ['--fix', '--write', '-w', '--apply', '-u'], writes: ['operands', 'cwd'], ownOutput: true }),
  raise('checker-format', 'biome', 'migrate|init', 'R1', 'write-file', 'rewrites its settings', ['biome init'], ['biome check .'], { writes: ['cwd'] }),
  raise('checker-output', 'eslint stylelint depcruise jscpd', '*', 'R1', 'write-file', 'writes a report', ['eslint -o report.txt src'], ['eslint src'], { options: ['-o', '--output-file', '--output-to', '--output', '--cache-file', '--cache-location'], writes: ['option -o', 'option --output-file', 'option --output-to', 'option --output', 'option --cache-file', 'option --cache-location'] }),
  raise('sass-output', 'sass', '*', 'R1', 'write-file', 'writes its output', ['sass a.scss b.css'], ['sass --watch'], { writes: ['operands'], operandCount: [1, 9], ownOutput: true }),
  raise('checker-loads', CHECKERS, '*', 'R3', 'run-hidden-text', 'loads code from outside the project', ['eslint -c /tmp/x.js src', 'eslint --rulesdir ../x src', 'prettier --plugin=/tmp/x .'], ['eslint -c eslint.config.js src'], { options: ['-c', '--config', '--rulesdir', '--plugin', '--resolve-plugins-relative-to', '--parser', '-f', '--format', '--formatter', '--custom-syntax', '--config-basedir'], value: /^(\/|~|\.\.|https?:)/ }),
  base('scaffold', SCAFFOLD, '*', 'R2', 'write-file', 'makes a new project', ['npx create-vite my-app'], ['npx eslint .'], { writes: ['operands', 'cwd'], ownOutput: true }),
  base('prisma-read', 'prisma drizzle-kit', 'validate|version|format|generate|migrate status|migrate diff|check', 'R1', 'run-project-task', 'generates code or checks the schema', ['prisma generate'], ['prisma migrate deploy'], { writes: ['cwd'] }),
  base('prisma-change', 'prisma drizzle-kit', 'migrate deploy|migrate dev|migrate resolve|migrate|db seed|db pull|db push|push|pull|studio|init', 'R2', 'change-database', 'changes a database, which can be looked up', ['npx prisma migrate deploy'], ['prisma migrate reset']),
  base('prisma-lose', 'prisma drizzle-kit', 'migrate reset|db execute|drop|up', 'R3', 'change-database', 'drops or changes data', ['prisma migrate reset'], ['prisma generate']),
  raise('prisma-force', 'prisma drizzle-kit', '*', 'R3', 'change-database', 'accepts the loss of data', ['prisma db push --accept-data-loss'], ['prisma db push'], { options: ['--accept-data-loss', '--force-reset', '--force', '-f'] }),
  base('node-read', 'node', '*', 'R0', 'read-system', 'prints or checks the syntax', ['node --check a.js', 'node -v'], ['node a.js'], { options: ['--check', '-c', '-v', '--version', '-h', '--help'], without: ['-e', '-p', '-r', '--eval', '--print', '--require', '--import', '--loader'] }),
  base('node-test', 'node', '*', 'R1', 'run-project-task', 'runs tests', ['node --test'], ['node a.js'], { options: ['--test'], writes: ['cwd'] }),
  base('node-tools', 'tsx ts-node python python3 ruby php lua Rscript julia pypy pypy3 groovy', '*', 'R0', 'read-system', 'prints its version', ['python3 -V', 'tsx -v'], ['python3 a.py'], { options: ['-v', '-V', '--version', '-h', '--help'], operandCount: [0, 0] }),
  base('remove-tool', 'rimraf del-cli', '*', 'R3', 'delete-file', 'deletes', ['npx rimraf dist'], ['mkdir a']),
  base('make-tool', 'mkdirp', '*', 'R1', 'write-file', 'makes directories', ['npx mkdirp a'], ['rimraf a'], { writes: ['operands'], ownOutput: true }),
  base('changeset', 'changeset', 'status|add|version|init|pre', 'R2', 'change-repository', 'writes release notes', ['npx changeset status'], ['changeset publish']),
  base('changeset-publish', 'changeset', 'publish', 'R3', 'publish', 'publishes', ['changeset publish'], ['changeset status']),
  base('release-tool', 'semantic-release release-it np release-please standard-version', '*', 'R3', 'publish', 'publishes', ['semantic-release'], ['changeset status']),
];
