// What goes wrong with the edits of agents, as people have reported it, played through on real files: parser, planner, read
// book, ledger and file port together. Each situation is followed by its neighbours.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileEdit } from '../../../../src/core/edits/editSet.ts';
import { parseEdits } from '../../../../src/core/edits/parse.ts';
import type { EffectPorts } from '../../../../src/engine/effectEntry.ts';
import { applyGuardedEdit } from '../../../../src/engine/guardedEdit.ts';
import type { EditOutcome } from '../../../../src/engine/guardedEdit.ts';
import { readBook } from '../../../../src/engine/readBook.ts';
import { undoEffects } from '../../../../src/engine/undoEffects.ts';
import { diskWorkspace, type DiskWorkspace } from '../../../support/diskWorkspace.ts';
import { must } from '../../../support/memoryEntries.ts';
import { context, editsInput, memoryWorld, type MemoryWorld } from '../../../support/memoryWorld.ts';

let disk: DiskWorkspace;
let world: MemoryWorld;
let ports: EffectPorts;
let step = 0;

beforeEach(() => {
  disk = diskWorkspace();
  world = memoryWorld();
  ports = { ...world.ports, files: disk.files };
});
afterEach(() => {
  disk.dispose();
});

const put = (path: string, text: string | Uint8Array): void => {
  disk.put(path, typeof text === 'string' ? Buffer.from(text) : text);
};
const text = (path: string): string | null => disk.get(path)?.toString('utf8') ?? null;
const entries = async () => must(await world.store.entries({}));
const block = (path: string, search: string, replace: string): FileEdit => ({
  kind: 'blocks',
  path,
  blocks: [{ search, replace }],
});

/** An agent of the task with a book of its own. */
function anAgent(book = readBook(disk.files)) {
  const edit = (...files: readonly FileEdit[]): Promise<EditOutcome> => {
    step++;
    return applyGuardedEdit(ports, editsInput(world, files, { book, context: { ...context, step } }));
  };
  return {
    edit,
    read: async (path: string) => book.saw(path, must(await disk.files.read(path)), { isWhole: true, mayKeep: true }),
    write: (path: string, content: string) => edit({ kind: 'whole', path, text: content }),
    patch: (patch: string) => {
      const parsed = parseEdits(patch);
      if (!parsed.ok) throw new Error(parsed.error);
      return edit(...parsed.set.files);
    },
  };
}

describe('an agent that forgets what it has done', () => {
  it('is told that the edit is applied already, as a success without a write or an entry', async () => {
    put('a.ts', 'const port = 80;\n');
    put('b.ts', 'const host = "a";\n');
    const agent = anAgent();
    await agent.edit(block('a.ts', 'port = 80', 'port = 8080'), block('b.ts', '"a"', '"b"'));
    for (let i = 0; i < 5; i++) {
      const again = await agent.edit(block('a.ts', 'port = 80;', 'port = 8080;'));
      expect(again).toMatchObject({ result: 'done', ran: false, state: null, isError: false });
    }
    expect(text('a.ts')).toBe('const port = 8080;\n');
    expect(await entries()).toHaveLength(1);
    expect(world.events.filter(({ type }) => type === 'notice')).toEqual([]);
  });

  it('does not insert the same lines a second time', async () => {
    put('a.ts', 'import a;\n');
    const agent = anAgent();
    for (let i = 0; i < 3; i++) await agent.edit(block('a.ts', 'import a;\n', 'import a;\nimport b;\n'));
    expect(text('a.ts')).toBe('import a;\nimport b;\n');
  });

  it('is told plainly that old and new text are the same, and nothing is recorded', async () => {
    put('a.ts', 'const a = 1;\n');
    for (let i = 0; i < 4; i++) {
      const outcome = await anAgent().edit(block('a.ts', 'const a = 1;', 'const a = 1;'));
      expect(outcome).toMatchObject({ result: 'done', ran: false, state: null, isError: false });
      expect(outcome.text).toContain('nothing needs to change');
    }
    expect(await entries()).toEqual([]);
  });
});

const PATCH = `*** Begin Patch
*** Delete File: old.ts
*** Update File: a.ts
@@
-one
+ONE
*** Update File: b.ts
@@
-two
+TWO
*** End Patch
`;

describe('a patch of several files', () => {
  const start = (): void => {
    put('old.ts', 'old\n');
    put('a.ts', 'one\n');
    put('b.ts', 'two\n');
  };

  it('is made as a whole', async () => {
    start();
    expect(await anAgent().patch(PATCH)).toMatchObject({ state: 'COMMITTED', isError: false });
    expect([text('old.ts'), text('a.ts'), text('b.ts')]).toEqual([null, 'ONE\n', 'TWO\n']);
  });

  it('deletes nothing when a later hunk is rejected, and names every file', async () => {
    start();
    put('b.ts', 'something else\n');
    const outcome = await anAgent().patch(PATCH);
    expect(outcome).toMatchObject({ result: 'failed', ran: false, state: null });
    for (const path of ['old.ts', 'a.ts', 'b.ts']) expect(outcome.text).toContain(path);
    expect([text('old.ts'), text('a.ts'), text('b.ts')]).toEqual(['old\n', 'one\n', 'something else\n']);
    expect(world.questions).toEqual([]);
  });

  it('changes no file when one of them cannot be written', async () => {
    start();
    chmodSync(disk.at('b.ts'), 0o444);
    const outcome = await anAgent().patch(PATCH);
    expect(outcome).toMatchObject({ result: 'failed', isError: true });
    expect(outcome.text).toContain('b.ts');
    expect([text('old.ts'), text('a.ts'), text('b.ts')]).toEqual(['old\n', 'one\n', 'two\n']);
  });

  it('can be undone as a whole, deletion and all', async () => {
    start();
    const { key } = await anAgent().patch(PATCH);
    const undone = await undo([key]);
    expect(undone.result).toBe('done');
    expect([text('old.ts'), text('a.ts'), text('b.ts')]).toEqual(['old\n', 'one\n', 'two\n']);
  });
});

const undo = (keys: readonly string[]): ReturnType<typeof undoEffects> =>
  undoEffects(ports, {
    what: { kind: 'entries', keys },
    client: 'test',
    workspace: disk.root,
    judge: () => ({ verdict: 'allow' }),
    isDryRun: false,
    restoresDeleted: false,
    signal: new AbortController().signal,
    emit: () => undefined,
  });

describe('an agent that writes whole files from memory', () => {
  const OLD = Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join('');

  it('does not wipe what another agent of the session did since it read the file', async () => {
    put('a.ts', OLD);
    const [first, second] = [anAgent(), anAgent()];
    await second.read('a.ts');
    await first.read('a.ts');
    await first.edit(block('a.ts', 'line 3\n', 'line 3, hours of work\n'));
    const outcome = await second.write('a.ts', OLD.replace('line 3\n', 'line three\n'));
    expect(outcome).toMatchObject({ result: 'failed', ran: false });
    expect(outcome.text).toContain('hours of work');
    expect(text('a.ts')).toBe(OLD.replace('line 3\n', 'line 3, hours of work\n'));
  });

  it('keeps the lines a person wrote between two turns, and is told of them', async () => {
    put('a.ts', OLD);
    const agent = anAgent();
    await agent.read('a.ts');
    put('a.ts', OLD.replace('line 30\n', 'line 30\nby hand\n'));
    const outcome = await agent.write('a.ts', OLD.replace('line 2\n', 'line two\n'));
    expect(outcome).toMatchObject({ state: 'COMMITTED', isError: false });
    expect(outcome.text).toContain('+ by hand');
    expect(text('a.ts')).toBe(OLD.replace('line 2\n', 'line two\n').replace('line 30\n', 'line 30\nby hand\n'));
  });

  it.each(['', '\n', ' \n\t\r\n'])(
    'does not empty a file with %j, unless it says that it means that',
    async (nothing) => {
      put('a.ts', OLD);
      const agent = anAgent();
      await agent.read('a.ts');
      const refused = await agent.write('a.ts', nothing);
      expect(refused).toMatchObject({ result: 'failed', isError: true, ran: false, state: null });
      expect(refused.text).toContain('delete it, or say allowEmpty: true');
      expect(text('a.ts')).toBe(OLD);
      // It need not read it again to say so.
      const meant = await agent.edit({ kind: 'whole', path: 'a.ts', text: nothing, allowEmpty: true });
      expect(meant).toMatchObject({ state: 'COMMITTED', isError: false });
      expect(text('a.ts')?.trim()).toBe('');
    },
  );

  it('does not leave out the rest of a file with a comment', async () => {
    put('a.ts', OLD);
    const agent = anAgent();
    await agent.read('a.ts');
    const outcome = await agent.write('a.ts', 'line 0, new\n// ... rest of the file unchanged ...\n');
    expect(outcome).toMatchObject({ isError: true, ran: false });
    expect(text('a.ts')).toBe(OLD);
  });

  it('does not make a file again that somebody deleted meanwhile', async () => {
    put('a.ts', OLD);
    const agent = anAgent();
    await agent.read('a.ts');
    disk.remove('a.ts');
    expect(await agent.write('a.ts', 'mine\n')).toMatchObject({ isError: true, ran: false });
    expect(await agent.edit(block('a.ts', 'line 1', 'x'))).toMatchObject({ isError: true, ran: false });
    expect(text('a.ts')).toBeNull();
  });
});

describe('somebody who writes between reading and writing', () => {
  it('is not overwritten: the edit fails, and the next one needs a fresh read', async () => {
    put('a.ts', 'one\ntwo\n');
    const { files } = ports;
    const agent = anAgent();
    await agent.read('a.ts');
    ports = {
      ...ports,
      files: {
        ...files,
        apply: (writes) => {
          put('a.ts', 'one\ntwo\nby hand\n');
          return files.apply(writes);
        },
      },
    };
    const failed = await agent.edit(block('a.ts', 'one', 'ONE'));
    expect(failed).toMatchObject({ state: 'FAILED', ran: false, isError: true });
    expect(failed.text).toContain('It holds now:\none\ntwo\nby hand\n');
    // The content is for the agent alone.
    expect(JSON.stringify(await entries())).not.toContain('by hand');
    expect(text('a.ts')).toBe('one\ntwo\nby hand\n');
    ports = { ...ports, files };
    expect((await agent.edit(block('a.ts', 'one', 'I'))).text).toContain('Read it');
    await agent.read('a.ts');
    expect(await agent.edit(block('a.ts', 'one', 'I'))).toMatchObject({ state: 'COMMITTED' });
    expect(text('a.ts')).toBe('I\ntwo\nby hand\n');
  });
});

describe('an agent that repeats an edit without reading', () => {
  it('is stopped after two tries, told once to the person, and changes nothing', async () => {
    put('a.ts', 'one\n');
    const agent = anAgent();
    await agent.read('a.ts');
    put('a.ts', 'by hand\n');
    const results: string[] = [];
    for (let i = 0; i < 20; i++) results.push((await agent.write('a.ts', 'mine\n')).result);
    expect(results.slice(0, 3)).toEqual(['failed', 'failed', 'refused']);
    expect(new Set(results.slice(2))).toEqual(new Set(['refused']));
    expect(world.events.filter(({ type }) => type === 'notice')).toHaveLength(1);
    expect(text('a.ts')).toBe('by hand\n');
  });
});

describe('the bytes of a file', () => {
  const edited = async (before: Uint8Array, search: string, replace: string): Promise<Buffer | null> => {
    put('a.txt', before);
    await anAgent().edit(block('a.txt', search, replace));
    return disk.get('a.txt');
  };
  const latin = (value: string): Buffer => Buffer.from(value, 'latin1');

  it('keep their line endings and their one-byte letters', async () => {
    const before = latin('caf\xe9\r\nna\xefve\r\nend\r\n');
    expect(await edited(before, 'end\n', 'end\nmore \u00fc\n')).toEqual(
      latin('caf\xe9\r\nna\xefve\r\nend\r\nmore \xfc\r\n'),
    );
  });

  it('keep mixed line endings where nothing is changed', async () => {
    const before = Buffer.from('one\r\ntwo\nthree\r\n');
    expect(await edited(before, 'two', 'TWO')).toEqual(Buffer.from('one\r\nTWO\nthree\r\n'));
  });

  it.each([
    [
      'utf-8',
      Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from('one\n')]),
      Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from('1\n')]),
    ],
    ['utf-16', Buffer.from('\ufeffone\n', 'utf16le'), Buffer.from('\ufeff1\n', 'utf16le')],
  ])('keep their mark and their %s', async (_name, before, after) => {
    expect(await edited(before, 'one', '1')).toEqual(after);
  });

  it('are left alone where the new text has a letter that the encoding has not', async () => {
    const before = latin('caf\xe9\n');
    expect(await edited(before, 'caf\xe9', 'caf\u00e9 \u{1f600}')).toEqual(before);
  });

  it('are left alone where they are no text', async () => {
    for (const before of [Buffer.of(0x89, 0x50, 0, 1), Buffer.of(0xff, 0xfe, 0x00, 0xd8), Buffer.from('a\0b')]) {
      put('a.bin', before);
      const agent = anAgent();
      expect(await agent.edit(block('a.bin', 'a', 'x'))).toMatchObject({ isError: true, ran: false, state: null });
      expect(await agent.write('a.bin', 'x\n')).toMatchObject({ isError: true, ran: false, state: null });
      expect(disk.get('a.bin')).toEqual(before);
    }
  });
});

describe('a path that leads out of the workspace', () => {
  const outside = (): string => join(disk.folder, 'outside.txt');
  const tries = async (path: string): Promise<void> => {
    const agent = anAgent();
    for (const edit of [
      { kind: 'create', path, text: 'x\n' },
      { kind: 'whole', path, text: 'x\n' },
      { kind: 'delete', path },
      block(path, 'outside', 'x'),
      { kind: 'move', path: 'in.txt', moveTo: path },
    ] satisfies FileEdit[]) {
      expect(await agent.edit(edit), edit.kind).toMatchObject({ isError: true, ran: false, state: null });
    }
  };

  it.each(['link', 'folder', 'dots', 'absolute'])('writes nothing there (%s)', async (way) => {
    put('in.txt', 'in\n');
    mkdirSync(disk.at('sub'));
    symlinkSync(outside(), disk.at('link'));
    symlinkSync(disk.folder, disk.at('sub/folder'));
    const ways: Readonly<Record<string, string>> = {
      link: 'link',
      folder: 'sub/folder/outside.txt',
      dots: '../outside.txt',
      absolute: outside(),
    };
    await tries(ways[way] ?? '');
    expect(disk.get('../outside.txt')).toBeNull();
    writeFileSync(outside(), 'outside\n');
    await tries(ways[way] ?? '');
    expect(disk.get('../outside.txt')?.toString()).toBe('outside\n');
    expect(text('in.txt')).toBe('in\n');
  });

  it('is a path like any other where a link stays inside, and the ledger keeps the real name', async () => {
    put('real/a.txt', 'one\n');
    symlinkSync(disk.at('real'), disk.at('link'));
    expect(await anAgent().edit(block('link/a.txt', 'one', '1'))).toMatchObject({ state: 'COMMITTED' });
    expect(text('real/a.txt')).toBe('1\n');
    expect((await entries())[0]!.paths).toEqual(['real/a.txt']);
  });
});

describe('an agent that is asked to undo its own change', () => {
  it('takes back its files alone, and leaves all other work as it is', async () => {
    put('mine.ts', 'one\ntwo\nthree\n');
    put('yours.ts', 'work of yesterday\n');
    const { key } = await anAgent().edit(block('mine.ts', 'two', 'TWO'));
    put('yours.ts', 'work of today\n');
    expect((await undo([key])).result).toBe('done');
    expect(text('mine.ts')).toBe('one\ntwo\nthree\n');
    expect(text('yours.ts')).toBe('work of today\n');
  });

  it('keeps what was changed since in the same file', async () => {
    put('mine.ts', 'one\ntwo\nthree\nfour\nfive\n');
    const { key } = await anAgent().edit(block('mine.ts', 'one', 'ONE'));
    put('mine.ts', 'ONE\ntwo\nthree\nfour\nfive by hand\n');
    await undo([key]);
    expect(text('mine.ts')).toBe('one\ntwo\nthree\nfour\nfive by hand\n');
  });
});

describe('a file that a program makes', () => {
  it('is asked about, with what to change instead', async () => {
    const deny: EffectPorts['approval'] = {
      ask: (question) => {
        world.questions.push(question);
        return Promise.resolve({ choice: 'deny', note: '', by: 'Ada' });
      },
    };
    ports = { ...ports, approval: deny };
    const files: Readonly<Record<string, string>> = {
      'package-lock.json': '{ "name": "one" }\n',
      'gen/api.ts': '// This file was generated by a tool. DO NOT EDIT.\nexport const one = 1;\n',
    };
    for (const [path, content] of Object.entries(files)) {
      put(path, content);
      expect(await anAgent().edit(block(path, 'one', 'two'))).toMatchObject({ result: 'refused', ran: false });
      expect(world.questions.at(-1)!.reasons[0]).toContain(path);
      expect(text(path)).toBe(content);
    }
  });
});
