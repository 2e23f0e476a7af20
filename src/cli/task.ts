// `belay task`: a goal for Belay's own agent loop, worked on in a folder until its success command passes, or a saved task
// gone on with (CONTRACTS, task). What happens is shown on standard error; standard output gets one JSON line, the outcome.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { modelCatalogue } from '../core/catalogue/modelCatalogue.ts';
import { withFileConsent } from '../core/disclosure/consent.ts';
import type { Settings } from '../core/settings.ts';
import {
  createController,
  type Controller,
  type TaskOutcome,
  type TaskSpec,
  withTidyLedger,
} from '../engine/controller.ts';
import type { Result } from '../engine/ports.ts';
import { EXIT_CODES, type CommandIo, type ExitCode } from './io.ts';
import { commandLinePorts, commandLineTransport } from './ports.ts';
import { readConfig } from './readConfig.ts';
import { terminalView } from './terminalView.ts';
import { tidyAfter } from './tidyAfter.ts';

const CRITICALITIES = ['low', 'medium', 'high'] as const;
const DEFAULT_DEADLINE_S = 3600;

interface TaskOptions {
  readonly goal: string | null;
  readonly resume: string | null;
  readonly workspace: string;
  readonly success: string;
  readonly criticality: (typeof CRITICALITIES)[number];
  readonly qualityFloor: number | null;
  /** Null: not given. */
  readonly deadlineS: number | null;
  readonly config: string;
  readonly model: string | null;
}

/** Checks the options, works on the task, prints its outcome. Exit 0: success; 1: escalated or failed; 2: bad input. */
export async function taskFromOptions(
  options: Readonly<Record<string, string>>,
  cwd: string,
  io: CommandIo,
): Promise<ExitCode> {
  const parsed = parseTaskOptions(options, cwd);
  if (!parsed.ok) {
    io.err(`belay task: ${parsed.error}`);
    return EXIT_CODES.badInput;
  }
  const config = await readConfig(parsed.value.config, process.env);
  if (!config.ok) {
    for (const line of config.error) io.err(`belay task: ${line}`);
    return EXIT_CODES.badInput;
  }
  for (const line of config.value.warnings) io.err(`belay task: ${line}`);
  const transport = commandLineTransport(process.env);
  if (!transport.ok) {
    io.err(`belay task: ${transport.error}`);
    return EXIT_CODES.badInput;
  }
  const settings = withFileConsent(config.value.settings);
  const ports = await commandLinePorts(settings, process.env, parsed.value.workspace, transport.value);
  const { ledger } = settings.advanced;
  const tell = (message: string): void => io.err(`belay task: ${message}`);
  const controller = await createController(
    withTidyLedger(ports, () => ledger, tell),
    settings,
    modelCatalogue,
  );
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  process.once('SIGINT', abort).once('SIGTERM', abort);
  try {
    const outcome = await work(controller, parsed.value, stop.signal, io);
    if (!outcome.ok) {
      io.err(`belay task: ${outcome.error}`);
      return EXIT_CODES.badInput;
    }
    io.out(JSON.stringify(outcome.value));
    await tidyAfter({ ports, settings: ledger, isGuest: false, signal: stop.signal, tell });
    return outcome.value.outcome === 'success' ? EXIT_CODES.done : EXIT_CODES.no;
  } finally {
    process.off('SIGINT', abort).off('SIGTERM', abort);
    await controller.dispose();
  }
}

async function work(
  controller: Controller,
  options: TaskOptions,
  signal: AbortSignal,
  io: CommandIo,
): Promise<Result<TaskOutcome, string>> {
  const view = terminalView({
    isTty: process.stderr.isTTY,
    hasColor: process.stderr.isTTY && process.env.NO_COLOR === undefined,
    columns: process.stderr.columns || 100,
    write: (text) => void process.stderr.write(text),
  });
  const watching = controller.onDidEmit((event) => view.show(event, controller.snapshot()));
  const { qualityFloor, deadlineS } = options;
  const floor = qualityFloor === null ? {} : { qualityFloor };
  const env = commandEnvironment(controller.settings);
  try {
    if (options.resume !== null) {
      const deadline = deadlineS === null ? {} : { deadlineMs: Date.now() + deadlineS * 1000 };
      return await controller.resumeTask(options.resume, { env, ...floor, ...deadline }, signal);
    }
    const deadlineMs = Date.now() + (deadlineS ?? DEFAULT_DEADLINE_S) * 1000;
    const spec = { ...specOf(options, controller, deadlineMs, env), ...floor };
    io.err(
      `Task ${spec.id}. If it is interrupted, go on with: belay task --resume ${spec.id} --config ${options.config}`,
    );
    return { ok: true, value: await controller.runTask(spec, signal) };
  } finally {
    watching.dispose();
    view.end();
  }
}

function specOf(
  options: TaskOptions,
  controller: Controller,
  deadlineMs: number,
  env: Readonly<Record<string, string>>,
): TaskSpec {
  return {
    id: `task-${randomBytes(5).toString('hex')}`,
    goal: options.goal ?? '',
    model: options.model ?? controller.models()[0]?.name ?? '*',
    successCommand: options.success,
    criticality: options.criticality,
    deadlineMs,
    workspace: options.workspace,
    env,
  };
}

/** What the agent's commands may see: the environment without any variable that a provider reads its key from, or that looks like one. */
function commandEnvironment(settings: Settings): Readonly<Record<string, string>> {
  const keys = new Set(settings.providers.flatMap(({ keyEnv }) => keyEnv ?? []));
  const looksSecret = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?(?:_|$)/i;
  const kept = Object.entries(process.env).filter(([name]) => !keys.has(name) && !looksSecret.test(name));
  return Object.fromEntries(kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** The options as commander gives them, or the first thing wrong with them. */
export function parseTaskOptions(options: Readonly<Record<string, string>>, cwd: string): Result<TaskOptions, string> {
  const wrong = (error: string): Result<TaskOptions, string> => ({ ok: false, error });
  const { goal, resume, config, model } = options;
  if ((goal === undefined) === (resume === undefined))
    return wrong('give either --goal TEXT for a new task or --resume ID for an interrupted one');
  if (goal?.trim() === '') return wrong('--goal is empty; say what is to be reached');
  if (config === undefined)
    return wrong('--config FILE is missing: it names the providers (see "belay doctor --help")');
  const workspace = resolve(cwd, options.workspace ?? '.');
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() !== true)
    return wrong(`--workspace ${workspace} is not a folder; name one that exists`);
  const criticality = CRITICALITIES.find((name) => name === (options.criticality ?? 'medium'));
  if (!criticality) return wrong(`--criticality must be low, medium or high, not "${options.criticality ?? ''}"`);
  const qualityFloor = options.qualityFloor === undefined ? null : Number(options.qualityFloor);
  if (qualityFloor !== null && !(qualityFloor >= 0 && qualityFloor <= 1))
    return wrong(`--quality-floor must be a number from 0 to 1, not "${options.qualityFloor ?? ''}"`);
  const deadlineS = options.deadlineS === undefined ? null : Number(options.deadlineS);
  if (deadlineS !== null && !(Number.isFinite(deadlineS) && deadlineS > 0))
    return wrong(`--deadline-s must be a number above 0, not "${options.deadlineS ?? ''}"`);
  return {
    ok: true,
    value: {
      goal: goal ?? null,
      resume: resume ?? null,
      workspace,
      success: options.success ?? 'npm test',
      criticality,
      qualityFloor,
      deadlineS,
      config: resolve(cwd, config),
      model: model ?? null,
    },
  };
}
