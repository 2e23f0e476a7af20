import { describe, expect, it } from 'vitest';
import { footprintOf, probeOf } from '../../../../../src/core/ledger/probes.ts';
import type { RunEnd } from '../../../../../src/core/ledger/probes/probe.ts';
import { baselineOf, id, modelGit, saidOf } from '../../../../support/modelGit.ts';
import type { ModelGit } from '../../../../support/modelGit.ts';

const MAIN = 'refs/heads/main';
const GONE_ON = { [id('a')]: [], [id('b')]: [id('a')], [id('c')]: [id('b')], [id('d')]: [id('a')] };
/** The ref, what it has and what it is to have, of every ref that a command pushes. */
function refsOf(command: string, parts: Partial<ModelGit> = {}): unknown {
  return baselineOf(command, modelGit(parts))?.data.refs ?? null;
}
const change = (ref: string, before: string | null, after: string | null): unknown => ({ ref, before, after });
const server = (refs: Readonly<Record<string, string>>): Pick<ModelGit, 'servers'> => ({
  servers: { '/srv/remote': refs },
});

describe('what a push will change', () => {
  it.each([
    'git push',
    'git push origin',
    'git push origin main',
    'git push -u origin HEAD:main',
    'git push --force origin main',
    'git push -f origin +main',
    'git push -q --no-verify --porcelain origin HEAD:refs/heads/main',
  ])('is main from a to b by %s, and finding out touches nothing', (command) => {
    const model = modelGit();
    const baseline = baselineOf(command, model);
    expect(baseline?.data).toMatchObject({ remote: 'origin', transport: 'local', isAlone: true });
    expect(baseline?.data.refs).toEqual([change(MAIN, id('a'), id('b'))]);
    expect([...model.touched]).toEqual([]);
  });

  it('is all that the options and refspecs say', () => {
    const refs = { [MAIN]: id('b'), 'refs/heads/topic': id('a'), 'refs/tags/v1': id('f') };
    const tagObjects = { [id('f')]: { target: id('b'), message: 'one' } };
    expect(refsOf('git push origin topic main', { refs })).toEqual([
      change('refs/heads/topic', null, id('a')),
      change(MAIN, id('a'), id('b')),
    ]);
    // Of an annotated tag the tag itself is pushed.
    expect(refsOf('git push --tags origin', { refs, tagObjects })).toEqual([change('refs/tags/v1', null, id('f'))]);
    expect(refsOf('git push origin --delete main', { refs })).toEqual([change(MAIN, id('a'), null)]);
    expect(refsOf('git push -d origin main', { refs })).toEqual([change(MAIN, id('a'), null)]);
    expect(refsOf('git push origin :main', { refs })).toEqual([change(MAIN, id('a'), null)]);
    expect(refsOf('git push origin main~1:older', { refs })).toEqual([change('refs/heads/older', null, id('a'))]);
  });

  it('is also what would be rejected now, since that may have changed when it is pushed', () => {
    const parts = { ...server({ [MAIN]: id('d') }), parents: GONE_ON };
    expect(refsOf('git push origin main', parts)).toEqual([change(MAIN, id('d'), id('b'))]);
  });

  it('is known up to 30 refs', () => {
    const many = (count: number): Partial<ModelGit> => {
      return { refs: Object.fromEntries(Array.from({ length: count }, (_, i) => [`refs/tags/v${i}`, id('a')])) };
    };
    expect(refsOf('git push --tags origin', many(30))).toHaveLength(30);
    expect(refsOf('git push --tags origin', many(31))).toBeNull();
  });
});

describe('a push without a baseline', () => {
  it.each([
    { why: 'to a remote that is not in the settings', command: 'git push backup main', parts: {} },
    { why: 'of a name that is nothing', command: 'git push origin nothing', parts: {} },
    { why: 'to several addresses', parts: { remotes: { origin: ['/srv/remote', '/srv/second'] } } },
    { why: 'to no address', parts: { remotes: { origin: [] } } },
    { why: 'to an address that is an option', parts: { remotes: { origin: ['--upload-pack=x'] } } },
    { why: 'to an address that settings replace once more', parts: { rewrites: { '/srv/': '/other/' } } },
    { why: 'to an address of which that is not known', parts: { failing: { '--get-url': 'end' } as const } },
    { why: 'to a remote that cannot be reached', parts: { servers: {} } },
    { why: 'to a remote that cannot be read', parts: { failing: { 'ls-remote -- ': 'late' } as const } },
    { why: 'outside any repository', parts: { failing: { '--git-dir': 'end' } as const } },
    { why: 'whose remote is not chosen', command: 'git push', parts: { pushRemotes: {} } },
    { why: 'whose remote has an odd name', command: 'git push', parts: { pushRemotes: { [MAIN]: '../x' } } },
    { why: 'from a detached HEAD', command: 'git push', parts: { head: id('b') } },
    { why: 'whose branch cannot be read', command: 'git push', parts: { failing: { 'symbolic-ref': 'end' } as const } },
  ])('is one $why', ({ command = 'git push origin main', parts }) => {
    expect(refsOf(command, parts)).toBeNull();
  });

  it.each([
    'git push --mirror origin',
    'git push -n origin main',
    'git push --dry-run origin main',
    'git push --repo=x',
    'git push -o ci.skip origin main',
    'git push --signed origin main',
    'git push -- origin main',
    'git push /srv/remote main',
    'git push https://host.example/r main',
    'git push origin "refs/heads/*:refs/heads/*"',
    'git push origin "a b"',
    'git push origin main HEAD@{1}:x',
    'git push origin main > log',
  ])('is also %s', (command) => {
    expect(refsOf(command)).toBeNull();
  });
});

describe('what a push has done', () => {
  const at = (refs: Readonly<Record<string, string>>, parts: Partial<ModelGit> = {}): ModelGit =>
    modelGit({ parents: GONE_ON, ...server(refs), ...parts });
  const plain = baselineOf('git push origin main', modelGit());

  it('is nothing as long as every ref is as before', () => {
    expect(saidOf(plain, at({ [MAIN]: id('a') }))).toBe(`ABSENT: origin has ${MAIN} as before the push`);
    const refs = { [MAIN]: id('b'), 'refs/heads/topic': id('b') };
    const two = baselineOf('git push origin main topic', modelGit({ refs }));
    expect(saidOf(two, at({ [MAIN]: id('a') }))).toBe(
      `ABSENT: origin has ${MAIN}, refs/heads/topic as before the push`,
    );
    expect(saidOf(two, at({ [MAIN]: id('b') }))).toBe(
      `UNKNOWN: origin: ${MAIN} is at bbbbbbbbbb; refs/heads/topic is as before the push`,
    );
    expect(saidOf(two, at({ [MAIN]: id('b'), 'refs/heads/topic': id('b') }))).toBe(
      `COMMITTED: origin: ${MAIN} is at bbbbbbbbbb; refs/heads/topic is at bbbbbbbbbb`,
    );
  });

  it('is done where others went on with the branch, and not known where they pushed over it or cannot be compared', () => {
    expect(saidOf(plain, at({ [MAIN]: id('c') }))).toBe(
      `COMMITTED: origin: ${MAIN} is at cccccccccc, which holds bbbbbbbbbb`,
    );
    expect(saidOf(plain, at({ [MAIN]: id('d') }))).toBe(
      `UNKNOWN: origin: ${MAIN} is at dddddddddd, which does not hold bbbbbbbbbb`,
    );
    expect(saidOf(plain, at({ [MAIN]: id('9') }))).toMatch(/^UNKNOWN: .*is at 9999999999, which is not known here/);
    expect(saidOf(plain, at({}))).toBe(`UNKNOWN: origin: ${MAIN} is gone`);
    const first = baselineOf('git push origin main', modelGit(server({})));
    expect(saidOf(first, at({ [MAIN]: id('c') }))).toMatch(/^COMMITTED: .*is at cccccccccc, which holds bbbbbbbbbb$/);
  });

  it('is not shown by others going on from what a forced push was to take back', () => {
    const now = modelGit({ refs: { [MAIN]: id('a') }, ...server({ [MAIN]: id('b') }), parents: GONE_ON });
    const rewind = baselineOf('git push --force origin main', now);
    expect(rewind?.data.refs).toEqual([change(MAIN, id('b'), id('a'))]);
    expect(saidOf(rewind, at({ [MAIN]: id('c') }))).toBe(
      `UNKNOWN: origin: ${MAIN} is at cccccccccc, which holds aaaaaaaaaa, but may hold bbbbbbbbbb too, which the push was to replace`,
    );
    expect(saidOf(rewind, at({ [MAIN]: id('d') }))).toBe(
      `COMMITTED: origin: ${MAIN} is at dddddddddd, which holds aaaaaaaaaa`,
    );
    const unseen = modelGit({ ...server({ [MAIN]: id('7') }), parents: GONE_ON });
    expect(saidOf(baselineOf('git push -f origin main', unseen), at({ [MAIN]: id('c') }))).toMatch(
      /^UNKNOWN: .*may hold 7777777777 too/,
    );
  });

  it('is not shown by another tag of the same name', () => {
    const refs = { [MAIN]: id('b'), 'refs/tags/v1': id('b') };
    const tag = baselineOf('git push origin v1', modelGit({ refs }));
    expect(saidOf(tag, at({ 'refs/tags/v1': id('b') }))).toMatch(/^COMMITTED/);
    expect(saidOf(tag, at({ 'refs/tags/v1': id('c') }))).toBe('UNKNOWN: origin: refs/tags/v1 is at cccccccccc');
  });

  it('is a deletion only where the ref is gone', () => {
    const deletion = baselineOf('git push origin :main', modelGit());
    expect(saidOf(deletion, at({}))).toBe(`COMMITTED: origin: ${MAIN} is deleted`);
    expect(saidOf(deletion, at({ [MAIN]: id('c') }))).toBe(`UNKNOWN: origin: ${MAIN} is at cccccccccc`);
    expect(saidOf(deletion, at({ [MAIN]: id('a') }))).toMatch(/^ABSENT/);
  });

  it('is not known at another address, in another repository, or where the remote cannot be asked', () => {
    const none = 'UNKNOWN: the remote origin has another address than before, or none';
    const done = { [MAIN]: id('b') };
    expect(saidOf(plain, at(done, { remotes: {} }))).toBe(none);
    expect(saidOf(plain, at(done, { remotes: { origin: ['/srv/second'] } }))).toBe(none);
    expect(saidOf(plain, at(done, { rewrites: { '/srv/': '/other/' } }))).toBe(none);
    expect(saidOf(plain, at(done, { servers: {} }))).toMatch(/^UNKNOWN: the remote origin cannot be asked/);
    expect(saidOf(plain, modelGit({ top: '/elsewhere' }))).toBe('UNKNOWN: the repository is gone or is another one');
    expect(saidOf(plain, at(done))).toMatch(/^COMMITTED/);
  });

  it.each([
    { was: 'https://ada:one@host.example/r', is: 'https://ada:two@host.example/r', isSame: true },
    { was: 'https://ada@host.example/r', is: 'HTTPS://ada@host.example/r', isSame: false },
    { was: 'https://ada@host.example/r', is: 'ssh://ada@host.example/r', isSame: false },
    { was: 'https://host.example/a@x', is: 'https://host.example/b@x', isSame: false },
    { was: '/srv/a/https://x@y', is: '/srv/a/https://z@y', isSame: false },
    { was: 'ada@host.example:r', is: 'eve@host.example:r', isSame: false },
  ])('goes by the address but not by the credentials in it: $was, then $is', ({ was, is, isSame }) => {
    const world = (address: string, main: string): ModelGit =>
      modelGit({ remotes: { origin: [address] }, servers: { [address]: { [MAIN]: main } } });
    const baseline = baselineOf('git push origin main', world(was, id('a')));
    expect(JSON.stringify(baseline)).not.toMatch(/host\.example|:one/);
    expect(saidOf(baseline, world(is, id('b')))).toMatch(isSame ? /^COMMITTED/ : /^UNKNOWN: .*another address/);
  });

  it('may have left hooks of a repository on this machine undone', () => {
    const said = (address: string, others: Record<string, string>, files: readonly string[]): string => {
      const world = (main: string): ModelGit =>
        modelGit({ remotes: { origin: [address] }, servers: { [address]: { [MAIN]: main } }, others, files });
      return saidOf(baselineOf('git push origin main', world(id('a'))), world(id('b')));
    };
    const both = ['/srv/remote/hooks/post-receive', '/srv/remote/hooks/post-update', '/srv/remote/hooks/pre-receive'];
    expect(said('/srv/remote', { '/srv/remote': '/srv/remote' }, both)).toContain(
      'bbbbbbbbbb; the hooks post-receive, post-update of the remote may have been stopped',
    );
    const one = ['/r/hooks/post-update'];
    expect(said('file:///srv/r', { '/srv/r': '/r' }, one)).toContain('; the hook post-update of the remote');
    // Relative to the top of the working tree, also with such a beginning in its middle.
    expect(said('beside/r', { '/w/beside/r': '/r' }, one)).toContain('; the hook post-update of the remote');
    expect(said('beside/r/', { '/w/beside/r/': '/r' }, one)).toContain('; the hook post-update of the remote');
    expect(said('/srv/file://r', { '/srv/file://r': '/r' }, one)).toContain('; the hook post-update of the remote');
    expect(said('/srv/remote', { '/srv/remote': '/srv/remote' }, [])).toMatch(/is at bbbbbbbbbb$/);
    // A server goes on by itself.
    expect(said('ssh://host.example/r', { '/w/ssh://host.example/r': '/r' }, one)).toMatch(/is at bbbbbbbbbb$/);
  });

  it('says what it cannot know of other parts of the command', () => {
    const part = baselineOf('git push origin main 2>&1 | tail -1', modelGit(), false);
    expect(saidOf(part, at({ [MAIN]: id('b') }))).toMatch(/^COMMITTED: .*; whether its other parts/);
  });

  it('finds those of a relative address from the top of the working tree, or from its folder where git does not say it', () => {
    const files = ['/r/hooks/post-update'];
    const said = (found: string, failing: ModelGit['failing'] = {}): string => {
      const world = (main: string): ModelGit =>
        modelGit({ remotes: { origin: ['r'] }, servers: { r: { [MAIN]: main } }, others: { [found]: '/r' }, files });
      const baseline = baselineOf('git -C sub push origin main', world(id('a')));
      return saidOf(baseline, { ...world(id('b')), failing });
    };
    expect(said('/w/r')).toContain('; the hook post-update of the remote');
    expect(said('/w/sub/r')).toMatch(/is at bbbbbbbbbb$/);
    expect(said('/w/sub/r', { '--show-toplevel': 'end' })).toContain('; the hook post-update of the remote');
  });
});

describe('the footprint of a push', () => {
  it('is every ref at the address, by its hash, and all that its hooks may do', () => {
    const refs = { [MAIN]: id('b'), 'refs/heads/topic': id('b') };
    const baseline = baselineOf('git push origin main topic', modelGit({ refs }));
    const hash = String(baseline?.data.addressHash);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    const named = [`${hash}:${MAIN}`, `${hash}:refs/heads/topic`];
    expect(footprintOf(baseline)).toEqual({ workspace: '/w', paths: [], refs: named, runsPrograms: true });
  });
});

describe('an ABSENT after a push', () => {
  const rejected: RunEnd = { exitCode: 1, output: ' ! [rejected] main -> main (fetch first)\n' };
  const lost: RunEnd = { exitCode: 128, output: '' };
  const silent: RunEnd = { exitCode: 1, output: '' };
  const doubt = (address: string, end: RunEnd, isAlone = true, gone: readonly string[] = []): string | null => {
    const model = modelGit({ remotes: { origin: [address] }, servers: { [address]: { [MAIN]: id('a') } } });
    const baseline = baselineOf('git push origin main', model, isAlone);
    const data = Object.fromEntries(Object.entries(baseline?.data ?? {}).filter(([key]) => !gone.includes(key)));
    return probeOf(baseline)?.absentDoubt(data, end) ?? null;
  };
  it('stands on this machine, and at a server when all of it was rejected', () => {
    expect(doubt('/srv/remote', lost)).toBeNull();
    expect(doubt('ssh://host.example/r', silent)).toBeNull();
    expect(doubt('https://host.example/r', rejected)).toBeNull();
  });
  it('is doubted where a server may still be taking it, and says at which remote to look', () => {
    expect(doubt('ssh://host.example/r', lost)).toMatch(/the server of origin may still be taking it; look there/);
    expect(doubt('https://host.example/r', silent)).toMatch(/the server of origin may still be taking it/);
  });
  it('is doubted where the exit code may be that of another part', () => {
    expect(doubt('ssh://host.example/r', rejected, false)).not.toBeNull();
    expect(doubt('/srv/remote', lost, false)).toBeNull();
  });
  it('of an older version is taken as behind a helper', () => {
    expect(doubt('/srv/remote', lost, true, ['transport'])).not.toBeNull();
    expect(doubt('/srv/remote', silent, true, ['transport'])).not.toBeNull();
    expect(doubt('/srv/remote', rejected, true, ['transport'])).toBeNull();
  });
});
