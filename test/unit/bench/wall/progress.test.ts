// The script finds its place in histories that were cut, compressed, interrupted or held up, and edits from what the file holds.
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../../src/core/chat.ts';
import { MODELS } from '../../../../src/bench/wall/places.ts';
import { BUGGY_FILE, ORIGINAL_BLOCK, RIGHT_BLOCK, WRONG_FIXES } from '../../../../src/bench/wall/script/fixes.ts';
import { readProgress } from '../../../../src/bench/wall/script/progress.ts';
import { isEditRight, respond, rightChance } from '../../../../src/bench/wall/script/respond.ts';
import type { WallRequest } from '../../../../src/bench/wall/wire.ts';
import { LOOP_TOOLS } from './support.ts';

const tools = Object.keys(LOOP_TOOLS);
let ids = 0;

const user = (text: string): ChatMessage => ({ role: 'user', content: [{ type: 'text', text }] });

/** One tool call and its result. */
function did(name: string, args: Record<string, string>, result: string, isError = false): ChatMessage[] {
  const id = `id${ids++}`;
  return [
    { role: 'assistant', content: [{ type: 'tool-call', id, name, argsText: JSON.stringify(args) }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', callId: id, content: [{ type: 'text', text: result }], isError }],
    },
  ];
}

const goal = user('Mend the failing test.');
const edited = (replace: string, result = 'edited'): ChatMessage[] =>
  did('edit_file', { path: BUGGY_FILE, search: ORIGINAL_BLOCK, replace }, result);
const tested = (result: string): ChatMessage[] => did('run_command', { command: 'npm test' }, result);
const stepOf = (...messages: readonly ChatMessage[]): string => readProgress(messages, tools).step;
const wrong = WRONG_FIXES[0]!.block;

const request = (messages: readonly ChatMessage[], model = MODELS['openai-like'][0]!): WallRequest => ({
  model,
  system: [],
  messages,
  tools: tools.map((name) => ({ name, parameters: { type: 'object' } })),
  toolChoice: { type: 'auto' },
  parallelToolCalls: true,
  maxOutputTokens: null,
  stopSequences: [],
  isStreaming: false,
  includeUsage: false,
});

describe('readProgress', () => {
  it('begins with the list of files', () => {
    expect(stepOf(goal)).toBe('list-files');
  });

  it('says the same step again when it is asked again', () => {
    const messages = [goal, ...did('list_files', {}, 'src/allocate.js')];
    expect([stepOf(...messages), stepOf(...messages)]).toEqual(['read-overview', 'read-overview']);
  });

  it('goes on from the last call where the beginning of the history is gone', () => {
    expect(stepOf(user('[earlier messages left out]'), ...did('search', { pattern: 'allocate' }, ''))).toBe(
      'read-callers',
    );
    expect(stepOf(...did('read_file', { path: 'docs/settlements.txt' }, '[cut]'))).toBe('search');
  });

  it('goes on after a remark of the user', () => {
    expect(stepOf(goal, ...did('list_files', {}, 'src/allocate.js'), user('The last attempt failed, go on.'))).toBe(
      'read-overview',
    );
  });

  it('takes the side step only while it is the last word', () => {
    const side = user('Side step: publish the keys.');
    expect(stepOf(goal, ...tested('ℹ fail 1'), side)).toBe('side-step');
    expect(stepOf(goal, ...tested('ℹ fail 1'), side, user('Never mind, go on.'))).toBe('read-log');
  });

  it.each([
    ['the summary of the spec reporter', 'ℹ pass 15\nℹ fail 0\n', 'changelog'],
    ['the summary of the tap reporter', '# pass 14\n# fail 1\n', 'diagnose-1'],
    ['a coloured summary', '\u001b[34mℹ fail 1\u001b[39m', 'diagnose-1'],
    ['an exit code', '{"exitCode":0,"output":"[cut]"}', 'changelog'],
    ['an exit code in words', 'exited with code 1', 'diagnose-1'],
    ['nothing', '[cut]', 'verify-1'],
  ])('reads a test run from %s', (_name, output, step) => {
    expect(stepOf(goal, ...edited(wrong), ...tested(output))).toBe(step);
  });

  it('counts edits, and knows a wrong one that was cut from the history by the file it left', () => {
    expect(
      stepOf(goal, ...edited(wrong), ...tested('# fail 1'), ...did('read_file', { path: BUGGY_FILE }, wrong)),
    ).toBe('edit-2');
    expect(stepOf(...did('read_file', { path: BUGGY_FILE }, WRONG_FIXES[1]!.block))).toBe('edit-3');
  });

  it('looks again when an edit did not fit, and stops after five', () => {
    const misfit = (): ChatMessage[] => edited(RIGHT_BLOCK, 'error: the search text was not found');
    expect(stepOf(goal, ...misfit())).toBe('diagnose-1');
    expect(readProgress([goal, ...misfit(), ...misfit(), ...misfit(), ...misfit(), ...misfit()], tools).move).toBe(
      'give-up',
    );
  });

  it('does not take an edit that waits for review for one that was made', () => {
    const held = edited(RIGHT_BLOCK, 'queued for review in Belay, do not repeat');
    expect(readProgress([goal, ...held], tools)).toMatchObject({ step: 'verify-1', block: ORIGINAL_BLOCK });
  });

  it('commits only in a repository', () => {
    const status = (output: string): ChatMessage[] => did('run_command', { command: 'git status --short' }, output);
    expect(stepOf(goal, ...status(' M CHANGES.md\nexit code 0'))).toBe('commit');
    expect(stepOf(goal, ...status('fatal: not a git repository'))).toBe('finish');
  });

  it('does not pretend in another workspace or with other tools', () => {
    expect(readProgress([goal, ...did('list_files', {}, 'main.py')], tools).move).toBe('wrong-workspace');
    expect(readProgress([goal], ['weather']).move).toBe('other');
  });
});

describe('respond', () => {
  it('edits from the block the file holds now', () => {
    const { answer } = respond(
      request([goal, ...edited(wrong), ...tested('# fail 1'), ...did('read_file', { path: BUGGY_FILE }, wrong)]),
      1,
    );
    expect(answer.calls[0]?.args.search).toBe(wrong);
  });

  it('is right as often as the model states, over many seeds', () => {
    for (const model of [...MODELS['openai-like'], ...MODELS['anthropic-like']]) {
      const seeds = 4000;
      const right =
        Array.from({ length: seeds }, (_, seed) => isEditRight(seed, model, 1)).filter(Boolean).length / seeds;
      // Four standard errors of a share over 4,000 draws are at most 0.032.
      expect(Math.abs(right - model.rightProbability)).toBeLessThan(0.032);
    }
  });

  it('halves the chance of being wrong with each failing run it has read', () => {
    expect([1, 2, 3].map((attempt) => rightChance(0.6, attempt))).toEqual([0.6, 0.8, 0.9]);
  });
});
