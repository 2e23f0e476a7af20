// `belay exec`: one guarded command, its outcome and ledger entry (CONTRACTS, exec). Nobody is asked: what lies above
// --yes-up-to (default R1: what only reads or may be repeated) is refused. The command runs where the caller stands when
// that is inside the workspace, else at the workspace's root. That folder is part of the action: the same task, step and
// command from another folder does another thing, so it has a key of its own and is run; the reason says so.
// Its output goes to standard error as it comes.
import { existsSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import type { RequestContext } from '../core/context.ts';
import { realRandom } from '../adapters/time/realClock.ts';
import { assess } from '../core/guard/assess.ts';
import type { Assessment } from '../core/guard/assessment.ts';
import type { EffectLevel, LedgerEntry } from '../core/ledger/entry.ts';
import { canonicalText } from '../core/ledger/key.ts';
import { advancedSchema } from '../core/settingsAdvanced.ts';
import { levelWords } from '../core/words.ts';
import { runGuardedCommand } from '../engine/controller.ts';
import type { CommandOutcome } from '../engine/controller.ts';
import type { ApprovalPort, Ports, StorePort } from '../engine/ports.ts';
import { EXIT_CODES } from './io.ts';
import type { CommandIo, ExitCode } from './io.ts';
import { ledgerPlace, ledgerPorts, NO_LEDGER } from './ports.ts';
import { tidyAfter } from './tidyAfter.ts';

export interface ExecOptions {
  readonly task: string;
  /** Number of the step in the task. */
  readonly step: number;
  /** What to run: the words of a program, or a text for a shell. */
  readonly run:
    | { readonly kind: 'words'; readonly argv: readonly string[] }
    | { readonly kind: 'text'; readonly text: string; readonly shell: 'bash' | 'pwsh' | 'cmd' };
  /** Where the caller stands; absolute. Where the command then runs belongs to its key. */
  readonly cwd: string;
  /** Root of the workspace. Default: `cwd`. */
  readonly workspace?: string;
  /** Ledger database. Default: `belay.db` in Belay's data folder. */
  readonly db?: string;
  /** Highest level that runs unasked. Default R1. */
  readonly yesUpTo?: EffectLevel;
  /** Default 600,000. */
  readonly timeoutMs?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the command when it is aborted. */
  readonly signal: AbortSignal;
}

const DEFAULT_LEVEL: EffectLevel = 'R1';
const DEFAULT_TIMEOUT_MS = 600_000;

/**
 * Runs the command, prints one JSON line, and answers 0 where its entry is (reconciled) committed. After that line, where a
 * day has passed since the last time, what is old in the ledger is forgotten (tidyAfter.ts): by the settings that it was last
 * tidied by, else by the default ones. That changes neither answer nor exit code, and a signal ends it.
 */
export async function execCommand(options: ExecOptions, io: CommandIo): Promise<ExitCode> {
  const place = placeOf(options);
  if (typeof place === 'string') {
    io.err(`belay exec: ${place}`);
    return EXIT_CODES.badInput;
  }
  const { ports, outcome } = start(options, place, io);
  const { store } = ports;
  try {
    const done = await outcome;
    const { key, level, state, exitCode, ran, stdout, stderr, stdoutBytes, stderrBytes } = done;
    const reason = `${done.reason}${await elsewhere(store, options, key)}`;
    io.out(JSON.stringify({ key, level, state, exitCode, ran, stdout, stderr, reason, stdoutBytes, stderrBytes }));
    // Where nothing was written there is nothing more in it than before.
    if (state !== null) await tidyAfter({ ...AS_GUEST, ports, signal: options.signal, tell: noted(io) });
    return state === 'COMMITTED' || state === 'RECONCILED_COMMITTED' ? EXIT_CODES.done : EXIT_CODES.no;
  } finally {
    await store.close();
  }
}

/** Says so where the same words of this step are in the ledger for another folder: they are another action. */
async function elsewhere(store: StorePort, { task, step }: ExecOptions, key: string): Promise<string> {
  const listed = await store.entries({ task });
  const steps = listed.ok ? listed.value.filter((entry) => entry.step === step) : [];
  const own = steps.find((entry) => entry.key === key);
  const ownWords = own && wordsOf(own);
  const other = ownWords && steps.find((entry) => entry.key !== key && wordsOf(entry)?.words === ownWords.words);
  const folder = other && wordsOf(other)?.cwd;
  if (folder === undefined || folder === ownWords?.cwd) return '';
  return ` The same words of step ${step} are in the ledger for the folder ${folder}; in ${ownWords?.cwd ?? 'this one'} they are another action.`;
}

const argsSchema = z.object({ cwd: z.string(), shell: z.unknown(), command: z.unknown() });

/** The stored words of a command and its folder; undefined for an entry of another kind. */
function wordsOf({ argsText }: LedgerEntry): { readonly words: string; readonly cwd: string } | undefined {
  const parsed = argsSchema.safeParse(parsedJson(argsText));
  return parsed.success
    ? { words: canonicalText([parsed.data.shell, parsed.data.command]), cwd: parsed.data.cwd }
    : undefined;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A damaged row: it can only not be compared.
    return undefined;
  }
}

interface Place {
  readonly cwd: string;
  readonly workspace: string;
}

/** Real paths of workspace and command, or what is wrong with them. */
function placeOf({ cwd, workspace }: ExecOptions): Place | string {
  const root = resolve(cwd, workspace ?? '.');
  if (!existsSync(root) || !statSync(root).isDirectory())
    return `--workspace ${root} is not a folder; name one that exists`;
  const [realRoot, realCwd] = [realpathSync(root), realpathSync(cwd)];
  const way = relative(realRoot, realCwd);
  const isOutside = way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  return { workspace: realRoot, cwd: isOutside ? realRoot : realCwd };
}

type ExecPorts = ReturnType<typeof ledgerPorts> & Pick<Ports, 'random'>;

const AS_GUEST = { settings: advancedSchema.parse({}).ledger, isGuest: true } as const;

function noted(io: CommandIo): (message: string) => void {
  return (message) => io.err(`belay exec: ${message}`);
}

function start(
  options: ExecOptions,
  place: Place,
  io: CommandIo,
): { readonly ports: ExecPorts; readonly outcome: Promise<CommandOutcome> } {
  const { run, env, signal, timeoutMs = DEFAULT_TIMEOUT_MS, yesUpTo = DEFAULT_LEVEL } = options;
  const ledger = ledgerPlace(env, options.db === undefined ? null : resolve(options.cwd, options.db));
  const ports = { ...ledgerPorts(ledger, place.workspace, nobody(yesUpTo), false), random: realRandom() };
  const assessment = assessmentOf(run, place);
  const live = lineWriter(io);
  const outcome = runGuardedCommand(ports, {
    ...place,
    context: contextOf(options),
    command: run.kind === 'words' ? run.argv : run.text,
    shell: run.kind === 'words' ? 'none' : run.shell,
    assessment,
    judgement: { verdict: assessment.level <= yesUpTo ? 'allow' : 'ask', reasons: assessment.reasons },
    timeoutMs,
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    signal,
    emit: (body) => {
      if (body.type === 'notice') io.err(`belay exec: ${body.message} ${body.remedy}`);
    },
    onOutput: live.write,
  });
  return { ports, outcome: outcome.finally(live.end) };
}

/** What is not understood is taken for the worst. */
const NOT_ANALYSED: Assessment = {
  level: 'R3',
  reasons: ['texts for cmd.exe are not analysed'],
  effects: [{ kind: 'not-understood' }],
  parsed: false,
};

function assessmentOf(run: ExecOptions['run'], place: Place): Assessment {
  const shell = run.kind === 'words' ? 'bash' : run.shell;
  if (shell === 'cmd') return NOT_ANALYSED;
  return assess({ ...place, shell, command: run.kind === 'words' ? run.argv.map(quoted).join(' ') : run.text });
}

/** A word as bash would have to read it to get exactly this word. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function contextOf({ task, step }: ExecOptions): RequestContext {
  const scope = { tenant: 'local', client: 'cli', task, step };
  return { ...scope, role: 'chat', criticality: 'medium', qualityFloor: 0, deadlineMs: Number.MAX_SAFE_INTEGER };
}

/** On the command line the answer was given before: what --yes-up-to does not cover is denied, and all that has no ledger. */
function nobody(yesUpTo: EffectLevel): ApprovalPort {
  return {
    ask: ({ kind, level, reasons }) => {
      if (kind === 'ledger-trouble') return Promise.resolve(NO_LEDGER);
      const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
      const isAbove = level !== null && level > yesUpTo;
      const note = isAbove
        ? `it ${levelWords[level]}, level ${level}${why}. Without asking, only commands up to ${yesUpTo} are run. If it is wanted, allow it with --yes-up-to ${level}`
        : `a person must decide whether it is done again${why}. Give it another --step to have it done anew`;
      return Promise.resolve({ choice: 'deny', note, by: 'the command line' });
    },
  };
}

/** Passes output on by whole lines, each stream's pieces kept together. */
interface LineWriter {
  readonly write: (stream: 'stdout' | 'stderr', text: string) => void;
  readonly end: () => void;
}

const MAX_OPEN_CHARS = 65_536;

function lineWriter(io: CommandIo): LineWriter {
  const open = { stdout: '', stderr: '' };
  return {
    write: (stream, text) => {
      const lines = `${open[stream]}${text}`.split('\n');
      const last = lines.pop() ?? '';
      for (const line of lines) io.err(line);
      // A line without an end must not fill the memory.
      if (last.length > MAX_OPEN_CHARS) io.err(last);
      open[stream] = last.length > MAX_OPEN_CHARS ? '' : last;
    },
    end: () => {
      for (const rest of [open.stdout, open.stderr]) if (rest !== '') io.err(rest);
    },
  };
}
