// Which step of the script a conversation has reached. The last calls decide; what came before only counts edits, so a history
// whose beginning was cut away still goes on, and one that lost its end is worked again (reading twice harms nobody).
import type { ChatMessage } from '../../../core/chat.ts';
import { deedsOf, editVerdict, testVerdict, type Deed } from './deeds.ts';
import { blockIn, BUGGY_FILE, ORIGINAL_BLOCK, RIGHT_BLOCK, wrongIndex } from './fixes.ts';
import { EDIT_LIMIT, OTHER_STEP, SIDE_STEP, SIDE_STEP_MARK } from './steps.ts';

/** Tools a client must offer for the script to be played. */
const NEEDED_TOOLS = ['list_files', 'read_file', 'edit_file', 'run_command', 'finish'] as const;

/** What the model does next, in the words of the script. */
export type Move =
  | 'list-files'
  | 'read-overview'
  | 'read-tests'
  | 'read-source'
  | 'run-tests'
  | 'read-log'
  | 'search'
  | 'read-callers'
  | 'diagnose'
  | 'edit'
  | 'verify'
  | 'changelog'
  | 'review'
  | 'commit'
  | 'finish'
  | 'give-up'
  | 'wrong-workspace'
  | 'side-step'
  | 'other';

export interface Progress {
  readonly move: Move;
  /** The step's name in the schedule; edits, verifications and diagnoses carry their number. */
  readonly step: string;
  /** Number (from 1) of the edit that is next or was last. */
  readonly attempt: number;
  /** The block the buggy file holds now, as far as the conversation shows. */
  readonly block: string;
}

/** The step of a conversation. `tools` are the names the client offers. */
export function readProgress(messages: readonly ChatMessage[], tools: readonly string[]): Progress {
  const last = messages.at(-1);
  const spoken = last?.role === 'user' ? last.content.findLast((part) => part.type === 'text') : undefined;
  const blank = { attempt: 1, block: ORIGINAL_BLOCK };
  if (spoken?.text.trimStart().startsWith(SIDE_STEP_MARK)) return { move: 'side-step', step: SIDE_STEP, ...blank };
  if (!NEEDED_TOOLS.every((tool) => tools.includes(tool))) return { move: 'other', step: OTHER_STEP, ...blank };

  const deeds = deedsOf(messages);
  const block = currentBlock(deeds);
  const edits = deeds.filter((deed) => deed.tool === 'edit_file').length;
  const made = Math.max(edits, wrongIndex(block) + 1);
  const move = nextMove(deeds, made, block);
  const attempt = move === 'edit' ? made + 1 : Math.max(1, made);
  return { move, step: stepName(move, attempt), attempt, block };
}

function stepName(move: Move, attempt: number): string {
  if (move === 'edit' || move === 'verify' || move === 'diagnose') return `${move}-${attempt}`;
  if (move === 'give-up' || move === 'wrong-workspace') return 'finish';
  return move === 'other' ? OTHER_STEP : move;
}

/** The newest evidence wins: a read of the file, or an edit that was made. */
function currentBlock(deeds: readonly Deed[]): string {
  for (const deed of deeds.toReversed()) {
    if (deed.tool === 'edit_file' && editVerdict(deed) === 'made') {
      const block = blockIn(deed.replace);
      if (block !== null) return block;
    }
    if (deed.tool === 'read_file' && deed.path.endsWith(BUGGY_FILE)) {
      const block = blockIn(deed.result);
      if (block !== null) return block;
    }
  }
  return ORIGINAL_BLOCK;
}

function nextMove(deeds: readonly Deed[], editsMade: number, block: string): Move {
  const turn = deeds.at(-1)?.turn;
  const batch = deeds.filter((deed) => deed.turn === turn);
  const [first] = batch;
  if (!first) return 'list-files';
  switch (first.tool) {
    case 'list_files':
      return first.isError || first.result.includes('allocate') ? 'read-overview' : 'wrong-workspace';
    case 'read_file':
      return afterRead(first.path, editsMade, block);
    case 'search':
      return 'read-callers';
    case 'edit_file':
      return afterEdit(first, editsMade);
    case 'run_command':
      return afterCommand(first, deeds, editsMade);
    case 'finish':
      return 'other';
    default:
      return 'list-files';
  }
}

function afterRead(path: string, editsMade: number, block: string): Move {
  if (path.endsWith('README.md') || path.endsWith('package.json')) return 'read-tests';
  if (path.includes('docs/')) return 'search';
  const toMend: Move = block === RIGHT_BLOCK ? 'verify' : 'edit';
  if (path.endsWith(BUGGY_FILE)) return editsMade > 0 ? toMend : 'run-tests';
  if (path.includes('test/')) return editsMade > 0 ? toMend : 'read-source';
  return toMend;
}

function afterEdit(edit: Deed, editsMade: number): Move {
  if (editVerdict(edit) === 'not-found') return editsMade >= EDIT_LIMIT ? 'give-up' : 'diagnose';
  return 'verify';
}

function afterCommand(deed: Deed, deeds: readonly Deed[], editsMade: number): Move {
  if (deed.command.includes('CHANGES.md')) return 'review';
  if (/\bgit (add|commit)\b/.test(deed.command)) return 'finish';
  if (/\bgit (status|diff)\b/.test(deed.command)) return isRepository(deed) ? 'commit' : 'finish';
  const verdict = testVerdict(deed);
  if (verdict === 'passed') return 'changelog';
  if (editsMade === 0) return 'read-log';
  if (verdict === 'unknown') return repeatedRuns(deeds) >= 2 ? 'diagnose' : 'verify';
  return editsMade >= EDIT_LIMIT ? 'give-up' : 'diagnose';
}

function isRepository(status: Deed): boolean {
  return !status.isError && !/not a git repository|not found|no such file|denied|refused/i.test(status.result);
}

/** Test runs at the end of the history without anything between them. */
function repeatedRuns(deeds: readonly Deed[]): number {
  const other = deeds.toReversed().findIndex((deed) => deed.tool !== 'run_command');
  return other < 0 ? deeds.length : other;
}
