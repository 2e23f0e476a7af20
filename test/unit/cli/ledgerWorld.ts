// A ledger on the disk with some edits in it, for tests of the `belay ledger` commands, which run in memory on top of it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '../../../src/adapters/time/realClock.ts';
import { ledgerPlace, ledgerPorts } from '../../../src/cli/ports.ts';
import type { LedgerContext } from '../../../src/cli/ledgerOptions.ts';
import { applyGuardedEdit } from '../../../src/engine/guardedEdit.ts';
import type { ApprovalPort, StorePort } from '../../../src/engine/ports.ts';
import { context as requestContext } from '../../support/memoryWorld.ts';
import { memoryIo } from './memoryIo.ts';

export interface LedgerWorld {
  readonly folder: string;
  readonly db: string;
  readonly workspace: string;
  /** A context whose output is collected. `typed`: what a person types at the terminal; absent: there is nobody. */
  context(typed?: string): {
    readonly context: LedgerContext;
    readonly lines: string[];
    readonly messages: string[];
    readonly json: () => readonly Readonly<Record<string, unknown>>[];
  };
  /** Edits one file and answers the key. */
  edit(path: string, search: string, replace: string, task?: string): Promise<string>;
  /** Works on the store itself. */
  withStore<T>(work: (store: StorePort) => Promise<T>): Promise<T>;
  file(path: string): string;
  put(path: string, text: string): void;
  dispose(): void;
}

const allowAll: ApprovalPort = { ask: () => Promise.resolve({ choice: 'allow', note: '', by: 'test' }) };

/** An empty workspace without a ledger. */
export function ledgerWorld(): LedgerWorld {
  const folder = mkdtempSync(join(tmpdir(), 'belay-ledger-'));
  const [db, workspace] = [join(folder, 'ledger.db'), join(folder, 'ws')];
  mkdirSync(workspace);
  let step = 0;
  const withPorts = async <T>(work: (ports: ReturnType<typeof ledgerPorts>) => Promise<T>): Promise<T> => {
    const ports = ledgerPorts(ledgerPlace({}, db), workspace, allowAll, false);
    try {
      return await work(ports);
    } finally {
      await ports.store.close();
    }
  };
  return {
    folder,
    db,
    workspace,
    context: (typed) => {
      const { io, lines, messages } = memoryIo(typed === undefined ? [] : [typed]);
      const context: LedgerContext = {
        io,
        cwd: workspace,
        env: { HOME: folder },
        nowMs: realClock().nowMs(),
        isTextDefault: false,
        canAsk: typed !== undefined,
        signal: new AbortController().signal,
      };
      // Every line of these commands is a JSON object.
      const json = (): readonly Readonly<Record<string, unknown>>[] =>
        lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
      return { context, lines, messages, json };
    },
    edit: (path, search, replace, task = 'task-1') =>
      withPorts(async (ports) => {
        const outcome = await applyGuardedEdit(ports, {
          context: { ...requestContext, task, step: ++step },
          path,
          search,
          replace,
          judgement: { verdict: 'allow' },
          workspace,
          signal: new AbortController().signal,
          emit: () => undefined,
        });
        if (outcome.result !== 'done') throw new Error(outcome.reason);
        return outcome.key;
      }),
    withStore: (work) => withPorts(({ store }) => work(store)),
    file: (path) => readFileSync(join(workspace, path), 'utf8'),
    put: (path, text) => writeFileSync(join(workspace, path), text),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
