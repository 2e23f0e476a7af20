// The tools of Belay's own agent loop: reads answer at once, edits and commands go through the guard and the ledger.
// Whatever a tool answers is text for the model, true to what is known: done, did not happen, or may have happened.
import type { ToolCallPart, ToolSpec } from '../core/chat.ts';
import type { RequestContext } from '../core/context.ts';
import type { EventBody } from '../core/events.ts';
import { assess } from '../core/guard/assess.ts';
import { judge } from '../core/guard/judge.ts';
import { judgeEdit } from '../core/guard/judgeEdit.ts';
import type { Policy } from '../core/guard/policy.ts';
import { assessTool } from '../core/guard/tools.ts';
import type { EffectIds } from '../core/ledger/entry.ts';
import { parseArguments } from '../core/toolCalls.ts';
import { applyGuardedEdit } from './guardedEdit.ts';
import { runGuardedCommand } from './guardedCommand.ts';
import type { Ports } from './ports.ts';

/** What one tool call came to. */
export interface ToolOutcome {
  readonly text: string;
  readonly isError: boolean;
  readonly isFinish: boolean;
  readonly effect?: 'edit' | 'command';
  readonly command?: string;
  readonly exitCode?: number | null;
}

/** Where a tool call belongs and where its events go. */
export interface ToolScope {
  readonly context: RequestContext;
  /** Call, attempt and tool call that asked, for the ledger row. */
  readonly ids: Partial<Omit<EffectIds, 'client'>>;
  readonly emit: (body: EventBody) => void;
  readonly signal: AbortSignal;
}

/** A V1 check: a command was really run. `fingerprint` is equal for equal reasons of failure. */
export interface Verification {
  readonly passed: boolean;
  readonly evidence: string;
  readonly output: string;
  readonly fingerprint: string;
}

export interface AgentTools {
  execute(call: ToolCallPart, scope: ToolScope): Promise<ToolOutcome>;
  verify(command: string, scope: ToolScope): Promise<Verification>;
}

export interface AgentToolInput {
  readonly ports: Ports;
  /** Absolute root of the workspace; every path of a tool call is relative to it. */
  readonly workspace: string;
  readonly policy: Policy;
  readonly timeoutMs: number;
  readonly outputLimitBytes: number;
  /** Environment of commands; holds no key. */
  readonly env: Readonly<Record<string, string>>;
}

/** What a tool answers about a file that `.belayignore` keeps. */
const kept = (path: string): string => `${path} is kept from you by .belayignore; go on without it`;

/** A result longer than this is cut in the middle; the model may read the rest of a file in parts. */
const MAX_RESULT_CHARS = 80_000;
const MAX_MATCHES = 200;

const text = (value: string): { readonly type: 'string'; readonly description: string } => ({
  type: 'string',
  description: value,
});
const parameters = (properties: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** What the model is offered. */
export const agentToolSpecs: readonly ToolSpec[] = [
  { name: 'list_files', description: 'All files of the workspace.', parameters: parameters({}) },
  {
    name: 'read_file',
    description: 'The text of one file.',
    parameters: parameters({ path: text('Path relative to the workspace.') }),
  },
  {
    name: 'search',
    description: 'Lines of all files that contain a text.',
    parameters: parameters({ pattern: text('Plain text to look for.') }),
  },
  {
    name: 'edit_file',
    description: 'Replaces one exact piece of text, which must occur exactly once in the file.',
    parameters: parameters({
      path: text('Path relative to the workspace.'),
      search: text('Text to replace, exactly as it is.'),
      replace: text('New text.'),
    }),
  },
  {
    name: 'run_command',
    description: 'Runs a bash command in the workspace and waits for its end.',
    parameters: parameters({ command: text('The command.') }),
  },
  { name: 'finish', description: 'The goal is reached.', parameters: parameters({ summary: text('What was done.') }) },
];

const failed = (message: string): ToolOutcome => ({ text: message, isError: true, isFinish: false });
const answered = (message: string): ToolOutcome => ({ text: cut(message), isError: false, isFinish: false });

/** Builds the tools of one workspace. */
export function agentTools(input: AgentToolInput): AgentTools {
  const { ports } = input;
  type Handler = (args: Readonly<Record<string, string>>, scope: ToolScope) => Promise<ToolOutcome>;

  const runCommand: Handler = async (args, scope) => {
    const command = args.command ?? '';
    const outcome = await guardedCommand(input, command, scope, 'run_command');
    return {
      ...answered(outcome.text),
      isError: outcome.isError,
      effect: 'command',
      command,
      exitCode: outcome.exitCode,
    };
  };
  const handlers: Readonly<Record<string, Handler>> = {
    list_files: async () => answered((await visibleFiles(ports)).join('\n')),
    read_file: async (args) => {
      if (await isKept(ports, args.path ?? '')) return failed(kept(args.path ?? ''));
      const file = await ports.files.read(args.path ?? '');
      if (!file.ok) return failed(file.error);
      return file.value.exists ? answered(file.value.text) : failed(`there is no file ${args.path ?? ''}`);
    },
    search: async (args) => answered(await search(ports, args.pattern ?? '')),
    edit_file: async (args, scope) => {
      const { path = '', search: before = '', replace = '' } = args;
      if (await isKept(ports, path)) return failed(kept(path));
      const place = { cwd: input.workspace, workspace: input.workspace };
      const assessment = assessTool('edit_file', args, place);
      const outcome = await applyGuardedEdit(ports, {
        context: scope.context,
        ids: scope.ids,
        tool: 'edit_file',
        path,
        search: before,
        replace,
        level: assessment.level,
        judgement: judgeEdit(assessment, input.policy),
        signal: scope.signal,
        emit: scope.emit,
      });
      return { ...answered(outcome.text), isError: outcome.isError, effect: 'edit' };
    },
    run_command: runCommand,
    finish: (args) => Promise.resolve({ text: args.summary ?? '', isError: false, isFinish: true }),
  };

  return {
    execute: async (call, scope) => {
      const handler = Object.hasOwn(handlers, call.name) ? handlers[call.name] : undefined;
      if (!handler) return failed(`there is no tool ${call.name}`);
      const args = parseArguments(call.argsText);
      const wrong = args && Object.entries(args).find(([, value]) => typeof value !== 'string');
      if (!args || wrong)
        return failed(
          `the arguments of ${call.name} must be a JSON object of texts${wrong ? `; "${wrong[0]}" is not a text` : ''}`,
        );
      return handler(Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)])), scope);
    },
    verify: async (command, scope) => {
      const outcome = await guardedCommand(input, command, scope, 'verify');
      const exit = outcome.exitCode === null ? 'it did not end by itself' : `exit code ${outcome.exitCode}`;
      return {
        passed: outcome.exitCode === 0,
        evidence: `${command}: ${exit}`,
        output: cut(outcome.text),
        // Durations differ between equal failures; the failing lines do not.
        fingerprint: outcome.text.replace(/\d+(\.\d+)?/g, '#'),
      };
    },
  };
}

async function guardedCommand(
  { ports, workspace, policy, timeoutMs, outputLimitBytes, env }: AgentToolInput,
  command: string,
  scope: ToolScope,
  /** Part of the key: a check is an action of its own, also in a turn that ran the same command. */
  tool: string,
): Promise<{ readonly text: string; readonly isError: boolean; readonly exitCode: number | null }> {
  const assessment = assess({ shell: 'bash', command, cwd: workspace, workspace });
  const outcome = await runGuardedCommand(ports, {
    context: scope.context,
    ids: scope.ids,
    tool,
    command,
    shell: 'bash',
    cwd: workspace,
    workspace,
    assessment,
    judgement: judge(assessment, policy, command),
    timeoutMs,
    outputLimitBytes,
    env,
    signal: scope.signal,
    emit: scope.emit,
  });
  return { text: outcome.text, isError: outcome.isError, exitCode: outcome.exitCode };
}

/** Whether `.belayignore` keeps a file; without one nothing is kept. */
async function isKept({ ignore }: Ports, path: string): Promise<boolean> {
  return ignore !== undefined && (await ignore.ignored([path])).words.has(path);
}

/** The files of the workspace without those that `.belayignore` keeps. */
async function visibleFiles({ files, ignore }: Ports): Promise<readonly string[]> {
  const all = await files.list();
  if (!ignore) return all;
  const { words } = await ignore.ignored(all);
  return all.filter((path) => !words.has(path));
}

async function search(ports: Ports, pattern: string): Promise<string> {
  if (pattern === '') return 'no text to look for was given';
  const hits: string[] = [];
  for (const path of await visibleFiles(ports)) {
    const file = await ports.files.read(path);
    if (!file.ok) continue;
    for (const [index, line] of file.value.text.split('\n').entries()) {
      if (line.includes(pattern)) hits.push(`${path}:${index + 1}: ${line.trim().slice(0, 200)}`);
      if (hits.length >= MAX_MATCHES) return `${hits.join('\n')}\n(more than ${MAX_MATCHES} lines match)`;
    }
  }
  return hits.length > 0 ? hits.join('\n') : 'no line matches';
}

function cut(value: string): string {
  if (value.length <= MAX_RESULT_CHARS) return value;
  const half = MAX_RESULT_CHARS / 2;
  return `${value.slice(0, half)}\n[... ${value.length - MAX_RESULT_CHARS} characters left out ...]\n${value.slice(-half)}`;
}
