// The tools of Belay's own agent loop: reads answer at once, edits and commands go through the guard and the ledger.
// Whatever a tool answers is text for the model, true to what is known: done, did not happen, or may have happened.
import * as z from 'zod';
import type { ToolCallPart } from '../core/chat.ts';
import type { RequestContext } from '../core/context.ts';
import type { EventBody, Rung } from '../core/events.ts';
import type { EffectLevel } from '../core/ledger/entry.ts';
import { assess } from '../core/guard/assess.ts';
import { judge } from '../core/guard/judge.ts';
import type { Policy } from '../core/guard/policy.ts';
import { isEditTool } from '../core/guard/editTools.ts';
import type { EffectIds } from '../core/ledger/entry.ts';
import { parseArguments } from '../core/toolCalls.ts';
import { editByTool } from './agentEdits.ts';
import type { EffectPorts } from './effectEntry.ts';
import { cut, readFile, searchFiles, visibleFiles } from './agentFiles.ts';
import { runGuardedCommand, type CommandOutcome } from './guardedCommand.ts';
import type { Ports } from './ports.ts';
import { readBook, type ReadBook } from './readBook.ts';
import type { ToolRecovery } from './toolDecision.ts';

/** What one tool call came to. */
export interface ToolOutcome {
  readonly text: string;
  readonly isError: boolean;
  readonly isFinish: boolean;
  readonly effect?: 'edit' | 'command';
  readonly command?: string;
  /** Of the command. */
  readonly level?: EffectLevel;
  readonly exitCode?: number | null;
}

/** Where a tool call belongs and where its events go. */
export interface ToolScope {
  readonly context: RequestContext;
  /** Call, attempt and tool call that asked, for the ledger row. */
  readonly ids: Partial<Omit<EffectIds, 'client'>>;
  /** Rung of the answer that asked. Default L0. */
  readonly rung?: Rung;
  readonly emit: (body: EventBody) => void;
  readonly signal: AbortSignal;
}

/** A command that Belay itself runs in a task. */
export interface CommandRequest {
  /** A text for bash. */
  readonly command: string;
  /** Part of the key: a check is an action of its own, also in a turn that ran the same command. */
  readonly tool: string;
  /** Part of the key where it is given: the same command under another one is another action. */
  readonly toolCall?: string;
  /** Default: that of the settings, which it cannot exceed. */
  readonly timeoutMs?: number;
}

export interface AgentTools {
  execute(call: ToolCallPart, scope: ToolScope): Promise<ToolOutcome>;
  /** Runs a command as guarded as the agent's own: level, policy, ledger, time limit. */
  run(request: CommandRequest, scope: ToolScope): Promise<CommandOutcome>;
}

export interface AgentToolInput {
  readonly ports: Ports & Pick<EffectPorts, 'reconcileTimeoutMs'>;
  /** Absolute root of the workspace; every path of a tool call is relative to it. */
  readonly workspace: string;
  readonly policy: Policy;
  readonly timeoutMs: number;
  /** Default: the command port's. */
  readonly promptQuietMs?: number;
  readonly outputLimitBytes: number;
  /** Environment of commands; holds no key. */
  readonly env: Readonly<Record<string, string>>;
  /** What the failures of the agent's own commands and edits are decided with. Absent: they are told as they are. */
  readonly recovery?: ToolRecovery;
}

const failed = (message: string): ToolOutcome => ({ text: message, isError: true, isFinish: false });
const answered = (message: string): ToolOutcome => ({ text: cut(message), isError: false, isFinish: false });

const line = z.coerce.number().int().min(1).optional();
const ARGUMENTS = {
  list_files: z.object({}),
  read_file: z.object({ path: z.string(), from_line: line, to_line: line }),
  search: z.object({ pattern: z.string() }),
  run_command: z.object({ command: z.string() }),
  finish: z.object({ summary: z.string().default('') }),
} as const;

type ToolName = keyof typeof ARGUMENTS;
type Handlers = {
  readonly [Name in ToolName]: (args: z.infer<(typeof ARGUMENTS)[Name]>, scope: ToolScope) => Promise<ToolOutcome>;
};

/** Builds the tools of one workspace for one task; what its agent has seen of the files is noted in one book. */
export function agentTools(input: AgentToolInput): AgentTools {
  const { ports } = input;
  const book = readBook(ports.files);
  const handlers: Handlers = {
    list_files: async () => answered((await visibleFiles(ports)).join('\n')),
    read_file: async ({ path, from_line: from, to_line: to }) => ({
      ...(await readFile(ports, book, path, { from, to })),
      isFinish: false,
    }),
    search: async ({ pattern }) => answered(await searchFiles(ports, pattern)),
    run_command: async ({ command }, scope) => {
      const request = { command, tool: 'run_command' };
      const { text, isError, exitCode, level } = await guardedCommand(input, book, request, scope, input.recovery);
      return { ...answered(text), isError, effect: 'command', command, level, exitCode };
    },
    finish: ({ summary }) => Promise.resolve({ text: summary, isError: false, isFinish: true }),
  };
  return {
    execute: async (call, scope) => {
      const args = parseArguments(call.argsText);
      if (!isEditTool(call.name) && !isPlainTool(call.name)) return failed(`there is no tool ${call.name}`);
      if (!args) return failed(`the arguments of ${call.name} must be a JSON object`);
      if (isEditTool(call.name)) {
        const outcome = await editByTool(input, book, { name: call.name, args }, scope);
        return { ...answered(outcome.text), isError: outcome.isError, effect: 'edit' };
      }
      return run(handlers, call.name, args, scope);
    },
    run: (request, scope) => guardedCommand(input, book, request, scope),
  };
}

function isPlainTool(name: string): name is ToolName {
  return Object.hasOwn(ARGUMENTS, name);
}

async function run(handlers: Handlers, name: ToolName, args: unknown, scope: ToolScope): Promise<ToolOutcome> {
  const parsed = ARGUMENTS[name].safeParse(args);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return failed(`the arguments of ${name} do not fit: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
  }
  // The schema of this very name parsed them; TypeScript does not follow that through the table.
  return handlers[name](parsed.data as never, scope);
}

async function guardedCommand(
  { ports, workspace, policy, timeoutMs, promptQuietMs, outputLimitBytes, env }: AgentToolInput,
  book: ReadBook,
  { command, tool, toolCall, timeoutMs: wantedMs = timeoutMs }: CommandRequest,
  scope: ToolScope,
  recovery?: ToolRecovery,
): Promise<CommandOutcome> {
  const assessment = assess({ shell: 'bash', command, cwd: workspace, workspace });
  const outcome = await runGuardedCommand(ports, {
    context: scope.context,
    ids: scope.ids,
    tool,
    ...(toolCall === undefined ? {} : { toolCall }),
    command,
    shell: 'bash',
    cwd: workspace,
    workspace,
    assessment,
    judgement: judge(assessment, policy, command),
    timeoutMs: Math.min(timeoutMs, wantedMs),
    ...(promptQuietMs === undefined ? {} : { promptQuietMs }),
    outputLimitBytes,
    env,
    signal: scope.signal,
    emit: scope.emit,
    ...(recovery ? { recovery } : {}),
  });
  if (outcome.ran) book.ran(command);
  return outcome;
}
