// `belay ledger contract`: really calls a tool a dozen times to see whether one key never acts twice, and keeps the verdict
// (HFR document, appendix D). Only after that is a claim of level R1 believed. The call and the count are shell texts of the
// person who runs this; the key comes to the call as BELAY_KEY, and as BELAY_VARIANT `1` or `2` which arguments are meant.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { sqliteStore } from '../adapters/stores/sqliteStore.ts';
import { realClock } from '../adapters/time/realClock.ts';
import type { EffectLevel } from '../core/ledger/entry.ts';
import { believedLevel, definitionHash } from '../core/ledger/toolContract.ts';
import { keptContracts, testToolContract } from '../engine/controller.ts';
import type { ContractReport, ContractTarget } from '../engine/controller.ts';
import type { Result, StorePort } from '../engine/ports.ts';
import { EXIT_CODES } from './io.ts';
import type { CommandIo, ExitCode } from './io.ts';
import { ledgerPlace } from './ports.ts';
import { wholeNumber } from './wholeNumber.ts';

/** The options as commander gives them. */
export interface ToolContractOptions {
  /** Name of the tool in the ledger; with `call` and `count` absent its kept contracts are shown, all of them without it. */
  readonly tool?: string;
  /** Shell text that calls the tool once with the key in BELAY_KEY. */
  readonly call?: string;
  /** Shell text that prints how many effects there are, as a whole number. */
  readonly count?: string;
  /** Level that is claimed. Default R1. */
  readonly level?: string;
  /** What identifies this version of the tool: its schema, version number or a SHA-256. Default: the text of the call. */
  readonly definition?: string;
  /** Wait so long for late effects before counting. Default 500. */
  readonly settleMs?: string;
  readonly db?: string;
}

const LEVELS: readonly EffectLevel[] = ['R0', 'R1', 'R2', 'R3'];
const CUT_AFTER_MS = [0, 30, 150, 600] as const;
const CALL_LIMIT_MS = 60_000;

/** Tests a tool or shows what was tested; 0 where the contract was passed (or there was something to show), 1 where not. */
export async function toolContractFromOptions(
  options: ToolContractOptions,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  io: CommandIo,
): Promise<ExitCode> {
  const file = ledgerPlace(env, options.db === undefined ? null : resolve(cwd, options.db)).db;
  const parsed = parse(options);
  if (typeof parsed === 'string') {
    io.err(`belay ledger contract: ${parsed}`);
    return EXIT_CODES.badInput;
  }
  const store = sqliteStore({ file });
  try {
    return parsed === null ? await show(store, options.tool, io) : await test(store, parsed, cwd, env, io);
  } finally {
    await store.close();
  }
}

interface Wanted {
  readonly tool: string;
  readonly call: string;
  readonly count: string;
  readonly level: EffectLevel;
  readonly definition: string;
  readonly settleMs: number;
}

/** What is wanted; null: only to show; a text: what is wrong. */
function parse({
  tool,
  call,
  count,
  level = 'R1',
  definition,
  settleMs = '500',
}: ToolContractOptions): Wanted | null | string {
  if (call === undefined && count === undefined) return null;
  if (tool === undefined || tool === '') return '--tool is missing: name the tool as the ledger does';
  if (call === undefined) return '--call is missing: a shell text that calls the tool once with the key $BELAY_KEY';
  if (count === undefined) return '--count is missing: a shell text that prints the number of effects so far';
  const claimed = LEVELS.find((one) => one === level);
  if (!claimed) return `--level must be one of ${LEVELS.join(', ')}, not "${level}"`;
  if (!call.includes('BELAY_KEY')) return '--call does not use $BELAY_KEY, so the tool cannot know the key';
  const waitMs = wholeNumber(settleMs);
  if (waitMs === null) return `--settle-ms must be a whole number from 0, not "${settleMs}"`;
  const isHash = definition !== undefined && /^[0-9a-f]{64}$/.test(definition);
  return {
    tool,
    call,
    count,
    level: claimed,
    definition: isHash ? definition : definitionHash(definition ?? { call }),
    settleMs: waitMs,
  };
}

async function test(
  store: StorePort,
  wanted: Wanted,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  io: CommandIo,
): Promise<ExitCode> {
  const { tool, call, count, definition, level, settleMs } = wanted;
  io.err(`Testing ${tool}: it is really called, about a dozen times.`);
  const target: ContractTarget = {
    call: async (key, args, signal) => {
      const ended = await runShell(call, cwd, { ...env, BELAY_KEY: key, BELAY_VARIANT: String(args) }, signal);
      return ended.ok ? { ok: true, value: null } : ended;
    },
    count: async () => {
      const ended = await runShell(count, cwd, env, AbortSignal.timeout(CALL_LIMIT_MS));
      if (!ended.ok) return { ok: false, error: `the count failed: ${ended.error}` };
      const text = ended.value.trim();
      return /^\d+$/.test(text)
        ? { ok: true, value: Number(text) }
        : { ok: false, error: `the count printed "${text.slice(0, 80)}" instead of a whole number` };
    },
  };
  const otherArgs = call.includes('BELAY_VARIANT') ? { otherArgs: '2' } : {};
  const request = { tool, definition, args: '1', ...otherArgs, settleMs, cutAfterMs: CUT_AFTER_MS };
  const tested = await testToolContract({ clock: realClock(), store }, request, target);
  if (!tested.ok) {
    io.err(`belay ledger contract: the verdict could not be kept: ${tested.error.message}`);
    return EXIT_CODES.no;
  }
  for (const line of reportLines(tested.value, level)) io.out(line);
  return tested.value.verdict.isPassed ? EXIT_CODES.done : EXIT_CODES.no;
}

function reportLines({ contract, verdict }: ContractReport, level: EffectLevel): readonly string[] {
  const { tool, definition } = contract;
  const worth = (hasProbe: boolean): EffectLevel =>
    believedLevel({ name: tool, definition, hasProbe }, level, [contract]);
  const counts =
    worth(true) === worth(false) ? worth(false) : `${worth(true)} where a probe exists, else ${worth(false)}`;
  return [
    `${tool} (definition ${definition.slice(0, 12)}): ${verdict.isPassed ? 'passed' : 'not passed'}`,
    ...contract.evidence.map((line) => `  seen  ${line}`),
    ...verdict.problems.map((line) => `  wrong ${line}`),
    ...verdict.untried.map((name) => `  not tried: ${name} (use $BELAY_VARIANT in --call to try it)`),
    `A claim of ${level} counts as ${counts}.`,
  ];
}

async function show(store: StorePort, tool: string | undefined, io: CommandIo): Promise<ExitCode> {
  const kept = await keptContracts({ store });
  if (!kept.ok) {
    io.err(`belay ledger contract: ${kept.error.message}`);
    return EXIT_CODES.no;
  }
  const shown = kept.value.filter((contract) => tool === undefined || contract.tool === tool);
  for (const { tool: name, definition, testedAtMs, isPassed, problems } of shown) {
    io.out(
      `${name} (definition ${definition.slice(0, 12)}): ${isPassed ? 'passed' : 'not passed'} ${new Date(testedAtMs).toISOString()}`,
    );
    for (const problem of problems) io.out(`  wrong ${problem}`);
  }
  if (shown.length > 0) return EXIT_CODES.done;
  io.err('No tool was tested yet: give --tool, --call and --count. Until then a claim of R1 counts as R2 or R3.');
  return EXIT_CODES.no;
}

/** Runs a shell text to its end, or kills it with all it started when `signal` is aborted. */
function runShell(
  text: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Result<string, string>> {
  return new Promise((done) => {
    const child = spawn(text, {
      cwd,
      env,
      shell: true,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [printed, complaints] = ['', ''];
    child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (complaints = `${complaints}${bytes.toString()}`.slice(-400)));
    const stop = (): void => {
      if (child.pid === undefined) return;
      try {
        if (process.platform === 'win32') child.kill('SIGKILL');
        else process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    };
    const finish = (result: Result<string, string>): void => {
      signal.removeEventListener('abort', stop);
      done(result);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    child.once('error', (error) => finish({ ok: false, error: error.message }));
    child.once('close', (code, ended) => {
      if (code === 0) finish({ ok: true, value: printed });
      else
        finish({
          ok: false,
          error: ended ? `ended by ${ended}` : `exit code ${code ?? '?'} ${complaints.trim()}`.trim(),
        });
    });
  });
}
