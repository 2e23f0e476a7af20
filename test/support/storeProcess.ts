// Stores in processes of their own, as other windows have them.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

export interface StoreProcess {
  readonly pid: number;
  /** Calls a method of the store port there; answers come in order. */
  call(method: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Closes the store and ends the process. */
  end(): Promise<void>;
  /** Ends the process without a word (SIGKILL). */
  kill(): Promise<void>;
}

const source = pathToFileURL(join(import.meta.dirname, '../../src/adapters/stores/sqliteStore.ts')).href;
/** Answers each line `[method, ...arguments]` on standard input with a line of JSON. */
const CHILD = `
  import { createInterface } from 'node:readline';
  import { sqliteStore } from ${JSON.stringify(source)};
  const store = sqliteStore({ file: process.env.STORE_FILE });
  let last = Promise.resolve();
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const [method, ...args] = JSON.parse(line);
      const answer = store[method](...args);
      last = last.then(async () => process.stdout.write(JSON.stringify(await answer) + '\\n'));
    })
    .on('close', () => void last.then(() => store.close()));`;

/** Starts a process with a store on `file`; `user`: as another user, by number. */
export function storeProcess(file: string, user?: number): StoreProcess {
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', CHILD], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, STORE_FILE: file },
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(line));
  const exited = new Promise<void>((resolve) => {
    child.on('exit', () => resolve());
  });
  return {
    pid: child.pid ?? 0,
    call: (method, ...args) =>
      new Promise((resolve) => {
        waiting.push((line) => resolve(JSON.parse(line)));
        child.stdin.write(`${JSON.stringify([method, ...args])}\n`);
      }),
    end: async () => {
      child.stdin.end();
      await exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
