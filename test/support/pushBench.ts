// A workbench for guarded commands of git that are stopped half-way: the whole way of an effect with the real store, gate, git
// and servers of git's own on this machine (port 0, no service is left behind). Only the probe's settle delay does not pass.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';
import { gatedCommands } from '../../src/adapters/process/gatedCommands.ts';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import { realClock } from '../../src/adapters/time/realClock.ts';
import type { LedgerEntry } from '../../src/core/ledger/entry.ts';
import type { EffectPorts } from '../../src/engine/effectEntry.ts';
import { reconcileEffect } from '../../src/engine/effectReconcile.ts';
import { runGuardedCommand } from '../../src/engine/guardedCommand.ts';
import { must } from './memoryEntries.ts';
import { probeBench } from './probeBench.ts';
import type { ProbeBench } from './probeBench.ts';

const SETTLE_MS = 3000;
const context = { tenant: 'local', client: 'test', task: 'push', step: 1, role: 'coder' as const };

export interface PushBench {
  readonly probes: ProbeBench;
  /** Runs a guarded command and answers its entry. `stopWhen`: stop it as soon as this file beside the workspace is there. */
  guarded(command: string, stopWhen?: string): Promise<LedgerEntry>;
  /** Looks again at an entry. */
  again(entry: LedgerEntry): Promise<LedgerEntry>;
  /** A hook that tells that it began and goes on until the file `go` is there. */
  slowHook(folder: string, name: string): void;
  /** Lets slow hooks go on. */
  go(): void;
  /** Serves the folder beside the workspace with git's own daemon; answers the address of `remote` there. */
  daemon(): Promise<string>;
  /** The same by HTTP; each push is taken, but its answer is lost as by a gateway that gives up. */
  gateway(isLost: boolean): Promise<string>;
  remove(): Promise<void>;
}

/** Waits for something that another process does. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** There, with something in it. */
function isWritten(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0;
}

export function pushBench(): PushBench {
  const probes = probeBench();
  const [clock, home] = [realClock(), probes.beside('home')];
  const ports: EffectPorts = {
    clock: { ...clock, sleep: (ms, signal) => (ms === SETTLE_MS ? Promise.resolve() : clock.sleep(ms, signal)) },
    store: sqliteStore({ file: probes.beside('ledger.db') }),
    command: gatedCommands({ directory: probes.beside('gate'), killGraceMs: 300 }),
    files: workspaceFiles({ root: probes.workspace, beforeDirectory: probes.beside('images') }),
    approval: { ask: () => Promise.resolve({ choice: 'deny', note: 'nobody is asked', by: 'test' }) },
  };
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const served = async (server: Server): Promise<number> => {
    servers.push(server);
    server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A server that listens on a port has an address of this shape.
    return (server.address() as AddressInfo).port;
  };
  const environment = { PATH: process.env.PATH ?? '', HOME: home };
  return {
    probes,
    async guarded(command, stopWhen) {
      const stop = new AbortController();
      const running = runGuardedCommand(ports, {
        context: { ...context, criticality: 'low', qualityFloor: 0, deadlineMs: Infinity },
        ...{ command, shell: 'bash', cwd: probes.workspace, workspace: probes.workspace, timeoutMs: 60_000 },
        assessment: { level: 'R2', reasons: [], effects: [], parsed: true },
        judgement: { verdict: 'allow' },
        env: { ...environment, GIT_TERMINAL_PROMPT: '0' },
        signal: stop.signal,
        emit: () => undefined,
      });
      if (stopWhen !== undefined) {
        await until(() => isWritten(probes.beside(stopWhen)));
        stop.abort();
      }
      const { key } = await running;
      return must(await ports.store.entry(key))!;
    },
    again: async (entry) => must(await reconcileEffect(ports, entry, 0, () => undefined)).entry,
    slowHook: (folder, name) => {
      mkdirSync(folder, { recursive: true });
      const [began, go] = [probes.beside('began'), probes.beside('go')];
      const wait = `echo $$ >> '${began}'; while ! test -e '${go}'; do sleep 0.05; done`;
      writeFileSync(join(folder, name), `#!/bin/sh\n${wait}\n`, { mode: 0o755 });
    },
    go: () => writeFileSync(probes.beside('go'), ''),
    async daemon() {
      const words = ['daemon', '--inetd', '--export-all', '--enable=receive-pack', `--base-path=${probes.beside('.')}`];
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        const child = spawn('git', words, { env: environment, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
        child.stdin.on('error', () => undefined);
        socket.pipe(child.stdin);
        child.stdout.pipe(socket);
      });
      return `git://127.0.0.1:${await served(server)}/remote`;
    },
    async gateway(isLost) {
      const server = createHttpServer((request, response) => {
        const { pathname, search } = new URL(request.url ?? '', 'http://127.0.0.1');
        const env = {
          ...environment,
          ...{ GIT_PROJECT_ROOT: probes.beside('.'), GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: 'ada' },
          ...{ REQUEST_METHOD: request.method ?? '', PATH_INFO: pathname, QUERY_STRING: search.slice(1) },
          ...{ CONTENT_TYPE: request.headers['content-type'] ?? '' },
          ...{ HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '' },
        };
        const child = spawn('git', ['http-backend'], { env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
        const parts: Buffer[] = [];
        request.pipe(child.stdin);
        child.stdout.on('data', (part: Buffer) => parts.push(part));
        if (request.method === 'POST' && isLost) {
          void until(() => isWritten(probes.beside('began'))).then(() => response.writeHead(504).end());
          return;
        }
        child.once('close', () => {
          const whole = Buffer.concat(parts);
          const end = whole.indexOf('\r\n\r\n');
          let status = 200;
          for (const line of whole.subarray(0, end).toString().split('\r\n')) {
            const [name = '', value = ''] = line.split(': ');
            if (name === 'Status') status = Number.parseInt(value, 10);
            else if (name !== '') response.setHeader(name, value);
          }
          response.writeHead(status).end(whole.subarray(end + 4));
        });
      });
      return `http://127.0.0.1:${await served(server)}/remote`;
    },
    async remove() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      await ports.store.close();
      probes.remove();
    },
  };
}
