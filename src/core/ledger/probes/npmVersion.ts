// The probe of `npm version`: the version in package.json, npm's commit and its tag. In a git repository only all three
// together are COMMITTED, and the commit has to carry this command's own mark; without git the version alone decides.
// A package whose scripts run along (preversion, version, postversion) has no probe, since they may do anything.
import * as z from 'zod';
import { commitAt, git, refAt, repositoryAt, shortId } from './git.ts';
import { headNews, headSchema, headState, ownCommit, standingOf } from './gitLog.ts';
import { pathOf } from './paths.ts';
import { defineProbe, restOf } from './probe.ts';
import type { Scope, Verdict } from './probe.ts';
import { bytesOf, look } from './reading.ts';
import type { Looking } from './reading.ts';
import type { Step } from './script.ts';

const fileSchema = z.object({ path: z.string(), hash: z.string() });
const schema = z.object({
  workspace: z.string(),
  folder: z.string(),
  /** package.json first, then the lock file where there is one. */
  files: z.array(fileSchema).min(1),
  versionBefore: z.string(),
  versionAfter: z.string(),
  /** Null: npm makes no commit and no tag. */
  git: z
    .object({ gitDirectory: z.string(), head: headSchema, mark: z.string().nullable(), tag: z.string() })
    .nullable(),
  isAlone: z.boolean(),
});

type VersionBaseline = z.infer<typeof schema>;

interface VersionWords {
  /** `patch`, `minor`, `major` or a version. */
  readonly wanted: string;
  readonly isTagged: boolean;
  readonly runsScripts: boolean;
}

export const npmVersionProbe = defineProbe<VersionWords, VersionBaseline>({
  kind: 'npm-version',
  isMarked: true,
  schema,
  plan: versionWords,
  before: versionBefore,
  after: versionAfterwards,
  footprint: ({ workspace, files, git: made }) => {
    return { workspace, paths: files.map(({ path }) => path), refs: [], runsPrograms: made !== null };
  },
  needsRivals: ({ git: made }) => made === null,
});

const EXACT = /^v?(\d+)\.(\d+)\.(\d+)$/;
const NO_TAG = new Set(['--no-git-tag-version', '--git-tag-version=false']);
const SILENT = new Set(['-s', '--silent', '-f', '--force', '--no-commit-hooks', '--commit-hooks=false', '--no-audit']);

function versionWords({ words, output }: Step): VersionWords | null {
  const [name, command, ...rest] = words;
  if (name !== 'npm' || command !== 'version' || output) return null;
  const wanted: string[] = [];
  let isTagged = true;
  let runsScripts = true;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? '';
    if (NO_TAG.has(word)) isTagged = false;
    else if (word === '--ignore-scripts') runsScripts = false;
    else if (word === '-m' || word === '--message') i++;
    else if (!word.startsWith('-')) wanted.push(word);
    else if (!SILENT.has(word) && !word.startsWith('--message=')) return null;
  }
  const [first = '', ...more] = wanted;
  const isKnown = /^(?:patch|minor|major)$/.test(first) || EXACT.test(first);
  return isKnown && more.length === 0 ? { wanted: first, isTagged, runsScripts } : null;
}

/** The version after: semver's increments of a plain version; null where a pre-release makes it another story. */
function nextVersion(before: string, wanted: string): string | null {
  if (EXACT.test(wanted)) return wanted.replace(/^v/, '');
  const counts = EXACT.exec(before);
  if (!counts) return null;
  const [, major = 0, minor = 0, patch = 0] = counts.map(Number);
  if (wanted === 'major') return `${major + 1}.0.0`;
  return wanted === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

const MAX_MANIFEST_BYTES = 1024 * 1024;
const manifestSchema = z.object({ version: z.string(), scripts: z.record(z.string(), z.unknown()).optional() });
const LIFE_SCRIPTS = ['preversion', 'version', 'postversion'];

/** package.json as it is; null where it cannot be read as one. */
function* manifestAt(path: string): Looking<(z.infer<typeof manifestSchema> & { readonly hash: string }) | null> {
  const seen = yield* look(path);
  if (!seen.ok || seen.value.hash === null || seen.value.sizeBytes > MAX_MANIFEST_BYTES) return null;
  const { hash } = seen.value;
  const bytes = yield* bytesOf(path, hash);
  if (!bytes.ok) return null;
  try {
    const parsed = manifestSchema.safeParse(JSON.parse(new TextDecoder('utf-8').decode(bytes.value)));
    return parsed.success ? { ...parsed.data, hash } : null;
  } catch {
    // Not JSON: npm will refuse it, and nothing here can say what it would do.
    return null;
  }
}

function* versionBefore(words: VersionWords, scope: Scope): Looking<VersionBaseline | null> {
  const { workspace, folder, isAlone, mark } = scope;
  const path = yield* pathOf(scope, 'package.json');
  const manifest = path === null ? null : yield* manifestAt(path);
  if (path === null || !manifest) return null;
  const hasScripts = LIFE_SCRIPTS.some((name) => manifest.scripts?.[name] !== undefined);
  const versionAfter = nextVersion(manifest.version, words.wanted);
  if ((hasScripts && words.runsScripts) || versionAfter === null || versionAfter === manifest.version) return null;
  const files = [{ path, hash: manifest.hash }];
  for (const name of ['package-lock.json', 'npm-shrinkwrap.json']) {
    const place = yield* pathOf(scope, name);
    const seen = place === null ? null : yield* look(place);
    if (place !== null && seen?.ok && seen.value.hash !== null) files.push({ path: place, hash: seen.value.hash });
  }
  const made = words.isTagged ? yield* gitBefore(folder, `v${versionAfter}`, mark) : null;
  if (made === undefined) return null;
  return { workspace, folder, files, versionBefore: manifest.version, versionAfter, git: made, isAlone };
}

/** npm commits only where the package is the root of a repository; undefined where git cannot say. */
function* gitBefore(folder: string, tag: string, mark: string | null): Looking<VersionBaseline['git'] | undefined> {
  const repository = yield* repositoryAt(folder);
  const isRoot = repository && (yield* isTopLevel(folder));
  if (!isRoot) return null;
  const head = yield* headState(folder);
  const there = yield* refAt(folder, `refs/tags/${tag}`);
  // A tag that is there already makes npm fail half-way: nothing certain could be said of that.
  return head && there === null ? { gitDirectory: repository.gitDirectory, head, mark, tag } : undefined;
}

function* isTopLevel(folder: string): Looking<boolean> {
  const prefix = yield* git(folder, ['rev-parse', '--show-prefix']);
  return prefix?.trim() === '';
}

function* versionAfterwards(data: VersionBaseline): Looking<Verdict> {
  const [manifest] = data.files;
  const now = manifest && (yield* manifestAt(manifest.path));
  if (!now) return { says: 'UNKNOWN', detail: `${manifest?.path ?? 'package.json'} cannot be read` };
  const isSame = yield* areAsBefore(data.files);
  const version = `package.json has version ${now.version}`;
  if (data.git) return yield* gitAfterwards(data, data.git, isSame, version);
  if (isSame) return { says: 'ABSENT', detail: `${version}, and nothing in it has changed` };
  if (now.version !== data.versionAfter) return { says: 'UNKNOWN', detail: version };
  return { says: 'COMMITTED', detail: `${version} as this command leaves it${restOf(data.isAlone)}` };
}

function* areAsBefore(files: VersionBaseline['files']): Looking<boolean> {
  for (const { path, hash } of files) {
    const seen = yield* look(path);
    if (!seen.ok || seen.value.hash !== hash) return false;
  }
  return true;
}

function* gitAfterwards(
  { folder, isAlone }: VersionBaseline,
  { gitDirectory, head, mark, tag }: NonNullable<VersionBaseline['git']>,
  isSame: boolean,
  version: string,
): Looking<Verdict> {
  const unknown = (detail: string): Verdict => ({ says: 'UNKNOWN', detail });
  const repository = yield* repositoryAt(folder);
  if (repository?.gitDirectory !== gitDirectory) return unknown('the repository is gone or is another one');
  const tagged = yield* commitAt(folder, `refs/tags/${tag}`);
  const news = yield* headNews(folder, head);
  if (tagged === undefined || news.kind === 'unclear') {
    return unknown(news.kind === 'unclear' ? news.detail : `git cannot say what the tag ${tag} is`);
  }
  const tagWords = tagged === null ? `there is no tag ${tag}` : `tag ${tag} is at ${shortId(tagged)}`;
  if (news.kind === 'still') {
    if (isSame && tagged === null)
      return { says: 'ABSENT', detail: `${version}, HEAD is where it was, and ${tagWords}` };
    return unknown(`${version}, but HEAD is where it was and ${tagWords}: it was done in part, or by somebody else`);
  }
  const own = ownCommit(news.added, mark);
  if (own === null) return unknown(`${version} and ${tagWords}, but no new commit is marked as made by this command`);
  const standing = yield* standingOf(folder, own);
  const made = `commit ${shortId(own)} is marked as made by this command`;
  if (tagged !== own || !standing)
    return unknown(`${made}, but ${tagged === own ? 'it does not stand any longer' : tagWords}`);
  return { says: 'COMMITTED', detail: `${made} and ${standing}, and ${tagWords}${restOf(isAlone)}` };
}
