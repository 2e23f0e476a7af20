// Edits and what their agent has seen: whole new texts, foreign changes, unsaved buffers, stale pictures, repeats.
import { describe, expect, it } from 'vitest';
import type { FileEdit } from '../../../src/core/edits/editSet.ts';
import { applyGuardedEdit } from '../../../src/engine/guardedEdit.ts';
import type { EditOutcome } from '../../../src/engine/guardedEdit.ts';
import { readBook } from '../../../src/engine/readBook.ts';
import type { ReadBook } from '../../../src/engine/readBook.ts';
import { must } from '../../support/memoryEntries.ts';
import { context, editsInput, memoryWorld } from '../../support/memoryWorld.ts';
import type { MemoryWorld } from '../../support/memoryWorld.ts';

/** An agent with its book; every edit is a step of its own. */
class Agent {
  readonly world: MemoryWorld;
  readonly book: ReadBook;
  private step = 0;

  constructor(files: Readonly<Record<string, string>>, answer: 'allow' | 'deny' = 'allow') {
    this.world = memoryWorld({ files, answer });
    this.book = readBook(this.world.files);
  }

  async read(path: string): Promise<void> {
    await this.book.saw(path, must(await this.world.files.read(path)), { isWhole: true, mayKeep: true });
  }

  edit(...files: readonly FileEdit[]): Promise<EditOutcome> {
    this.step++;
    const more = { book: this.book, context: { ...context, step: this.step } };
    return applyGuardedEdit(this.world.ports, editsInput(this.world, files, more));
  }

  write(path: string, text: string): Promise<EditOutcome> {
    return this.edit({ kind: 'whole', path, text });
  }

  replace(path: string, search: string, replace: string): Promise<EditOutcome> {
    return this.edit({ kind: 'blocks', path, blocks: [{ search, replace }] });
  }

  text(path: string): string | undefined {
    return this.world.files.contents.get(path);
  }
}

const OLD = 'one\ntwo\nthree\nfour\nfive\n';

describe('a whole new text', () => {
  it('makes a file that is not there, and may then be written again by the same agent', async () => {
    const agent = new Agent({});
    expect(await agent.write('a.txt', 'first\n')).toMatchObject({ state: 'COMMITTED', isError: false });
    expect(await agent.write('a.txt', 'second\n')).toMatchObject({ state: 'COMMITTED', isError: false });
    expect(agent.text('a.txt')).toBe('second\n');
  });

  it('is refused for a file that was never read, with what is in it and what to do', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    const outcome = await agent.write('a.txt', 'mine\n');
    expect(outcome).toMatchObject({ result: 'failed', ran: false, state: null, isError: true });
    expect(outcome.text).toContain(OLD);
    expect(outcome.text).toContain('read_file');
    expect(agent.text('a.txt')).toBe(OLD);
  });

  it('is refused without the content for a file of secrets', async () => {
    const agent = new Agent({ '.env': 'KEY=abc\n' });
    const outcome = await agent.write('.env', 'KEY=mine\n');
    expect(outcome).toMatchObject({ isError: true, ran: false });
    expect(outcome.text).not.toContain('abc');
  });

  it('needs no read where it is what is there already', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    expect(await agent.write('a.txt', OLD)).toMatchObject({ result: 'done', ran: false, state: null });
  });

  it('is written over a file that is as last seen', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    expect(await agent.write('a.txt', 'mine\n')).toMatchObject({ state: 'COMMITTED', isError: false });
    expect(agent.text('a.txt')).toBe('mine\n');
  });

  it('is merged with what somebody else changed since, and the agent is told the foreign lines', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    agent.world.files.contents.set('a.txt', OLD.replace('five\n', 'five\nSIX\n'));
    const outcome = await agent.write('a.txt', OLD.replace('one', 'ONE'));
    expect(outcome).toMatchObject({ state: 'COMMITTED', isError: false });
    expect(agent.text('a.txt')).toBe('ONE\ntwo\nthree\nfour\nfive\nSIX\n');
    expect(outcome.text).toContain('+ SIX');
    expect(outcome.text).not.toContain('+ ONE');
  });

  it('may be written again after a merge, since its agent was told of the foreign lines', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    agent.world.files.contents.set('a.txt', `${OLD}SIX\n`);
    await agent.write('a.txt', OLD.replace('one', 'ONE'));
    expect(await agent.write('a.txt', 'all new\n')).toMatchObject({ state: 'COMMITTED' });
    expect(agent.text('a.txt')).toBe('all new\n');
  });

  it('is refused where both changed the same lines, and never overwrites the foreign ones', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    const foreign = OLD.replace('two', 'TWO by hand');
    agent.world.files.contents.set('a.txt', foreign);
    const outcome = await agent.write('a.txt', OLD.replace('two', 'two by the agent'));
    expect(outcome).toMatchObject({ result: 'failed', ran: false, state: null });
    expect(outcome.text).toContain('TWO by hand');
    expect(agent.text('a.txt')).toBe(foreign);
  });

  it('changes nothing where the agent sends what it read and somebody else changed the file', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    agent.world.files.contents.set('a.txt', 'by hand\n');
    expect(await agent.write('a.txt', OLD)).toMatchObject({ result: 'done', ran: false, state: null });
    expect(agent.text('a.txt')).toBe('by hand\n');
  });

  it('is refused where what the agent read is not kept any more', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    await agent.world.files.sweepImages(new Set());
    agent.world.files.contents.set('a.txt', `${OLD}SIX\n`);
    expect(await agent.write('a.txt', 'mine\n')).toMatchObject({ isError: true, ran: false });
    expect(agent.text('a.txt')).toBe(`${OLD}SIX\n`);
  });

  it('does not bring back a file that was deleted since, before the agent has looked again', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    agent.world.files.contents.delete('a.txt');
    const outcome = await agent.write('a.txt', 'mine\n');
    expect(outcome).toMatchObject({ isError: true, ran: false });
    expect(outcome.text).toContain('was deleted since');
    await agent.read('a.txt');
    expect(await agent.write('a.txt', 'mine\n')).toMatchObject({ state: 'COMMITTED' });
  });

  it('names a command of the agent as one who may have changed the file', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    agent.book.ran('npm run format');
    agent.world.files.contents.set('a.txt', OLD.replace('two', '2'));
    expect((await agent.write('a.txt', OLD.replace('two', 'zwei'))).text).toContain('npm run format');
  });

  it('keeps the line endings of the file when it is merged', async () => {
    const crlf = OLD.replaceAll('\n', '\r\n');
    const agent = new Agent({ 'a.txt': crlf });
    await agent.read('a.txt');
    agent.world.files.contents.set('a.txt', `${crlf}SIX\r\n`);
    expect(await agent.write('a.txt', OLD.replace('one', 'ONE'))).toMatchObject({ isError: false });
    expect(agent.text('a.txt')).toBe(`${crlf.replace('one', 'ONE')}SIX\r\n`);
  });
});

describe('an edit by places', () => {
  it('keeps foreign lines elsewhere in the file without being told of them first', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    agent.world.files.contents.set('a.txt', `${OLD}SIX\n`);
    expect(await agent.replace('a.txt', 'one', 'ONE')).toMatchObject({ state: 'COMMITTED' });
    expect(agent.text('a.txt')).toBe(`${OLD.replace('one', 'ONE')}SIX\n`);
  });

  it('does not count as having seen the rest of a file that was changed by others', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    agent.world.files.contents.set('a.txt', `${OLD}SIX\n`);
    await agent.replace('a.txt', 'one', 'ONE');
    const outcome = await agent.write('a.txt', OLD.replace('one', 'ONE').replace('three', 'THREE'));
    expect(outcome).toMatchObject({ isError: false });
    expect(agent.text('a.txt')).toBe('ONE\ntwo\nTHREE\nfour\nfive\nSIX\n');
  });

  it('leaves the agent knowing a file that it had seen', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    await agent.replace('a.txt', 'one', 'ONE');
    expect(await agent.write('a.txt', 'all new\n')).toMatchObject({ state: 'COMMITTED' });
    expect(agent.text('a.txt')).toBe('all new\n');
  });
});

describe('a deletion or a move', () => {
  it('does not delete a file that has changed since it was read', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    agent.world.files.contents.set('a.txt', `${OLD}SIX\n`);
    expect(await agent.edit({ kind: 'delete', path: 'a.txt' })).toMatchObject({ isError: true, ran: false });
    expect(agent.world.questions).toEqual([]);
    await agent.read('a.txt');
    expect(await agent.edit({ kind: 'delete', path: 'a.txt' })).toMatchObject({ state: 'COMMITTED', level: 'R3' });
    expect(agent.world.questions).toHaveLength(1);
  });

  it('knows a file that it has read by its new name', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    await agent.edit({ kind: 'move', path: 'a.txt', moveTo: 'b.txt' });
    expect(await agent.write('b.txt', 'all new\n')).toMatchObject({ state: 'COMMITTED' });
    expect(agent.world.files.contents.keys()).toEqual(['b.txt']);
  });
});

describe('an edit of a file with unsaved changes', () => {
  const typed = `${OLD}being typed\n`;
  const open = (agent: Agent, text = typed): void => void agent.world.files.buffers.set('a.txt', { text, version: 4 });

  it('is planned on the buffer and keeps what was typed', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    open(agent);
    const outcome = await agent.replace('a.txt', 'being typed', 'being TYPED');
    expect(outcome).toMatchObject({ state: 'COMMITTED', isError: false });
    expect(outcome.text).toContain('unsaved changes were kept');
    expect(agent.text('a.txt')).toBe(`${OLD}being TYPED\n`);
  });

  it('records the bytes on the disk as what was there before', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    const { hash } = must(await agent.world.files.look('a.txt'));
    open(agent);
    expect(await agent.replace('a.txt', 'one', 'ONE')).toMatchObject({ beforeHash: hash });
    expect(agent.world.files.before.has(hash ?? '')).toBe(true);
  });

  it('merges a whole new text, whether the agent saw the disk or the buffer', async () => {
    for (const isBufferSeen of [false, true]) {
      const agent = new Agent({ 'a.txt': OLD });
      if (!isBufferSeen) await agent.read('a.txt');
      open(agent);
      if (isBufferSeen) await agent.read('a.txt');
      const outcome = await agent.write('a.txt', OLD.replace('one', 'ONE'));
      expect(outcome).toMatchObject({ state: 'COMMITTED', isError: false });
      expect(agent.text('a.txt')).toBe(typed.replace('one', 'ONE'));
    }
  });

  it('refuses a whole new text that conflicts with what was typed, and leaves disk and buffer alone', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    open(agent, OLD.replace('two', 'typed'));
    expect(await agent.write('a.txt', OLD.replace('two', 'mine'))).toMatchObject({ isError: true, ran: false });
    expect(agent.text('a.txt')).toBe(OLD);
    expect(agent.world.files.buffers.get('a.txt')?.text).toBe(OLD.replace('two', 'typed'));
  });

  it('neither deletes nor moves such a file', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    open(agent);
    expect((await agent.edit({ kind: 'delete', path: 'a.txt' })).text).toContain('unsaved changes');
    expect((await agent.edit({ kind: 'move', path: 'a.txt', moveTo: 'b.txt' })).text).toContain('unsaved changes');
    expect(agent.world.files.contents.keys()).toEqual(['a.txt']);
  });

  it('fails cleanly when the person types on between plan and write', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    open(agent);
    agent.world.files.trouble = ({ step }) => {
      if (step === 'stage') open(agent, `${typed}more\n`);
      return null;
    };
    expect(await agent.replace('a.txt', 'one', 'ONE')).toMatchObject({ state: 'FAILED', ran: false });
    expect(agent.world.files.buffers.get('a.txt')?.text).toBe(`${typed}more\n`);
  });
});

describe('a stale picture of a file', () => {
  it('lets the next edit of that file only through after a fresh read, and others at once', async () => {
    const agent = new Agent({ 'a.txt': OLD, 'b.txt': OLD });
    await agent.read('a.txt');
    agent.world.files.contents.set('a.txt', OLD.replace('two', 'TWO'));
    await agent.write('a.txt', OLD.replace('two', 'zwei'));
    const blocked = await agent.replace('a.txt', 'one', 'ONE');
    expect(blocked).toMatchObject({ isError: true, ran: false });
    expect(blocked.text).toContain('Read it with read_file first');
    expect(await agent.replace('b.txt', 'one', 'ONE')).toMatchObject({ isError: false });
    await agent.read('a.txt');
    expect(await agent.replace('a.txt', 'one', 'ONE')).toMatchObject({ state: 'COMMITTED' });
  });

  it('comes from a write of somebody else between read and write, too', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    await agent.read('a.txt');
    agent.world.files.trouble = ({ step }) => {
      if (step === 'stage') agent.world.files.contents.set('a.txt', `${OLD}SIX\n`);
      return null;
    };
    expect(await agent.replace('a.txt', 'one', 'ONE')).toMatchObject({ state: 'FAILED', ran: false });
    agent.world.files.trouble = null;
    expect(await agent.replace('a.txt', 'one', 'I')).toMatchObject({ isError: true, ran: false });
    await agent.read('a.txt');
    expect(await agent.replace('a.txt', 'one', 'I')).toMatchObject({ state: 'COMMITTED' });
  });

  it('comes from a place that is gone in a file that has changed, but not from a plain mistake', async () => {
    const agent = new Agent({ 'a.txt': OLD, 'b.txt': OLD });
    await agent.read('a.txt');
    await agent.read('b.txt');
    agent.world.files.contents.set('a.txt', OLD.replace('two', 'TWO'));
    await agent.replace('a.txt', 'two', '2');
    await agent.replace('b.txt', 'nowhere at all', '2');
    expect(agent.book.isDoubted('a.txt')).toBe(true);
    expect(agent.book.isDoubted('b.txt')).toBe(false);
  });

  it('comes from an edit that may have changed a file in part', async () => {
    const agent = new Agent({ 'a.txt': OLD, 'b.txt': OLD });
    agent.world.files.trouble = ({ step, path }) => {
      if (step === 'change' && path === 'b.txt') return 'b.txt is locked.';
      return step === 'restore' ? 'a.txt is locked' : null;
    };
    const outcome = await agent.edit(
      { kind: 'blocks', path: 'a.txt', blocks: [{ search: 'one', replace: '1' }] },
      { kind: 'blocks', path: 'b.txt', blocks: [{ search: 'one', replace: '1' }] },
    );
    expect(outcome).toMatchObject({ state: 'UNKNOWN', ran: true });
    expect(agent.book.isDoubted('a.txt') && agent.book.isDoubted('b.txt')).toBe(true);
  });
});

describe('the same edit again and again', () => {
  it('is stopped after two failures, with one report to the person', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    for (let i = 0; i < 2; i++) expect((await agent.replace('a.txt', 'nowhere', 'x')).result).toBe('failed');
    for (let i = 0; i < 3; i++) {
      const stopped = await agent.replace('a.txt', 'nowhere', 'x');
      expect(stopped).toMatchObject({ result: 'refused', ran: false, isError: true });
      expect(stopped.text).toContain('not tried again');
    }
    expect(agent.world.events.filter(({ type }) => type === 'notice')).toHaveLength(1);
    expect(must(await agent.world.store.entries({}))).toEqual([]);
  });

  it('is stopped when a stale error is answered by the same edit without reading', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    const results: string[] = [];
    for (let i = 0; i < 5; i++) results.push((await agent.write('a.txt', 'mine\n')).result);
    expect(results).toEqual(['failed', 'failed', 'refused', 'refused', 'refused']);
    expect(agent.text('a.txt')).toBe(OLD);
  });

  it('is tried again when the file has changed or was read since', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    for (let i = 0; i < 3; i++) await agent.replace('a.txt', 'six', '6');
    agent.world.files.contents.set('a.txt', `${OLD}six\n`);
    expect(await agent.replace('a.txt', 'six', '6')).toMatchObject({ state: 'COMMITTED' });
  });

  it('does not stop another edit of the same file', async () => {
    const agent = new Agent({ 'a.txt': OLD });
    for (let i = 0; i < 3; i++) await agent.replace('a.txt', 'nowhere', 'x');
    expect(await agent.replace('a.txt', 'one', 'ONE')).toMatchObject({ state: 'COMMITTED' });
  });
});

describe('a generated file', () => {
  it('is asked about although the policy allows the edit, with the way to change it properly', async () => {
    const agent = new Agent({ 'package-lock.json': '{\n  "name": "a"\n}\n' }, 'deny');
    const outcome = await agent.replace('package-lock.json', '"a"', '"b"');
    expect(outcome).toMatchObject({ result: 'refused', ran: false, state: null });
    const way =
      'package-lock.json is a lock file that the package manager writes. Change the manifest and run `npm install`.';
    expect(agent.world.questions).toMatchObject([{ reasons: [way] }]);
    const header = '// Code generated by protoc. DO NOT EDIT.\n';
    agent.world.files.contents.set('api.pb.go', `${header}package api\n`);
    expect(await agent.replace('api.pb.go', 'package api', 'package b')).toMatchObject({ result: 'refused' });
    expect(agent.world.questions[1]?.reasons[0]).toBe(
      'api.pb.go is made by protoc. Edit api.proto and run the generator.',
    );
    expect(agent.text('api.pb.go')).toBe(`${header}package api\n`);
  });

  it('is edited once a person has said yes', async () => {
    const agent = new Agent({ 'package-lock.json': '{\n  "name": "a"\n}\n' });
    expect(await agent.replace('package-lock.json', '"a"', '"b"')).toMatchObject({ state: 'COMMITTED' });
    expect(agent.world.questions).toHaveLength(1);
  });
});
