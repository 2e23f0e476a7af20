import { existsSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareEdit, editBaseline } from '../../src/core/ledger/probes.ts';
import { killedWhen, probeBench } from '../support/probeBench.ts';
import type { ProbeBench } from '../support/probeBench.ts';

let bench: ProbeBench;
beforeEach(() => {
  bench = probeBench();
});
afterEach(() => {
  bench.remove();
});
const nothing = (): void => undefined;

describe('the append probe on real files', () => {
  it('says COMMITTED for its own bytes and ABSENT for none, in a file, a new file and behind a link', async () => {
    bench.write('log', 'é\n');
    symlinkSync('log', join(bench.workspace, 'link'));
    for (const path of ['log', 'new', 'link']) {
      const command = `echo 'a  b' >> ${path}`;
      expect([path, ...(await bench.story(command))]).toEqual([path, 'ABSENT', 'COMMITTED']);
    }
  });

  it('knows the text of a pipe and of a here-doc', async () => {
    bench.write('log', 'x\n');
    expect(await bench.says('echo more | tee -a log')).toBe('COMMITTED');
    expect(await bench.says("cat >> log <<'END'\none $two\nthree\nEND")).toBe('COMMITTED');
    expect(await bench.says("printf '%s\\n' p q >> log")).toBe('COMMITTED');
    expect(bench.read('log')).toBe('x\nmore\none $two\nthree\np\nq\n');
  });

  it('works on a file that is no text, and knows only ABSENT of one that is too long to read', async () => {
    bench.write('data', Uint8Array.of(0, 255, 10, 0, 1));
    expect(await bench.story('echo x >> data')).toEqual(['ABSENT', 'COMMITTED']);
    bench.write('long', new Uint8Array(5 * 1024 * 1024).fill(65));
    expect(await bench.says('echo x >> long', nothing)).toBe('ABSENT');
    expect(await bench.says('echo x >> long')).toBe('UNKNOWN');
  });

  it('says UNKNOWN when it was appended twice, in part, by others besides, or undone by half', async () => {
    bench.write('log', 'x\n');
    expect(await bench.says('echo a >> log', 'echo a >> log; echo a >> log')).toBe('UNKNOWN');
    expect(await bench.says('echo abc >> log', 'printf ab >> log')).toBe('UNKNOWN');
    expect(await bench.says('echo a >> log', 'echo a >> log; echo other >> log')).toBe('UNKNOWN');
    expect(await bench.says('echo a >> log', 'echo other > log')).toBe('UNKNOWN');
  });

  it('says ABSENT when the bytes are as before again, and UNKNOWN for a deleted file or a folder in its place', async () => {
    bench.write('log', 'x\n');
    expect(await bench.says('echo a >> log', 'echo a >> log; echo x > log')).toBe('ABSENT');
    expect(await bench.says('echo a >> log', 'rm log')).toBe('UNKNOWN');
    expect(await bench.says('echo a >> log', 'rm -f log; mkdir log')).toBe('UNKNOWN');
    expect(await bench.says('echo a >> log')).toBe('no probe');
  });

  it('has no probe outside the workspace, in .git, or behind a link that leads out of it', async () => {
    symlinkSync(bench.beside('home'), join(bench.workspace, 'out'));
    for (const target of ['/tmp/belay-not-here', '../x', '.git/info/exclude', 'out/file']) {
      expect([target, (await bench.before(`echo a >> ${target}`)).kind]).toEqual([target, 'place']);
    }
    expect((await bench.before('echo a >> /tmp/belay-not-here')).data).toEqual({ workspace: null });
  });

  it('keeps no text and no name that holds a secret', async () => {
    bench.write('log', 'x\n');
    const stored = JSON.stringify(await bench.before('echo hunter2-forever >> log'));
    expect(stored).not.toContain('hunter2');
    expect((await bench.before('echo a >> ghp_0123456789abcdef0123456789abcdef0123')).kind).toBe('place');
  });
});

describe('the probe of files that are made', () => {
  it.each([
    ['touch new'],
    ['> new'],
    ['echo text > new'],
    ['echo text | tee new > /dev/null'],
    ["cat > new <<'END'\nline $x\nEND"],
    ['cd . && touch new'],
    ['mkdir new'],
    ['mkdir -p deep/down/new'],
    ['touch a b c 2>&1'],
  ])('says ABSENT before and COMMITTED after: %s', async (command) => {
    expect(await bench.story(command)).toEqual(['ABSENT', 'COMMITTED']);
  });

  it('tells a file that was only begun', async () => {
    bench.write('f', 'old\n');
    expect(await bench.says('echo new > f', '> f')).toBe('UNKNOWN');
    bench.write('f', 'old\n');
    expect(await bench.story('echo new > f')).toEqual(['ABSENT', 'COMMITTED']);
    expect(await bench.says('mkdir -p p/q/r', 'mkdir p')).toBe('UNKNOWN');
    expect(await bench.says('touch one two', 'touch one')).toBe('UNKNOWN');
  });

  it('names what is as it should be and what is not', async () => {
    const baseline = await bench.before('touch one two');
    await bench.run('touch one');
    expect((await bench.asked(baseline))?.detail).toContain('one is as after the command; two is as before it');
  });

  it('says UNKNOWN for other content, a folder in the place and a link to nowhere', async () => {
    expect(await bench.says('echo a > f', 'echo b > f')).toBe('UNKNOWN');
    expect(await bench.says('echo a > g', 'mkdir g')).toBe('UNKNOWN');
    expect(await bench.says('echo a > h', 'ln -s nowhere h')).toBe('UNKNOWN');
  });

  it('does not credit a command with a folder that was there, nor probe a touch of a file that exists', async () => {
    mkdirSync(join(bench.workspace, 'lock'));
    expect(await bench.says('mkdir lock')).toBe('ABSENT');
    bench.write('there', 'x');
    expect(await bench.says('touch there')).toBe('no probe');
  });

  it('says ABSENT when what was made is gone again', async () => {
    expect(await bench.says('touch new', 'touch new; rm new')).toBe('ABSENT');
  });
});

describe('the probe of copies and moves', () => {
  beforeEach(() => {
    bench.write('a', 'content\n');
    bench.write('bin', Uint8Array.of(0, 1, 2));
    mkdirSync(join(bench.workspace, 'dir'));
  });
  it.each([
    ['cp a b'],
    ['cp -p bin b'],
    ['cp a bin dir'],
    ['cp a dir/'],
    ['mv a b'],
    ['mv a bin dir'],
    ['mv -f a bin'],
    ['mv a ./dir/c'],
  ])('says ABSENT before and COMMITTED after: %s', async (command) => {
    expect(await bench.story(command)).toEqual(['ABSENT', 'COMMITTED']);
  });

  it('knows a moved folder by the files in it', async () => {
    bench.write('src/deep/x', 'x');
    bench.write('src/y', 'y');
    expect(await bench.story('mv src lib')).toEqual(['ABSENT', 'COMMITTED']);
    expect(await bench.says('mv lib back', () => bench.run('mkdir back && cp -r lib/deep back'))).toBe('UNKNOWN');
  });

  it('says UNKNOWN for half of it, other content, or a source that is gone without a copy', async () => {
    expect(await bench.says('cp a bin dir', 'cp a dir')).toBe('UNKNOWN');
    expect(await bench.says('cp a c', 'echo other > c')).toBe('UNKNOWN');
    expect(await bench.says('mv a d', 'cp a d')).toBe('UNKNOWN');
    expect(await bench.says('mv a e', 'rm a')).toBe('UNKNOWN');
  });

  it('has no probe for a folder copy, options that may do nothing, or a source that is missing', async () => {
    for (const command of ['cp -r dir dir2', 'cp -n a b', 'mv -i a b', 'cp missing b', 'mv missing b', 'cp a a']) {
      expect([command, await bench.says(command, nothing)]).toEqual([command, 'no probe']);
    }
  });

  it('never takes a copy that was killed in the middle for a whole one', async () => {
    bench.write('big', new Uint8Array(64 * 1024 * 1024).fill(7));
    const baseline = await bench.before('cp big copy');
    const copy = join(bench.workspace, 'copy');
    await killedWhen('cp big copy', bench.workspace, () => existsSync(copy));
    const isWhole = statSync(copy).size === 64 * 1024 * 1024;
    expect((await bench.asked(baseline))?.says).toBe(isWhole ? 'COMMITTED' : 'UNKNOWN');
    rmSync(copy);
    expect((await bench.asked(baseline))?.says).toBe('ABSENT');
  });
});

describe('the edit probe on real files', () => {
  it('needs all new or all old, and names every file that differs', async () => {
    for (const name of ['a', 'b', 'gone']) bench.write(name, `${name} old\n`);
    const hash = async (path: string): Promise<string | null> => {
      const seen = await bench.ports.files.look(path);
      return seen.ok ? seen.value.hash : null;
    };
    const [a, b, gone] = [await hash('a'), await hash('b'), await hash('gone')];
    bench.write('a', 'a new\n');
    const baseline = editBaseline([
      { path: 'a', beforeHash: a, afterHash: await hash('a'), mode: 0o644 },
      { path: 'b', beforeHash: b, afterHash: a },
      { path: 'gone', beforeHash: gone, afterHash: null },
    ]);
    const mixed = await bench.asked(baseline);
    expect(mixed).toMatchObject({ says: 'UNKNOWN', detail: 'as the edit leaves it: a; as before the edit: b, gone' });
    bench.write('a', 'a old\n');
    expect((await bench.asked(baseline))?.says).toBe('ABSENT');
    bench.write('a', 'a new\n');
    bench.write('b', 'a old\n');
    rmSync(join(bench.workspace, 'gone'));
    expect((await bench.asked(baseline))?.says).toBe('COMMITTED');
    bench.write('b', 'third\n');
    expect((await bench.asked(baseline))?.detail).toContain('neither as before nor as after the edit: b');
    expect(compareEdit(baseline, new Map([['a', a]])).says).toBe('UNKNOWN');
  });
});
