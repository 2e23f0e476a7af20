// A small world for guarded effects: a store, files, commands that append to files, a person who answers as told.
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../src/adapters/time/virtualClock.ts';
import type { VirtualClock } from '../../src/adapters/time/virtualClock.ts';
import type { RequestContext } from '../../src/core/context.ts';
import type { EventBody } from '../../src/core/events.ts';
import type { Assessment } from '../../src/core/guard/assessment.ts';
import type { EffectLevel } from '../../src/core/ledger/entry.ts';
import type { EffectPorts } from '../../src/engine/effectEntry.ts';
import type { GuardedCommandInput } from '../../src/engine/guardedCommand.ts';
import type { EditSet } from '../../src/core/edits/editSet.ts';
import type { EditContext, GuardedEditInput } from '../../src/engine/editRequest.ts';
import type { Question, StorePort } from '../../src/engine/ports.ts';
import { memoryCommands } from './memoryCommands.ts';
import type { Fate, MemoryCommands } from './memoryCommands.ts';
import { memoryFiles } from './memoryFiles.ts';
import type { MemoryFiles } from './memoryFiles.ts';

export interface MemoryWorld {
  readonly ports: EffectPorts;
  readonly store: StorePort;
  readonly files: MemoryFiles;
  readonly commands: MemoryCommands;
  readonly clock: VirtualClock;
  readonly events: EventBody[];
  readonly questions: Question[];
}

export interface WorldOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly fate?: () => Fate;
  /** The person's answer. Default allow. */
  readonly answer?: 'allow' | 'deny';
}

export const WORKSPACE = '/repo';
const APPEND = /^(?:sleep \d+ && )?echo (\S+) >> (\S+)$/;

/** `echo WORD >> FILE`, also after `sleep N && `, appends to a file of the world; every other command does nothing. */
export function memoryWorld({ files: initial = {}, fate, answer = 'allow' }: WorldOptions = {}): MemoryWorld {
  const files = memoryFiles(initial);
  const store = memoryStore();
  const clock = virtualClock(1_000_000);
  const questions: Question[] = [];
  const commands = memoryCommands({
    act: ({ command }) => {
      const [, word, path] = APPEND.exec(String(command)) ?? [];
      if (word !== undefined && path !== undefined)
        files.contents.set(path, `${files.contents.get(path) ?? ''}${word}\n`);
    },
    ...(fate ? { fate } : {}),
  });
  const approval: EffectPorts['approval'] = {
    ask: (question) => {
      questions.push(question);
      return Promise.resolve({ choice: answer, note: '', by: 'Ada' });
    },
  };
  const ports = { clock, store, command: commands.asProcess(1), files, approval };
  return { ports, store, files, commands, clock, events: [], questions };
}

export const context: RequestContext = {
  tenant: 'local',
  client: 'test',
  task: 'task-1',
  step: 1,
  role: 'coder',
  criticality: 'medium',
  qualityFloor: 0,
  deadlineMs: 10_000_000,
};

/** What the guard would say of a command of this level. */
export function assessed(level: EffectLevel): Assessment {
  return { level, reasons: [`it is ${level}`], effects: [], parsed: true };
}

/** A request for a command of the world, R2 and allowed unless told otherwise. */
export function commandInput(
  world: MemoryWorld,
  command: string,
  more: Partial<GuardedCommandInput> = {},
): GuardedCommandInput {
  return {
    context,
    command,
    shell: 'bash',
    cwd: WORKSPACE,
    workspace: WORKSPACE,
    assessment: assessed('R2'),
    judgement: { verdict: 'allow' },
    timeoutMs: 1000,
    env: {},
    signal: new AbortController().signal,
    emit: (body) => world.events.push(body),
    ...more,
  };
}

/** A request for an allowed edit. */
export function editInput(
  world: MemoryWorld,
  path: string,
  search: string,
  replace: string,
  more: Partial<EditContext> = {},
): GuardedEditInput {
  return { ...editContext(world), path, search, replace, ...more };
}

/** A request for an allowed edit of several files. */
export function editsInput(
  world: MemoryWorld,
  files: EditSet['files'],
  more: Partial<EditContext> = {},
): GuardedEditInput {
  return { ...editContext(world), edit: { files }, ...more };
}

function editContext(world: MemoryWorld): EditContext {
  return {
    context,
    judgement: { verdict: 'allow' },
    signal: new AbortController().signal,
    emit: (body) => world.events.push(body),
  };
}
