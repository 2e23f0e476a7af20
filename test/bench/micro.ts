// `npm run bench:micro`: the small figures that must stay small, each beside what it is measured against in the same run.
// Prints figures, judges nothing: machines are shared and noisy, so read ratios and medians.
import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import type { Intent } from '../../src/core/ledger/entry.ts';
import { decisionFigures } from './decisions.ts';

const metafileSchema = z.object({
  node: z.object({
    outputs: z.record(
      z.string(),
      z.object({
        bytes: z.number(),
        entryPoint: z.string().optional(),
        imports: z.array(z.object({ path: z.string(), kind: z.string() })),
      }),
    ),
  }),
});
const NOT_YET = 'not measured here yet: npm test does';
const readySchema = z.object({ url: z.string(), pid: z.number() });
const root = fileURLToPath(new URL('../../', import.meta.url));
const line = (name: string, value: string): void => console.log(`${name.padEnd(46)} ${value}`);
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const quantile = (values: readonly number[], q: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * q)] ?? 0;

function entryFigures(): void {
  const file = join(root, 'out', 'metafile.json');
  if (existsSync(file)) {
    const { node } = metafileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const entry = Object.entries(node.outputs).find(([, output]) => output.entryPoint === 'src/extension.ts');
    const closure = new Set<string>();
    const follow = (path: string): void => {
      if (closure.has(path)) return;
      closure.add(path);
      for (const { path: next, kind } of node.outputs[path]?.imports ?? [])
        if (kind === 'import-statement' && node.outputs[next]) follow(next);
    };
    if (entry) follow(entry[0]);
    const bytes = [...closure].reduce((sum, path) => sum + (node.outputs[path]?.bytes ?? 0), 0);
    line(
      'extension entry, static closure',
      `${(bytes / 1024).toFixed(1)} KB in ${closure.size} files (target <= 150 KB)`,
    );
  }
  const stub =
    "import { registerHooks } from 'node:module'; registerHooks({ resolve: (s, c, n) => s === 'vscode' ? { url: 'data:text/javascript,export default {}', shortCircuit: true } : n(s, c) });";
  const script = `await import('vscode'); const a = process.cpuUsage(); await import(${JSON.stringify(join(root, 'dist', 'extension.js'))}); const b = process.cpuUsage(a); console.log((b.user + b.system) / 1000)`;
  const runs = Array.from({ length: 9 }, () => {
    const result = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(stub)}`, '--input-type=module', '-e', script],
      { encoding: 'utf8' },
    );
    if (result.status !== 0) console.error(result.stderr.split('\n').slice(0, 5).join('\n'));
    return Number(result.stdout);
  });
  line('extension entry, import CPU', `${median(runs).toFixed(1)} ms median of ${runs.length} (target <= 25 ms)`);
  const activate = figure('activation.json', z.object({ activateMs: z.number() }));
  line(
    'activate() itself, in the real host',
    activate ? `${activate.activateMs.toFixed(1)} ms (target <= 6 ms)` : NOT_YET,
  );
  const host = figure('host-activation.json', z.object({ hostActivationMs: z.number() }));
  line("activation, VS Code's own figure", host ? `${host.hostActivationMs} ms` : NOT_YET);
}

/** A figure that the host tests of `npm test` have left behind; null when they have not run here. */
function figure<S extends z.ZodType>(name: string, schema: S): z.output<S> | null {
  const file = join(root, 'out', name);
  return existsSync(file) ? schema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

const ANSWER = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello there' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});
const BODY = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello '.repeat(200) }] });

/** A gateway process of its own between this process and a local upstream; direct and through it, in turn. */
async function gatewayFigures(): Promise<void> {
  const upstream = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(ANSWER);
    });
  });
  const port = await listen(upstream);
  const directory = mkdtempSync(join(tmpdir(), 'belay-bench-'));
  const config = join(directory, 'gateway.json');
  writeFileSync(
    config,
    JSON.stringify({
      auth: 'none',
      gateway: { port: 0 },
      candidates: [
        { id: 'a', kind: 'openai-compatible', baseUrl: `http://127.0.0.1:${port}/v1`, model: '{model}', keyless: true },
      ],
      routes: { '*': ['a'] },
    }),
  );
  const child = spawn(process.execPath, [join(root, 'dist', 'cli.js'), 'gateway', '--config', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, XDG_DATA_HOME: directory },
  });
  try {
    const ready = readySchema.parse(JSON.parse(await firstLine(child.stdout)));
    const direct = `http://127.0.0.1:${port}/v1/chat/completions`;
    const through = `${ready.url}/v1/chat/completions`;
    for (let warm = 0; warm < 200; warm++) await post(through);
    const cpuBefore = cpuMs(ready.pid);
    const pairs: { direct: number; through: number }[] = [];
    const ROUNDS = 600;
    for (let round = 0; round < ROUNDS; round++)
      pairs.push({ direct: await timed(direct), through: await timed(through) });
    const cpuAfter = cpuMs(ready.pid);
    const directMs = median(pairs.map((pair) => pair.direct));
    const throughMs = median(pairs.map((pair) => pair.through));
    line(
      'gateway, latency over direct (raw path, 1 conn.)',
      `p50 ${(throughMs - directMs).toFixed(2)} ms (${(throughMs / directMs).toFixed(2)}x of ${directMs.toFixed(2)} ms), p99 ${quantile(
        pairs.map((pair) => pair.through),
        0.99,
      ).toFixed(2)} against ${quantile(
        pairs.map((pair) => pair.direct),
        0.99,
      ).toFixed(2)} ms`,
    );
    line(
      'gateway, CPU per request',
      cpuBefore === null || cpuAfter === null
        ? 'not readable on this system'
        : `${((cpuAfter - cpuBefore) / ROUNDS).toFixed(2)} ms`,
    );
  } finally {
    child.kill('SIGTERM');
    upstream.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.split('\n', 1)[0] ?? '');
    });
    stream.on('end', () => reject(new Error('the gateway ended before it was ready')));
  });
}

function post(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer none' } },
      (response) => {
        response.on('end', resolve).on('error', reject).resume();
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode ?? 0}`));
      },
    );
    request.on('error', reject).end(BODY);
  });
}

async function timed(url: string): Promise<number> {
  const from = process.hrtime.bigint();
  await post(url);
  return Number(process.hrtime.bigint() - from) / 1e6;
}

/** User and system time of a process so far, from /proc; null where there is none. */
function cpuMs(pid: number): number | null {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return null;
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function ledgerFigures(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'belay-bench-'));
  try {
    const syncMs = rawSync(join(directory, 'raw'));
    const store = sqliteStore({ file: join(directory, 'belay.db') });
    const ROUNDS = 500;
    const intent = (index: number): Intent => ({
      key: `k${index}`,
      tenant: 't',
      ids: { client: 'bench', call: null, attempt: null, toolCall: null },
      task: 'bench',
      step: index,
      tool: 'run_command',
      level: 'R2',
      argsText: '{}',
      title: 'bench',
      paths: [],
      preparedAtMs: 1,
      owner: null,
      probe: null,
    });
    await store.write({ prepare: intent(0) });
    const each: number[] = [];
    for (let index = 1; index <= ROUNDS; index++) {
      const from = process.hrtime.bigint();
      const prepared = await store.write({ prepare: intent(index) });
      if (!prepared.ok || !prepared.value) throw new Error('the store did not prepare');
      await store.write({
        changes: [
          {
            key: `k${index}`,
            to: 'COMMITTED',
            evidence: { source: 'bench', detail: '' },
            atMs: 2,
            fence: prepared.value.fence,
          },
        ],
      });
      each.push(Number(process.hrtime.bigint() - from) / 1e6);
    }
    line(
      'ledger, prepare (FULL) + commit, one by one',
      `${(1000 / median(each)).toFixed(0)} per second, ${median(each).toFixed(2)} ms p50; one fdatasync here ${syncMs.toFixed(2)} ms (${(median(each) / syncMs).toFixed(1)}x)`,
    );
    const from = process.hrtime.bigint();
    const TOGETHER = 5000;
    await Promise.all(Array.from({ length: TOGETHER }, (_, index) => store.write({ prepare: intent(10_000 + index) })));
    const totalMs = Number(process.hrtime.bigint() - from) / 1e6;
    line('ledger, prepare (FULL), many at once', `${((TOGETHER / totalMs) * 1000).toFixed(0)} per second`);
    await store.close();
    line(
      'ledger, file',
      `${(statSync(join(directory, 'belay.db')).size / 1024).toFixed(0)} KB for ${ROUNDS + TOGETHER} entries`,
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function rawSync(file: string): number {
  const handle = openSync(file, 'w');
  const times = Array.from({ length: 200 }, () => {
    const from = process.hrtime.bigint();
    writeSync(handle, 'x'.repeat(4096));
    fdatasyncSync(handle);
    return Number(process.hrtime.bigint() - from) / 1e6;
  });
  closeSync(handle);
  return median(times);
}

console.log(
  `load ${loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')}, Node ${process.versions.node}`,
);
entryFigures();
decisionFigures(line);
await gatewayFigures();
await ledgerFigures();
