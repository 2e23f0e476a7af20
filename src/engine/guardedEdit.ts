// One guarded search/replace edit: exactly one place, before-image kept, PREPARED on the disk before the write,
// compare-and-swap on the hash of what was read, hashes as evidence (DESIGN, The way one command goes, and semantics 3).
// A text that is already there is a success without a write; a text that is not found leaves the bytes alone.
import type { RequestContext } from '../core/context.ts';
import { matchEdit } from '../core/ledger/editMatch.ts';
import type { EditMatch } from '../core/ledger/editMatch.ts';
import type { EffectIds, EffectLevel, EntryState, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import { canonicalText, sha256Hex } from '../core/ledger/key.ts';
import { RESULT_OF, stateSentence } from '../core/ledger/outcomeText.ts';
import type { EffectResult } from '../core/ledger/outcomeText.ts';
import { editBaseline } from '../core/ledger/probes.ts';
import type { Move } from '../core/ledger/reconcile.ts';
import { redactSecrets } from '../core/ledger/redact.ts';
import { moveEntry, prepareEntry } from './effectEntry.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import { makeEffect } from './effectFlow.ts';
import { hasArguments, keyOf } from './effectKey.ts';
import type { Action } from './effectKey.ts';
import type { Attempt, FlowEnd, Judgement } from './effectFlow.ts';
import type { Answer, FileState } from './ports.ts';

export interface GuardedEditInput {
  readonly context: RequestContext;
  /** The tool-use id, where one identifies the action (DESIGN 4); see `GuardedCommandInput.toolCall`. */
  readonly toolCall?: string;
  /** Where it was asked for; goes into the row, not into the key. */
  readonly ids?: Partial<Omit<EffectIds, 'client'>>;
  /** Name of the tool in the ledger. Default `edit`. */
  readonly tool?: string;
  /** Relative to the workspace. */
  readonly path: string;
  /** Text that must be there exactly once; empty to fill a file that is missing or empty. */
  readonly search: string;
  readonly replace: string;
  readonly judgement: Judgement;
  /** As assessed; default R2. A file that will be run or read as settings later is R3. */
  readonly level?: EffectLevel;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly redact?: (text: string) => string;
}

export interface EditOutcome {
  readonly key: string;
  readonly level: EffectLevel;
  /** State of the ledger entry; null when none was needed or made. */
  readonly state: EntryState | null;
  readonly result: EffectResult;
  /** Whether this request changed the file. */
  readonly ran: boolean;
  /** SHA-256 of the file before and after, where it was changed now or by the stored entry. */
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  readonly reason: string;
  /** For the agent. */
  readonly text: string;
  /** True unless the file has the new text. */
  readonly isError: boolean;
}

/** An edit of a text file can be checked by its hashes, so it is R2. */
const DEFAULT_LEVEL: EffectLevel = 'R2';

interface Ran {
  readonly line: number;
  /** The file port has confirmed the write. */
  readonly isWritten: boolean;
}

/** Makes an edit at most once for its key. Resolves always; rejects only for a bug. */
export async function applyGuardedEdit(ports: EffectPorts, input: GuardedEditInput): Promise<EditOutcome> {
  const { path, search, replace } = input;
  if (![path, search, replace].every((text) => text.isWellFormed())) {
    return refusal({ key: '', level: 'R3' }, null, `the edit of a file is not valid Unicode; send valid text`);
  }
  const intent = intentOf(ports, input);
  const end = await makeEffect<Ran>(ports, {
    intent,
    isSame: hasArguments(actionOf(input), intent.argsText),
    context: input.context,
    judgement: input.judgement,
    question: { kind: 'edit', reasons: input.judgement.reasons ?? [], targets: [path] },
    signal: input.signal,
    emit: input.emit,
    check: async () => {
      const found = await locate(ports, input);
      return found.kind === 'place' ? null : found;
    },
    attempt: (previous, approved) => attemptEdit(ports, input, intent, previous, approved),
  });
  return outcomeOf(intent, path, end);
}

function actionOf({ context, toolCall, tool = 'edit', path, search, replace }: GuardedEditInput): Action {
  return { context, toolCall, tool, args: { path, search, replace } };
}

function intentOf(ports: EffectPorts, input: GuardedEditInput): Intent {
  const { context, toolCall, search, replace, redact = redactSecrets } = input;
  const { tenant, task, step } = context;
  const action = actionOf(input);
  const path = redact(input.path).toWellFormed();
  return {
    key: keyOf(action),
    tenant,
    ids: { client: context.client, call: null, attempt: null, toolCall: toolCall ?? null, ...input.ids },
    task,
    step,
    tool: action.tool,
    level: input.level ?? DEFAULT_LEVEL,
    argsText: canonicalText({ path, search: storedText(search, redact), replace: storedText(replace, redact) }),
    title: `edit ${path}`,
    paths: [path],
    preparedAtMs: ports.clock.nowMs(),
    owner: null,
    probe: null,
  };
}

const STORED_CHARS = 2000;

/** Long texts are stored by their hash: the ledger proves what was done, the before-image keeps what was there. */
function storedText(text: string, redact: (text: string) => string): unknown {
  return text.length <= STORED_CHARS ? redact(text).toWellFormed() : { sha256: sha256Hex(text), chars: text.length };
}

type Located =
  | { readonly kind: 'place'; readonly file: FileState; readonly text: string; readonly line: number }
  | { readonly kind: 'impossible' | 'needless'; readonly reason: string };

/** Where the edit goes in the file as it is now. */
async function locate(ports: EffectPorts, { path, search, replace }: GuardedEditInput): Promise<Located> {
  const file = await ports.files.read(path);
  if (!file.ok) return { kind: 'impossible', reason: file.error };
  if (!file.value.exists && search !== '') {
    return {
      kind: 'impossible',
      reason: `${path} does not exist. Check the path, or leave the search text empty to make the file.`,
    };
  }
  if (file.value.text !== '' && search === '') {
    return {
      kind: 'impossible',
      reason: `${path} is not empty, so an edit needs the text to replace. Name it exactly.`,
    };
  }
  const match = matchEdit(file.value.text, search, replace);
  if (match.kind === 'single') return { kind: 'place', file: file.value, text: match.text, line: match.line };
  if (match.kind === 'already-applied') {
    return { kind: 'needless', reason: `${path} already has the new text (line ${match.line}); nothing was written.` };
  }
  return { kind: 'impossible', reason: mismatch(path, match) };
}

function mismatch(path: string, match: Extract<EditMatch, { kind: 'none' | 'several' }>): string {
  if (match.kind === 'several') {
    return `The text to replace occurs ${match.count} times in ${path} (lines ${match.lines.slice(0, 20).join(', ')}). Add lines around it until it is unique.`;
  }
  const { nearest } = match;
  if (!nearest) return `The text to replace is not in ${path}, nor anything like it. Read the file again.`;
  return `The text to replace is not in ${path}. Nearest is line ${nearest.line}:\n${nearest.excerpt}\nUse that text exactly, with its white space.`;
}

async function attemptEdit(
  ports: EffectPorts,
  input: GuardedEditInput,
  intent: Intent,
  previous: LedgerEntry | null,
  approved: Answer | null,
): Promise<Attempt<Ran>> {
  const { path, emit } = input;
  const impossible = (reason: string): Attempt<Ran> => ({ kind: 'impossible', reason, entry: previous });
  const place = await locate(ports, input);
  if (place.kind !== 'place') return { ...place, entry: previous };
  const { file, text, line } = place;
  const saved = await ports.files.saveBefore(path);
  if (!saved.ok) return impossible(`What ${path} holds now could not be kept for undo: ${saved.error}`);
  if (saved.value !== file.hash) return impossible(`${path} was changed by somebody else just now. Read it again.`);
  const owner = { ...(await ports.command.self()), childPid: null, childStartedAt: null };
  // A path that holds a secret is not stored, and so has no probe.
  const probe = intent.paths.includes(path) ? editBaseline(path, file.hash, sha256Hex(text)) : null;
  const wanted = { ...intent, key: previous?.key ?? intent.key, owner, probe, preparedAtMs: ports.clock.nowMs() };
  const prepared = await prepareEntry(ports, wanted, previous, approved, emit);
  if (!prepared.ok) return { kind: 'unstored', fault: prepared.error };
  const { mine, entry } = prepared.value;
  if (!mine) return { kind: 'taken', entry };
  const written = await ports.files.replace(path, text, file.hash);
  const moves = written.ok
    ? [committed(`written at line ${line}`, file.hash, written.value.hash)]
    : await movesAfterRefusal(ports, input, written.error, file.hash, sha256Hex(text));
  const ran = { line, isWritten: written.ok };
  const moved = await moveEntry(ports, entry, moves, emit);
  if (moved.ok) return { kind: 'settled', entry: moved.value, ran };
  return written.ok ? { kind: 'unrecorded', entry, ran, fault: moved.error } : impossible(written.error);
}

function committed(detail: string, beforeHash: string | null, afterHash: string): Move {
  return { to: 'COMMITTED', evidence: { source: 'hash', detail, beforeHash, afterHash } };
}

/** The file port did not write. Where the new text is there all the same, an equal edit came first. */
async function movesAfterRefusal(
  ports: EffectPorts,
  { path, redact = redactSecrets }: GuardedEditInput,
  error: string,
  beforeHash: string | null,
  afterHash: string,
): Promise<readonly Move[]> {
  const now = await ports.files.read(path);
  if (!now.ok || now.value.hash !== afterHash) {
    return [{ to: 'FAILED', evidence: { source: 'files', detail: redact(error), beforeHash } }];
  }
  const evidence = { source: 'hash', detail: 'the same edit was made by somebody else', beforeHash, afterHash };
  return [
    { to: 'UNKNOWN', evidence },
    { to: 'RECONCILED_COMMITTED', evidence },
  ];
}

function outcomeOf(intent: Intent, path: string, end: FlowEnd<Ran>): EditOutcome {
  switch (end.kind) {
    case 'settled': {
      const { line, isWritten } = end.ran;
      const reason = isWritten ? `${path} was edited at line ${line}.` : (end.entry.evidence?.detail ?? '');
      const outcome = ofEntry(intent, end.entry, reason);
      return isWritten ? { ...outcome, result: 'done', ran: true, isError: false } : outcome;
    }
    case 'unrecorded': {
      const reason = `${path} was edited at line ${end.ran.line}, but the ledger could not record that: ${end.fault.message}`;
      return { ...ofEntry(intent, end.entry, reason), result: 'done', ran: true, isError: false };
    }
    case 'needless':
      return { ...ofEntry(intent, end.entry, end.reason), result: 'done', isError: false };
    case 'stored':
      return ofEntry(
        intent,
        end.entry,
        `This edit of ${path} was asked for before and is not made again. ${stateSentence(end.entry)}`,
      );
    case 'withheld':
      return ofEntry(intent, end.entry, `The edit of ${path} was not made: ${end.reason}. ${stateSentence(end.entry)}`);
    case 'impossible':
      return { ...ofEntry(intent, end.entry, end.reason), result: 'failed', isError: true };
    case 'denied':
      return refusal(intent, end.entry, `the edit of ${path} was not allowed: ${end.reason}`);
    case 'unstored':
      return refusal(intent, null, `the ledger cannot take the edit of ${path}: ${end.fault.message}`);
  }
}

function ofEntry({ key, level }: Intent, entry: LedgerEntry | null, reason: string): EditOutcome {
  const result = entry ? RESULT_OF[entry.state] : 'failed';
  const { beforeHash = null, afterHash = null } = entry?.evidence ?? {};
  const state = entry?.state ?? null;
  return {
    key,
    level,
    state,
    result,
    ran: false,
    beforeHash,
    afterHash,
    reason,
    text: reason,
    isError: result !== 'done',
  };
}

function refusal({ key, level }: Pick<Intent, 'key' | 'level'>, entry: LedgerEntry | null, why: string): EditOutcome {
  const reason = `Nothing was written: ${why}`;
  const state = entry?.state ?? null;
  return {
    key,
    level,
    state,
    result: 'refused',
    ran: false,
    beforeHash: null,
    afterHash: null,
    reason,
    text: reason,
    isError: true,
  };
}
