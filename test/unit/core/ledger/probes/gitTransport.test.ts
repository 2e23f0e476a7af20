import { describe, expect, it } from 'vitest';
import { isOver, transportOf } from '../../../../../src/core/ledger/probes/gitTransport.ts';
import { modelGit, playGit } from '../../../../support/modelGit.ts';

describe('how a push reaches an address', () => {
  it.each([
    ['/srv/remote', 'local'],
    ['../remote', 'local'],
    ['remote', 'local'],
    ['./with:colon', 'local'],
    ['/srv/with:colon', 'local'],
    ['/srv/x/ssh://y', 'local'],
    ['dir/ext::x', 'local'],
    ['file:///srv/remote', 'local'],
    ['ssh://ada@host.example/r', 'direct'],
    ['git://host.example/r', 'direct'],
    ['git+ssh://host.example/r', 'direct'],
    ['ssh+git://host.example/r', 'direct'],
    ['ada@host.example:r', 'direct'],
    ['host.example:/srv/r', 'direct'],
    ['[::1]:r', 'direct'],
    ['host.example:a/file://', 'direct'],
    ['https://host.example/r', 'helper'],
    ['http://host.example/r', 'helper'],
    ['ftp://host.example/r', 'helper'],
    ['sshx://host.example/r', 'helper'],
    ['xssh://host.example/r', 'helper'],
    ['git+x://host.example/r', 'helper'],
    ['ext::sh -c x', 'helper'],
    ['x.y+z-1::rest', 'helper'],
    ['x::/srv/remote', 'helper'],
    ['h://host.example/r', 'helper'],
    ['foo+bar.v-2://host.example/r', 'helper'],
  ])('%s is %s', (address, transport) => {
    expect(playGit(transportOf('/w', 'origin', address), modelGit())).toBe(transport);
  });

  it('is by any program where the settings of the remote name one for the other side, or cannot be read', () => {
    const read = (settings: Record<string, string>, failing = {}): string =>
      playGit(transportOf('/w', 'origin', '/srv/remote'), modelGit({ settings, failing }));
    expect(read({ 'remote.origin.receivepack': 'x' })).toBe('helper');
    expect(read({ 'remote.origin.vcs': 'x' })).toBe('helper');
    expect(read({ 'remote.other.vcs': 'x', 'remote.origin.url': 'y', 'remote.origin.vcsx': 'z' })).toBe('local');
    expect(read({ 'my.remote.origin.vcs': 'x' })).toBe('local');
    expect(read({}, { config: 'end' })).toBe('helper');
    expect(read({}, { config: 'late' })).toBe('helper');
  });
});

describe('a push that was not taken', () => {
  const human = ' ! [rejected]        main -> main (fetch first)\n';
  const porcelain = '!\trefs/heads/main:refs/heads/main\t[remote rejected] (hook declined)\n';
  const failure = ' ! [remote failure]  main -> main (remote failed to report status)\n';
  it('is over on this machine however it ended', () => {
    for (const exitCode of [null, 0, 1, 128]) expect(isOver('local', { exitCode, output: '' }, 1)).toBe(true);
  });
  it.each([null, 0, 2, 128, 129, 143])('may go on at a server when git ended by %s', (exitCode) => {
    expect(isOver('direct', { exitCode, output: human }, 1)).toBe(false);
    expect(isOver('helper', { exitCode, output: human }, 1)).toBe(false);
  });
  it('is over at a server that git speaks with itself when it was rejected', () => {
    expect(isOver('direct', { exitCode: 1, output: '' }, 2)).toBe(true);
    expect(isOver('direct', { exitCode: 1, output: failure }, 1)).toBe(false);
  });
  it.each([
    { output: human, refCount: 1, isSo: true },
    { output: porcelain, refCount: 1, isSo: true },
    { output: `To x\n${human}${porcelain}error: failed to push some refs\n`, refCount: 2, isSo: true },
    { output: human + human, refCount: 1, isSo: true },
    { output: human, refCount: 2, isSo: false },
    { output: human + failure, refCount: 1, isSo: false },
    { output: '', refCount: 1, isSo: false },
    { output: `remote: ${human}`, refCount: 1, isSo: false },
    { output: `  ${human}`, refCount: 1, isSo: false },
    { output: ' * [new branch] main -> main\n', refCount: 1, isSo: false },
    { output: '![rejected] main\n', refCount: 1, isSo: false },
  ])('is over behind a helper when all refs are told as rejected: case %$', ({ output, refCount, isSo }) => {
    expect(isOver('helper', { exitCode: 1, output }, refCount)).toBe(isSo);
  });
});
