// What a wall model answers. The same conversation always gets the same words from the same model, wherever it is served.
// The one thing that differs between models is how often the edit is right: drawn from seed, model and number of the edit.
import type { ScriptAnswer } from '../answer.ts';
import { draw } from '../draw.ts';
import type { WallRequest } from '../wire.ts';
import { BUGGY_FILE, RIGHT_BLOCK, RIGHT_REASON, WRONG_FIXES } from './fixes.ts';
import { plainAnswer } from './plainAnswer.ts';
import { readProgress, type Move, type Progress } from './progress.ts';

type Call = ScriptAnswer['calls'][number];

/** The answer of the script to a request, and the step it is for. */
export interface Scripted {
  readonly step: string;
  readonly answer: ScriptAnswer;
}

/** Plays the script. `seed` fixes which edits are right. */
export function respond(request: WallRequest, seed: number): Scripted {
  const progress = readProgress(
    request.messages,
    request.tools.map((tool) => tool.name),
  );
  const scripted =
    progress.move !== 'other' && !isForcedAway(request)
      ? lineFor(progress.move, progress, request, seed)
      : plainAnswer(request);
  return { step: progress.step, answer: afterPrefill(inOrder(scripted, request), request) };
}

/**
 * Chance that edit number `attempt` is right: the model's stated probability at first, and with each failing test run it has
 * read the chance of being wrong halves. For .6: .6, .8, .9.
 */
export function rightChance(rightProbability: number, attempt: number): number {
  return 1 - (1 - rightProbability) / 2 ** (attempt - 1);
}

/** Whether edit number `attempt` of a model is right under a seed. */
export function isEditRight(
  seed: number,
  model: { readonly name: string; readonly rightProbability: number },
  attempt: number,
): boolean {
  return draw(seed, model.name, 'edit', attempt) < rightChance(model.rightProbability, attempt);
}

const read = (path: string): Call => ({ name: 'read_file', args: { path } });
const run = (command: string): Call => ({ name: 'run_command', args: { command } });
const say = (text: string, ...calls: readonly Call[]): ScriptAnswer => ({ text, calls, refusal: null });

/** Lines that depend on nothing but the move. */
const FIXED_LINES: Readonly<Record<Exclude<Move, 'edit' | 'verify' | 'other'>, ScriptAnswer>> = {
  'list-files': say("I'll look at what is in the workspace first.", { name: 'list_files', args: {} }),
  'read-overview': say(
    'A small library. The README and the manifest tell me its rules and how it is tested.',
    read('README.md'),
    read('package.json'),
  ),
  'read-tests': say('The rule about refunds is explicit. Now the test that fails.', read('test/allocate.test.js')),
  'read-source': say(
    'The test expects a refund to mirror its charge. Here is the code under test and the money type it builds on.',
    read(BUGGY_FILE),
    read('src/money.js'),
  ),
  'run-tests': say('Before I change anything I want to see the failure myself.', run('npm test')),
  'read-log': say(
    'It fails as described. The settlement log should show how often this happens in practice.',
    read('docs/settlements.txt'),
  ),
  search: say('Only refunds drift, and always by less than the number of shares. Who depends on this function?', {
    name: 'search',
    args: { pattern: 'allocate' },
  }),
  'read-callers': say(
    'Discounts and refunds both come through here, so I read the callers before touching it.',
    read('src/invoice.js'),
    read('test/invoice.test.js'),
  ),
  diagnose: say(
    'Not good yet. I look at the file as it is now and at what the test wants.',
    read(BUGGY_FILE),
    read('test/allocate.test.js'),
  ),
  changelog: say(
    'All tests pass. This changes what users get, so it belongs in the change list.',
    run("printf '%s\\n' '- fixed: a refund is split like its charge, without losing a cent' >> CHANGES.md"),
  ),
  review: say('Let me see what I have changed.', run('git status --short')),
  commit: say(
    'Exactly the two files I meant. I commit them.',
    run("git add -A && git commit -m 'Split a refund like its charge'"),
  ),
  finish: say('Done.', {
    name: 'finish',
    args: {
      summary:
        'allocate lost the left-over units of amounts below zero. It now hands them out in the direction of the amount, so a refund mirrors its charge. All tests pass; CHANGES.md has a line about it.',
    },
  }),
  'give-up': say('I have tried several ideas and the test still fails. I stop here rather than guess on.', {
    name: 'finish',
    args: {
      summary:
        'Not mended: the refund test still fails after several edits. The left-over units of amounts below zero are the cause; a person should look at allocate.',
    },
  }),
  'wrong-workspace': say('This is not the price-book sample, and that is all I know.', {
    name: 'finish',
    args: {
      summary: 'Nothing done: the scripted model only knows the price-book sample, and this workspace is another one.',
    },
  }),
  'side-step': { text: '', calls: [], refusal: "I can't help with that request." },
};

function lineFor(move: Exclude<Move, 'other'>, progress: Progress, request: WallRequest, seed: number): ScriptAnswer {
  if (move === 'verify')
    return say(progress.attempt === 1 ? 'Now the whole suite.' : 'And the whole suite again.', run('npm test'));
  return move === 'edit' ? editLine(progress, request, seed) : FIXED_LINES[move];
}

function editLine({ attempt, block }: Progress, request: WallRequest, seed: number): ScriptAnswer {
  const idea = [0, 1]
    .map((next) => WRONG_FIXES[(attempt - 1 + next) % WRONG_FIXES.length])
    .find((fix) => fix?.block !== block);
  const isRight = !idea || isEditRight(seed, request.model, attempt);
  const reason = isRight ? RIGHT_REASON : idea.reason;
  const replace = isRight ? RIGHT_BLOCK : idea.block;
  return say(reason, { name: 'edit_file', args: { path: BUGGY_FILE, search: block, replace } });
}

/** Whether the caller's tool choice rules out the script's calls. */
function isForcedAway(request: WallRequest): boolean {
  return request.toolChoice.type === 'none' || request.toolChoice.type === 'tool';
}

/** One call at a time where the caller asks for that; the next request simply gets the rest of the story. */
function inOrder(answer: ScriptAnswer, request: WallRequest): ScriptAnswer {
  return request.parallelToolCalls ? answer : { ...answer, calls: answer.calls.slice(0, 1) };
}

/** Where the model takes the beginning of its own answer, it goes on from there. */
function afterPrefill(answer: ScriptAnswer, request: WallRequest): ScriptAnswer {
  const last = request.messages.at(-1);
  if (!request.model.acceptsPrefill || last?.role !== 'assistant') return answer;
  const begun = last.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return answer.text.startsWith(begun) ? { ...answer, text: answer.text.slice(begun.length) } : answer;
}
