// How each R1 row of the guard is met by its contract: a call of the program in a folder of its own, or why it cannot be tried.
// A row is proved here for the calls that are written down, on the programs of this machine; the guard's conditions keep the
// row to such calls.

/** One call to try. */
export interface RowTrial {
  /** Id of the row in src/core/guard/rules. */
  readonly row: string;
  /** Program that must be on this machine. */
  readonly program: string;
  /** Shell text that makes the folder ready. */
  readonly setup: string;
  /** The command, exactly as an agent would write it. */
  readonly command: string;
  /** Its effect lies in git's own objects, or there is none: nothing shows in the folder. */
  readonly isInvisible?: true;
  /** What a run that is killed leaves beside its work, and no later run takes away: lines of the state. */
  readonly leftover?: RegExp;
}

const SOURCES = 'mkdir -p src/sub && echo a > src/a.ts && echo b > src/sub/b.ts';
const TEXT = 'printf "c\\na\\nb\\na\\n" > a.txt';
const REPOSITORY =
  'git init -q . && git config user.name Ada && git config user.email ada@example.org && echo 1 > a.ts && git add . && git commit -q -m one && echo 2 > a.ts && git commit -q -am two';

/** Calls by row. */
export const ROW_TRIALS: readonly RowTrial[] = [
  { row: 'make-directory', program: 'mkdir', setup: 'true', command: 'mkdir -p src/a' },
  { row: 'make-directory', program: 'mkdir', setup: 'true', command: 'mkdir a' },
  { row: 'touch', program: 'touch', setup: 'true', command: 'touch a.txt' },
  { row: 'copy', program: 'cp', setup: TEXT, command: 'cp a.txt b.txt' },
  { row: 'copy', program: 'install', setup: TEXT, command: 'install -m 644 a.txt b.txt' },
  { row: 'copy-glob', program: 'cp', setup: `${SOURCES} && mkdir dist`, command: 'cp src/*.ts dist/' },
  { row: 'install-directories', program: 'install', setup: 'true', command: 'install -d a b/c' },
  { row: 'mode', program: 'chmod', setup: 'echo x > build.sh', command: 'chmod +x build.sh' },
  { row: 'mode', program: 'chmod', setup: 'echo x > a.txt', command: 'chmod 600 a.txt' },
  { row: 'tee', program: 'tee', setup: TEXT, command: 'cat a.txt | tee b.txt' },
  { row: 'split', program: 'split', setup: TEXT, command: 'split -l 2 a.txt' },
  { row: 'split-prefix', program: 'split', setup: TEXT, command: 'split -l 2 a.txt part-' },
  { row: 'rsync', program: 'rsync', setup: SOURCES, command: 'rsync -a src/ backup/' },
  { row: 'tar-create', program: 'tar', setup: SOURCES, command: 'tar cf a.tar src' },
  { row: 'tar-create', program: 'tar', setup: SOURCES, command: 'tar czf a.tgz src' },
  { row: 'zip', program: 'zip', setup: SOURCES, command: 'zip -r a.zip src', leftover: /^zi[\w]{6} / },
  { row: 'line-ends', program: 'dos2unix', setup: 'printf "a\\r\\n" > a.txt', command: 'dos2unix a.txt' },
  { row: 'sort-output', program: 'sort', setup: TEXT, command: 'sort -o a.txt a.txt' },
  { row: 'uniq-output', program: 'uniq', setup: TEXT, command: 'uniq a.txt b.txt' },
  { row: 'xxd-output', program: 'xxd', setup: TEXT, command: 'xxd a.txt a.hex' },
  { row: 'iconv-output', program: 'iconv', setup: TEXT, command: 'iconv -f UTF-8 -t UTF-16 -o b.txt a.txt' },
  { row: 'tree-output', program: 'tree', setup: SOURCES, command: 'tree -o t.txt src' },
  { row: 'yq-in-place', program: 'yq', setup: 'echo "a: 2" > a.yml', command: "yq -y -i '.a=1' a.yml" },
  { row: 'git-index', program: 'git', setup: `${REPOSITORY} && echo n > new.ts`, command: 'git add -A' },
  { row: 'git-index', program: 'git', setup: REPOSITORY, command: 'git format-patch HEAD~1' },
  { row: 'git-index', program: 'git', setup: REPOSITORY, command: 'git gc -q', isInvisible: true },
  { row: 'git-index', program: 'git', setup: REPOSITORY, command: 'git pack-refs --all', isInvisible: true },
  { row: 'git-index', program: 'git', setup: REPOSITORY, command: 'git write-tree', isInvisible: true },
  {
    row: 'git-index',
    program: 'git',
    setup: `${REPOSITORY} && git clone -q . far && git -C far remote remove origin && git remote add origin ./far`,
    command: 'git fetch -q origin',
  },
  { row: 'git-init', program: 'git', setup: 'true', command: 'git init -q a' },
  { row: 'git-bundle', program: 'git', setup: REPOSITORY, command: 'git bundle create -q a.bundle HEAD' },
  { row: 'git-hash', program: 'git', setup: REPOSITORY, command: 'git hash-object a.ts', isInvisible: true },
  {
    row: 'git-unstage',
    program: 'git',
    setup: `${REPOSITORY} && echo 3 > a.ts && git add a.ts`,
    command: 'git restore --staged a.ts',
  },
  { row: 'git-output', program: 'git', setup: REPOSITORY, command: 'git log --output=log.txt' },
  { row: 'git-output-directory', program: 'git', setup: REPOSITORY, command: 'git format-patch -o out HEAD~1' },
  { row: 'git-config-identity', program: 'git', setup: REPOSITORY, command: "git config user.name 'A B'" },
  { row: 'python-venv', program: 'python3', setup: 'echo "x = 1" > a.py', command: 'python3 -m py_compile a.py' },
  { row: 'compile', program: 'gcc', setup: "echo 'int main(void){return 0;}' > a.c", command: 'gcc -o a a.c' },
  {
    row: 'checker-fix',
    program: 'prettier',
    setup: "echo 'a  =  1' > a.js",
    command: 'prettier --write --log-level silent a.js',
  },
];

const PROJECT = 'runs the own code of the project: what that does twice, only the project knows';
const SERVICE = 'needs a server or a registry that a test may not depend on';
const MISSING = 'its programs are not expected on a machine that runs the tests';

/** Rows that no trial proves, with the reason. They stay R1 by what their manuals say. */
export const UNPROVED_ROWS: Readonly<Record<string, string>> = {
  'file-compile': 'the guard does not know the options that it needs, so that no such call is R1',
  'sdiff-output': 'asks a person for every difference',
  'fetch-to': SERVICE,
  'fetch-named': SERVICE,
  'fetch-writes': SERVICE,
  'wget-to': SERVICE,
  'wget-writes': SERVICE,
  'npm-install': SERVICE,
  'yarn-install': SERVICE,
  'pip-install': SERVICE,
  'python-manager': SERVICE,
  'cargo-new': MISSING,
  virtualenv: MISSING,
  'script-task': PROJECT,
  'script-task-bare': PROJECT,
  'deno-test': PROJECT,
  'test-tool': PROJECT,
  'test-snapshot': PROJECT,
  'build-tool': PROJECT,
  'task-runner': PROJECT,
  'node-test': PROJECT,
  pytest: PROJECT,
  coverage: MISSING,
  'checker-format': MISSING,
  'checker-output': 'what it writes is a report of the project as it is',
  'sass-output': MISSING,
  'prisma-read': MISSING,
  'make-tool': MISSING,
  'ruff-fix': MISSING,
  'ruff-format': MISSING,
  formatter: MISSING,
  'gofmt-write': MISSING,
  'cargo-work': PROJECT,
  'go-work': PROJECT,
  'go-output': PROJECT,
  'go-lint-fix': MISSING,
  make: PROJECT,
  'make-task': PROJECT,
  cmake: PROJECT,
  'jvm-build': PROJECT,
  'dotnet-work': PROJECT,
  'other-build': PROJECT,
  'pre-commit': PROJECT,
  'docker-build': SERVICE,
  'docker-save': SERVICE,
  'helm-local': SERVICE,
  'terraform-plan-file': SERVICE,
  'terraform-local': SERVICE,
  'gh-download': SERVICE,
  'dump-to': SERVICE,
};
