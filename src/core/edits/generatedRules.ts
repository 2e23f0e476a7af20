// The signs by which generated files are known, one rule a sign, each with what to do instead. Names are those that package
// managers, compilers and test runners give their output; marks are those of Go (`Code generated ... DO NOT EDIT.`), of
// review tools (`@generated`) and of the usual code generators, and count only in comments: text about them is no mark.

/** A file as the rules see it. */
export interface SeenFile {
  readonly name: string;
  /** Folders from the workspace down. */
  readonly folders: readonly string[];
  readonly path: string;
  readonly head: string;
  readonly lines: readonly string[];
}

/** `says`: the rest of a sentence that starts with the path; null: the rule does not speak of this file. */
export interface GeneratedRule {
  readonly name: string;
  readonly says: (file: SeenFile) => string | null;
}

const LOCK_FILES: Readonly<Record<string, string>> = {
  'package-lock.json': 'npm install',
  'npm-shrinkwrap.json': 'npm install',
  'yarn.lock': 'yarn install',
  'pnpm-lock.yaml': 'pnpm install',
  'bun.lock': 'bun install',
  'bun.lockb': 'bun install',
  'deno.lock': 'deno install',
  'Cargo.lock': 'cargo update',
  'poetry.lock': 'poetry lock',
  'Pipfile.lock': 'pipenv lock',
  'uv.lock': 'uv lock',
  'pdm.lock': 'pdm lock',
  'pixi.lock': 'pixi install',
  'composer.lock': 'composer update',
  'symfony.lock': 'composer update',
  'Gemfile.lock': 'bundle install',
  'go.sum': 'go mod tidy',
  'go.work.sum': 'go work sync',
  'flake.lock': 'nix flake update',
  'mix.lock': 'mix deps.get',
  'rebar.lock': 'rebar3 upgrade',
  'pubspec.lock': 'dart pub get',
  'Podfile.lock': 'pod install',
  'Package.resolved': 'swift package resolve',
  'packages.lock.json': 'dotnet restore',
  'paket.lock': 'paket update',
  'gradle.lockfile': 'gradle dependencies --write-locks',
  'conan.lock': 'conan lock create',
  'Chart.lock': 'helm dependency update',
  '.terraform.lock.hcl': 'terraform init -upgrade',
  'MODULE.bazel.lock': 'bazel mod deps',
  'stack.yaml.lock': 'stack build',
  'renv.lock': 'renv::snapshot()',
};

/** Folders that only tools write into, wherever they are. */
const TOOL_FOLDERS: ReadonlyMap<string, string> = new Map([
  ['node_modules', 'holds installed packages. Change package.json, or patch the package.'],
  ['.next', 'is made by the build of Next.js. Edit its source and run `next build`.'],
  ['.nuxt', 'is made by the build of Nuxt. Edit its source and run `nuxt build`.'],
  ['.svelte-kit', 'is made by SvelteKit. Edit its source and run the build.'],
  ['.angular', 'is a cache of Angular. Edit the source.'],
  ['.turbo', 'is a cache of Turborepo. Edit the source.'],
  ['.parcel-cache', 'is a cache of Parcel. Edit the source.'],
  ['.dart_tool', 'is made by Dart. Edit the source and run `dart pub get`.'],
  ['.gradle', 'is a cache of Gradle. Edit the build script.'],
  ['.terraform', 'is made by `terraform init`. Edit the configuration.'],
  ['__pycache__', 'is compiled by Python. Edit the source.'],
  ['site-packages', 'holds installed packages. Change the requirements instead.'],
  ['.venv', 'belongs to a virtual environment. Change the requirements instead.'],
  ['elm-stuff', 'is made by Elm. Edit the source.'],
  ['DerivedData', 'is made by Xcode. Edit the source.'],
  ['Pods', 'is written by CocoaPods. Edit the Podfile and run `pod install`.'],
  ['__generated__', 'is generated. Edit its source and run the generator.'],
]);

/** Folders that builds usually write into; not where they stand inside of source folders. */
const BUILD_FOLDERS: ReadonlySet<string> = new Set([
  'dist',
  'out',
  'build',
  'target',
  'obj',
  '_build',
  'coverage',
  'generated',
  'DerivedSources',
]);

const SOURCE_FOLDERS: ReadonlySet<string> = new Set([
  'src',
  'source',
  'sources',
  'lib',
  'app',
  'test',
  'tests',
  'docs',
  'scripts',
  'internal',
  'cmd',
  'pkg',
]);

/** Source files that people keep in a folder named `build` at the top. */
const BUILD_SCRIPTS =
  /\.(sh|ps1|cmd|bat|mk|cmake|gradle|kts|ya?ml|toml|md|props|targets|dockerfile)$|^Dockerfile|^Makefile/i;

const PROTOBUF =
  /^(.+?)(?:_grpc)?(?:\.pb(?:\.gw|\.validate|\.micro|objc)?\.(?:go|cc|h|c|m|swift|rs|dart)|_pb2(?:_grpc)?\.pyi?|(?:_grpc)?_(?:web_)?pb\.(?:js|d\.ts|ts|rb)|\.pb(?:enum|json|server)?\.dart|\.twirp\.go)$/;

const NAMED_OUTPUT =
  /(\.(g|freezed|gr|mocks)\.dart|\.(g|g\.i|designer)\.(cs|vb)|[._-](generated|gen)\.\w+|^zz_generated\..+|^(moc|ui|qrc)_.+\.(cpp|h)|^lex\.yy\.c{1,2}|\.tab\.[ch]{1,2}|^y\.output|^next-env\.d\.ts|\.tsbuildinfo)$/i;

const COMMENT = /^\s*(\/\/|\/\*|\*|#|--|;|%|<!--|"""|'''|\(\*|\{-|dnl\b|rem\b|@rem\b|::|@\*|<%#|\{#|'|!)/i;

/** Comment lines of the head; a JSON file has none, but some write the mark as a first value. */
function comments({ lines }: SeenFile): readonly string[] {
  return lines.filter((line) => COMMENT.test(line));
}

/** A rule that looks for a mark in the comments of the head. */
function marked(mark: RegExp, why: (match: RegExpExecArray, file: SeenFile) => string): GeneratedRule['says'] {
  return (file) => {
    for (const line of comments(file)) {
      // Long lines are no marks, and keep every pattern fast.
      const match = line.length <= 300 ? mark.exec(line) : null;
      if (match) return why(match, file);
    }
    return null;
  };
}

/** What the head says that it was made from. */
function sourceOf(file: SeenFile): string {
  for (const line of comments(file)) {
    const source =
      line.length <= 300 ? /\b(?:source|from|input)(?: file)?:?\s+[`'"]?([\w./-]+\.\w{1,12})\b/i.exec(line)?.[1] : null;
    if (source) return source;
  }
  return 'its source';
}

/** All rules; the first that speaks is heard. */
export const GENERATED_RULES: readonly GeneratedRule[] = [
  {
    name: 'lock file',
    says: ({ name }) => {
      const command = Object.hasOwn(LOCK_FILES, name) ? LOCK_FILES[name] : undefined;
      return command === undefined
        ? null
        : `is a lock file that the package manager writes. Change the manifest and run \`${command}\`.`;
    },
  },
  {
    name: 'tool folder',
    says: ({ folders }) => {
      const folder = folders.find((name) => TOOL_FOLDERS.has(name));
      return folder === undefined ? null : (TOOL_FOLDERS.get(folder) ?? null);
    },
  },
  {
    name: 'build folder',
    says: ({ folders, name }) => {
      const at = folders.findIndex((folder) => BUILD_FOLDERS.has(folder));
      const isInSource = folders.slice(0, Math.max(at, 0)).some((folder) => SOURCE_FOLDERS.has(folder));
      if (at < 0 || isInSource || (folders[at] === 'build' && BUILD_SCRIPTS.test(name))) return null;
      return `is in ${folders.slice(0, at + 1).join('/')}, a folder that builds write into. Edit its source and run the build.`;
    },
  },
  {
    name: 'source map',
    says: ({ name }) =>
      /\.(js|mjs|cjs|css|ts|wasm)\.map$/.test(name) ? 'is a source map. Edit the source and run the build.' : null,
  },
  {
    name: 'protobuf output',
    says: ({ name }) => {
      const stem = PROTOBUF.exec(name)?.[1];
      return stem === undefined ? null : `is made by protoc. Edit ${stem}.proto and run the generator.`;
    },
  },
  {
    name: 'minified',
    says: (file) =>
      /[.-]min\.(js|mjs|cjs|css|html)$/.test(file.name) || isDense(file)
        ? 'is minified. Edit the file that it is made from and run the build.'
        : null,
  },
  {
    name: 'snapshot',
    says: ({ name, folders }) =>
      folders.includes('__snapshots__') || /\.(snap|snap\.new|ambr)$/.test(name)
        ? 'is a snapshot that the tests write. Change the code and update it with the test runner (`-u`, `--snapshot-update` or `cargo insta review`).'
        : null,
  },
  {
    name: 'named output',
    says: ({ name }) =>
      NAMED_OUTPUT.test(name) ? 'has the name of a generated file. Edit its source and run the generator.' : null,
  },
  {
    name: 'code generated',
    says: marked(
      /\bcode generated (?:by|from)\s+([^\s,;]+)/i,
      (match, file) =>
        `is generated by ${match[1]?.replace(/\.$/, '') ?? 'a program'}. Edit ${sourceOf(file)} and run that again.`,
    ),
  },
  {
    name: '@generated',
    says: marked(
      /(^|[\s*/#])@generated\b/,
      (_, file) => `is marked @generated. Edit ${sourceOf(file)} and run the generator.`,
    ),
  },
  {
    name: 'do not edit',
    says: marked(
      /\bDO NOT (?:EDIT|MODIFY)\b|\b[Dd]o not (?:edit|modify)\b.{0,40}\b(?:by hand|manually|directly)\b|\b[Tt]his file should not be edited\b|\b[Dd]o not (?:edit|modify) this file\b/,
      (_, file) => `says that it must not be edited by hand. Edit ${sourceOf(file)} and run the generator.`,
    ),
  },
  {
    name: 'says generated',
    says: marked(
      /\bthis (?:file|code|class|module|document) (?:is|was|has been) (?:auto-?|automatically )?generated\b|^\W*(?:auto-?generated|automatically generated|generated) (?:file|code|by|from|with|using)\b(?! Django)/i,
      (_, file) => `says that it is generated. Edit ${sourceOf(file)} and run the generator.`,
    ),
  },
];

/** Script or style in lines that nobody writes: very long, with hardly any white space. */
function isDense({ name, head, lines }: SeenFile): boolean {
  if (!/\.(js|mjs|cjs|css)$/.test(name)) return false;
  const longest = lines.reduce((long, line) => (line.length > long.length ? line : long), '');
  const blanks = longest.split(/\s/).length - 1;
  return longest.length >= 1000 && longest.length > head.length / 2 && blanks < longest.length * 0.08;
}
