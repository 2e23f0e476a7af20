import { describe, expect, it } from 'vitest';
import { readBook, type ReadBook } from '../../../src/engine/readBook.ts';
import { memoryFiles } from '../../support/memoryFiles.ts';
import type { MemoryFiles } from '../../support/memoryFiles.ts';
import { must } from '../../support/memoryEntries.ts';

const WHOLE = { isWhole: true, mayKeep: true };

async function saw(book: ReadBook, files: MemoryFiles, path: string, shown = WHOLE): Promise<void> {
  await book.saw(path, must(await files.read(path)), shown);
}

describe('the read book', () => {
  it('remembers the hash of what was seen, and its text as a before-image', async () => {
    const files = memoryFiles({ 'a.txt': 'one\n' });
    const book = readBook(files);
    expect(book.seen('a.txt')).toBeUndefined();
    await saw(book, files, 'a.txt');
    const { hash } = must(await files.read('a.txt'));
    files.contents.set('a.txt', 'two\n');
    expect(book.seen('a.txt')).toBe(hash);
    expect(await book.base('a.txt')).toBe('one\n');
    expect(files.before.size).toBe(1);
  });

  it('knows no text of a file that was seen in part, that may not be kept, or whose image is gone', async () => {
    const files = memoryFiles({ 'part.txt': 'one\n', '.env': 'KEY=1\n', 'gone.txt': 'three\n' });
    const book = readBook(files);
    await saw(book, files, 'part.txt', { isWhole: false, mayKeep: true });
    await saw(book, files, '.env', { isWhole: true, mayKeep: false });
    await saw(book, files, 'gone.txt');
    await files.sweepImages(new Set());
    expect(book.seen('part.txt')).toBeUndefined();
    expect(files.before.size).toBe(0);
    expect(await book.base('part.txt')).toBeNull();
    expect(await book.base('.env')).toBeNull();
    expect(await book.base('gone.txt')).toBeNull();
    expect(book.seen('.env')).toBe(must(await files.read('.env')).hash);
  });

  it('keeps the text of an unsaved buffer in memory, since no image of it can be made', async () => {
    const files = memoryFiles({ 'a.txt': 'on the disk\n' });
    files.buffers.set('a.txt', { text: 'being typed\n', version: 3 });
    const book = readBook(files);
    await saw(book, files, 'a.txt');
    expect(await book.base('a.txt')).toBe('being typed\n');
  });

  it('follows an edit only where the agent knows the whole new text', async () => {
    const files = memoryFiles({ 'a.txt': 'one\n' });
    const book = readBook(files);
    await saw(book, files, 'a.txt');
    const seen = book.seen('a.txt') ?? '';
    await book.changed({ path: 'a.txt', beforeHash: 'another', afterHash: 'new' }, false);
    expect(book.seen('a.txt')).toBe(seen);
    await book.changed({ path: 'a.txt', beforeHash: seen, afterHash: 'new' }, false);
    expect(book.seen('a.txt')).toBe('new');
    await book.changed({ path: 'b.txt', beforeHash: null, afterHash: 'made' }, true);
    expect(book.seen('b.txt')).toBe('made');
  });

  it('lifts a doubt by a fresh read, of a part as well', async () => {
    const files = memoryFiles({ 'a.txt': 'one\n' });
    const book = readBook(files);
    book.doubt('a.txt');
    expect(book.isDoubted('a.txt')).toBe(true);
    expect(book.isDoubted('b.txt')).toBe(false);
    await saw(book, files, 'a.txt', { isWhole: false, mayKeep: true });
    expect(book.isDoubted('a.txt')).toBe(false);
  });

  it('suspects the agent itself only after it has run a command', async () => {
    const files = memoryFiles({ 'a.txt': 'one\n' });
    const book = readBook(files);
    await saw(book, files, 'a.txt');
    expect(book.suspect('a.txt')).toBe('by somebody else');
    book.ran('npm run format');
    expect(book.suspect('a.txt')).toContain('npm run format');
    await saw(book, files, 'a.txt');
    expect(book.suspect('a.txt')).toBe('by somebody else');
  });

  it('stops the same failure after two, and counts anew when something has changed', () => {
    const book = readBook(memoryFiles());
    expect(book.spent('edit', 'as it is')).toBeNull();
    expect(book.failed('edit', 'as it is', 'not there')).toBe(1);
    expect(book.spent('edit', 'as it is')).toBeNull();
    expect(book.failed('edit', 'as it is', 'not there')).toBe(2);
    expect(book.spent('edit', 'as it is')).toBe('not there');
    expect(book.spent('edit', 'read again')).toBeNull();
    expect(book.failed('edit', 'read again', 'not there')).toBe(1);
    expect(book.spent('other', 'as it is')).toBeNull();
  });

  it('forgets the oldest files and counts them as never seen', async () => {
    const files = memoryFiles({ 'a.txt': 'one\n' });
    const book = readBook(files);
    const state = must(await files.read('a.txt'));
    for (let i = 0; i < 2001; i++) await book.saw(`${i}.txt`, state, { isWhole: true, mayKeep: false });
    expect(book.seen('0.txt')).toBeUndefined();
    expect(book.seen('1.txt')).toBe(state.hash);
  });

  it('doubts every file when it can take no more doubts', () => {
    const book = readBook(memoryFiles());
    for (let i = 0; i < 2000; i++) book.doubt(`${i}.txt`);
    expect(book.isDoubted('another.txt')).toBe(true);
  });
});
