// The tools of Belay's own agent, as its model calls them, on a workspace in memory.
import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../src/core/guard/policy.ts';
import type { Mode } from '../../../src/core/guard/policy.ts';
import { agentToolSpecs } from '../../../src/engine/agentToolSpecs.ts';
import { agentTools, type AgentTools, type ToolOutcome } from '../../../src/engine/agentTools.ts';
import type { Ports } from '../../../src/engine/ports.ts';
import { must } from '../../support/memoryEntries.ts';
import { context, memoryWorld, WORKSPACE, type MemoryWorld, type WorldOptions } from '../../support/memoryWorld.ts';
import { seededRandom } from '../../support/random.ts';
import { scriptedProvider } from '../../support/scriptedProvider.ts';

interface Agent {
  readonly world: MemoryWorld;
  readonly tools: AgentTools;
  readonly call: (name: string, args: unknown) => Promise<ToolOutcome>;
}

interface AgentOptions extends WorldOptions {
  readonly mode?: Mode;
  /** Paths that `.belayignore` keeps. */
  readonly ignored?: readonly string[];
}

function agent({ mode = 'balanced', ignored = [], ...options }: AgentOptions): Agent {
  const world = memoryWorld(options);
  const ports: Ports = {
    ...world.ports,
    random: seededRandom(1),
    provider: scriptedProvider(world.clock, {}),
    events: { emit: () => undefined },
    ignore: {
      isActive: () => Promise.resolve(ignored.length > 0),
      ignored: (words) =>
        Promise.resolve({ words: new Set(words.filter((word) => ignored.includes(word))), unreadable: [] }),
    },
  };
  const limits = { timeoutMs: 1000, outputLimitBytes: 1000, env: {} };
  const tools = agentTools({ ports, workspace: WORKSPACE, policy: parsePolicy({ mode }), ...limits });
  let step = 0;
  const scope = (): Parameters<AgentTools['execute']>[1] => ({
    context: { ...context, step: ++step },
    ids: {},
    emit: (body) => world.events.push(body),
    signal: new AbortController().signal,
  });
  const call: Agent['call'] = (name, args) => {
    const argsText = typeof args === 'string' ? args : JSON.stringify(args);
    return tools.execute({ type: 'tool-call', id: `call-${step}`, name, argsText }, scope());
  };
  return { world, tools, call };
}

const PATCH = `*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+TWO
*** Add File: new/b.txt
+made
*** Delete File: c.txt
*** End Patch`;

describe('the tools of the agent', () => {
  it('read a file, whole or in part, and say that there is none', async () => {
    const { call } = agent({ files: { 'a.txt': 'one\ntwo\nthree' } });
    expect((await call('read_file', { path: 'a.txt' })).text).toBe('one\ntwo\nthree');
    expect((await call('read_file', { path: 'a.txt', from_line: 2, to_line: 2 })).text).toBe('two');
    expect((await call('read_file', { path: 'a.txt', from_line: '3' })).text).toBe('three');
    expect(await call('read_file', { path: 'a.txt', from_line: 9 })).toMatchObject({ isError: true });
    expect((await call('read_file', { path: 'none.txt' })).text).toContain('there is no file none.txt');
  });

  it('edit one place, several places, and every place of a file', async () => {
    const { call, world } = agent({ files: { 'a.txt': 'one\ntwo\none\n' } });
    expect(await call('edit_file', { path: 'a.txt', search: 'two', replace: '2' })).toMatchObject({
      effect: 'edit',
      isError: false,
    });
    const edits = [
      { search: 'one', replace: '1', all: true },
      { search: '2', replace: 'zwei' },
    ];
    expect(await call('edit_file', { path: 'a.txt', edits })).toMatchObject({ isError: false });
    expect(world.files.contents.get('a.txt')).toBe('1\nzwei\n1\n');
  });

  it('make none of several edits of a file when one has no place', async () => {
    const { call, world } = agent({ files: { 'a.txt': 'one\ntwo\n' } });
    const edits = [
      { search: 'one', replace: '1' },
      { search: 'nowhere', replace: 'x' },
    ];
    const outcome = await call('edit_file', { path: 'a.txt', edits });
    expect(outcome).toMatchObject({ isError: true });
    expect(outcome.text).toContain('part 1 would be applied');
    expect(outcome.text).toContain('part 2 is not to be found');
    expect(world.files.contents.get('a.txt')).toBe('one\ntwo\n');
  });

  it('write a new file at once, an existing one after it was read whole', async () => {
    const long = 'x\n'.repeat(50_000);
    const { call, world } = agent({ files: { 'a.txt': 'one\ntwo\n', 'long.txt': long } });
    expect(await call('write_file', { path: 'new.txt', content: 'hi\n' })).toMatchObject({ isError: false });
    expect(await call('write_file', { path: 'new.txt', content: '' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('allowEmpty: true') as string,
    });
    expect(await call('write_file', { path: 'new.txt', content: '', allowEmpty: false })).toMatchObject({
      isError: true,
    });
    expect(await call('write_file', { path: 'new.txt', content: '', allowEmpty: true })).toMatchObject({
      isError: false,
    });
    expect(await call('write_file', { path: 'a.txt', content: 'mine\n' })).toMatchObject({ isError: true });
    await call('read_file', { path: 'a.txt', from_line: 1, to_line: 1 });
    expect(await call('write_file', { path: 'a.txt', content: 'mine!\n' })).toMatchObject({ isError: true });
    await call('read_file', { path: './a.txt' });
    expect(await call('write_file', { path: 'a.txt', content: 'mine\n' })).toMatchObject({ isError: false });
    expect(world.files.contents.get('a.txt')).toBe('mine\n');
    await call('read_file', { path: 'long.txt' });
    expect(await call('write_file', { path: 'long.txt', content: 'short\n' })).toMatchObject({ isError: true });
    expect(world.files.contents.get('long.txt')).toBe(long);
  });

  it('apply a patch of several files as one entry, after a person has allowed its deletion', async () => {
    const { call, world } = agent({ files: { 'a.txt': 'one\ntwo\n', 'c.txt': 'three\n' }, mode: 'autonomous' });
    expect(await call('apply_patch', { patch: PATCH })).toMatchObject({ isError: false, effect: 'edit' });
    expect(world.questions).toMatchObject([{ level: 'R3', targets: ['a.txt', 'new/b.txt', 'c.txt'] }]);
    expect(world.files.contents.keys()).toEqual(['a.txt', 'new/b.txt']);
    expect(world.files.contents.get('a.txt')).toBe('one\nTWO\n');
    expect(must(await world.store.entries({}))).toMatchObject([{ tool: 'apply_patch', level: 'R3' }]);
  });

  it('refuse a patch that is damaged or in no known form, and change nothing', async () => {
    const { call, world } = agent({ files: { 'a.txt': 'one\ntwo\n', 'c.txt': 'three\n' } });
    for (const patch of [PATCH.replace('*** End Patch', ''), 'please change a.txt', PATCH.replace('-two', '-zwei')]) {
      expect(await call('apply_patch', { patch })).toMatchObject({ isError: true });
    }
    expect(world.files.contents.keys()).toEqual(['a.txt', 'c.txt']);
    expect(world.files.contents.get('a.txt')).toBe('one\ntwo\n');
    expect(world.questions).toEqual([]);
  });

  it('ask before they delete, in every mode, and move without a question where edits need none', async () => {
    for (const mode of ['careful', 'balanced', 'autonomous'] as const) {
      const { call, world } = agent({ files: { 'a.txt': 'one\n' }, mode, answer: 'deny' });
      expect(await call('delete_file', { path: 'a.txt' })).toMatchObject({ isError: true });
      expect(world.questions).toMatchObject([{ level: 'R3' }]);
      expect(world.questions[0]!.reasons.join(' ')).toContain('can be undone');
      expect(world.files.contents.has('a.txt')).toBe(true);
    }
    const { call, world } = agent({ files: { 'a.txt': 'one\n' } });
    expect(await call('move_file', { path: 'a.txt', to: 'b/a.txt' })).toMatchObject({ isError: false });
    expect(world.files.contents.keys()).toEqual(['b/a.txt']);
    expect(world.questions).toEqual([]);
  });

  it('ask about an argument that the tool does not have', async () => {
    const { call, world } = agent({ files: { 'a.txt': 'one\n' }, answer: 'deny' });
    const args = { path: 'a.txt', search: 'one', replace: '1', force: true };
    expect(await call('edit_file', args)).toMatchObject({ isError: true });
    expect(world.questions).toMatchObject([{ level: 'R3' }]);
    expect(world.questions[0]!.reasons.join(' ')).toContain('no argument force');
  });

  it('judge a file by the name it has on the disk, too', async () => {
    const { call, world } = agent({ files: { '.vscode/settings.json': '{}\n', 'a.txt': 'one\n' }, answer: 'deny' });
    world.files.links.set('docs', '.vscode');
    const args = { path: 'docs/settings.json', search: '{}', replace: '{"a":1}' };
    expect(await call('edit_file', args)).toMatchObject({ isError: true });
    expect(world.questions).toMatchObject([{ level: 'R3' }]);
    expect(world.files.contents.get('.vscode/settings.json')).toBe('{}\n');
  });

  it('leave alone what .belayignore keeps, under every name and in every tool', async () => {
    const { call, world } = agent({ files: { 'kept.txt': 'one\n' }, ignored: ['kept.txt'] });
    world.files.links.set('link.txt', 'kept.txt');
    const calls: readonly (readonly [string, unknown])[] = [
      ['read_file', { path: 'kept.txt' }],
      ['read_file', { path: 'link.txt' }],
      ['edit_file', { path: './kept.txt', search: 'one', replace: '1' }],
      ['write_file', { path: 'kept.txt', content: 'x' }],
      ['delete_file', { path: 'link.txt' }],
      ['move_file', { path: 'kept.txt', to: 'a.txt' }],
      ['apply_patch', { patch: PATCH.replace('a.txt', 'kept.txt') }],
    ];
    for (const [name, args] of calls) expect((await call(name, args)).text, name).toContain('kept from you');
    expect(world.files.contents.keys()).toEqual(['kept.txt']);
    expect(world.questions).toEqual([]);
  });

  it('tell the agent that its own command may have changed a file', async () => {
    const { call, world } = agent({ files: { 'a.txt': 'one\ntwo\n' }, mode: 'autonomous' });
    await call('read_file', { path: 'a.txt' });
    await call('run_command', { command: 'echo three >> a.txt' });
    expect(world.files.contents.get('a.txt')).toBe('one\ntwo\nthree\n');
    const outcome = await call('write_file', { path: 'a.txt', content: 'ONE\ntwo\n' });
    expect(outcome).toMatchObject({ isError: false });
    expect(outcome.text).toContain('echo three >> a.txt');
    expect(world.files.contents.get('a.txt')).toBe('ONE\ntwo\nthree\n');
  });

  it('keep no copy of a file of secrets that was only read', async () => {
    const { call, world } = agent({ files: { '.env': 'KEY=1\n', 'a.txt': 'one\n' } });
    await call('read_file', { path: '.env' });
    await call('read_file', { path: 'a.txt' });
    expect([...world.files.before.values()].map((bytes) => Buffer.from(bytes).toString())).toEqual(['one\n']);
  });

  it.each([
    ['a tool that there is not', 'delete_everything', {}],
    ['arguments that are no JSON', 'edit_file', '{"path": "a.txt", "sea'],
    ['arguments that are no object', 'read_file', '[1]'],
    ['an edit without a path', 'edit_file', { search: 'one', replace: '1' }],
    ['an edit without a place', 'edit_file', { path: 'a.txt' }],
    ['a search without its replacement', 'edit_file', { path: 'a.txt', search: 'one' }],
    ['a text where a path is wanted', 'write_file', { path: 3, content: 'x' }],
    ['a file without its text', 'write_file', { path: 'b.txt' }],
    ['a move to nowhere', 'move_file', { path: 'a.txt' }],
    ['an empty patch', 'apply_patch', { patch: '' }],
    ['a line that is no number', 'read_file', { path: 'a.txt', from_line: 'x' }],
    ['no command', 'run_command', {}],
  ])('answer %s with an error and do nothing', async (_what, name, args) => {
    const { call, world } = agent({ files: { 'a.txt': 'one\n' } });
    expect(await call(name, args)).toMatchObject({ isError: true, isFinish: false });
    expect(world.files.contents.keys()).toEqual(['a.txt']);
    expect(world.files.contents.get('a.txt')).toBe('one\n');
    expect(must(await world.store.entries({}))).toEqual([]);
  });

  it('are all offered to the model, and every offered one is known', async () => {
    const { call } = agent({ files: {} });
    for (const { name } of agentToolSpecs) {
      const { text } = await call(name, {});
      expect(text, name).not.toContain('there is no tool');
    }
  });
});
