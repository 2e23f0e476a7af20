// `belay doctor` on good and bad providers that really answer on loopback: what it finds, and how a newcomer reads it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { memoryIo } from '../unit/cli/memoryIo.ts';

const KEY = 'sk-canary-0123456789';
const MODELS = ['llama-3.3-70b-versatile', 'gpt-oss-120b', 'gpt-4o-2024-08-06'];

interface Run {
  readonly code: number;
  readonly lines: readonly string[];
  readonly messages: readonly string[];
  /** Paths that were asked for. */
  readonly asked: readonly string[];
}

/** Runs the doctor on a file in which ADDRESS stands for a server that lists models to whoever has the key. */
async function doctor(
  config: string | null,
  { environment = {}, json = false }: { environment?: Record<string, string>; json?: boolean } = {},
): Promise<Run> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(request.url ?? '');
    const isKnown = request.headers.authorization === `Bearer ${KEY}` || request.url?.startsWith('/open') === true;
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isKnown ? { data: MODELS.map((id) => ({ id })) } : { error: { message: `wrong key ${KEY}` } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server's address is never a pipe's name.
  const directory = await mkdtemp(join(tmpdir(), 'belay-doctor-'));
  try {
    if (config !== null)
      await writeFile(join(directory, 'f.yaml'), config.replaceAll('ADDRESS', `http://127.0.0.1:${port}`));
    const { io, lines, messages } = memoryIo([]);
    const options = { ...(config === null ? {} : { config: 'f.yaml' }), json };
    const code = await doctorCommand(options, directory, io, { XDG_DATA_HOME: directory, ...environment });
    return { code, lines: lines.map((line) => line.replaceAll(String(port), 'PORT')), messages, asked };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true, force: true });
  }
}

const provider = (id: string, more: string): string => `  - { id: ${id}, kind: openai-compatible, ${more} }\n`;

describe('belay doctor', () => {
  it('finds nothing wrong with a provider that lists what is configured', async () => {
    const run = await doctor(
      `providers:\n${provider('good', "baseUrl: 'ADDRESS/v1', keyEnv: K, models: [{ name: gpt-oss-120b }, { name: gpt-4o }]")}`,
      { environment: { K: KEY } },
    );
    expect(run.code).toBe(0);
    expect(run.asked).toEqual(['/v1/models']);
    expect(run.lines).toContain('Providers');
    expect(run.lines.find((line) => line.includes('good/main'))).toMatch(
      /^ {2}✓ good\/main@default {2}3 models, answered in \d+ ms$/,
    );
    expect(run.lines.at(-1)).toBe('All is well.');
  });

  it('names each trouble with file, line, setting and remedy, and goes on with the others', async () => {
    const run = await doctor(
      'providers:\n' +
        provider('good', "baseUrl: 'ADDRESS/open', keyless: true, models: [{ name: gpt-oss-120b }]") +
        provider('typo', "baseUrl: 'ADDRESS/open', keyless: true, models: [{ name: gpt-oss-120 }]") +
        provider('nokey', "preset: groq, baseUrl: 'ADDRESS/v1', models: [{ name: m }]") +
        provider('wrong', "baseUrl: 'ADDRESS/v1', keyEnv: W, models: [{ name: m }]") +
        provider('dead', "baseUrl: 'http://127.0.0.1:9/v1', keyless: true, models: [{ name: m }]"),
      { environment: { W: 'sk-not-the-key' } },
    );
    expect(run.code).toBe(1);
    const text = run.lines
      .join('\n')
      .replace(/answered in \d+ ms/g, 'answered in N ms')
      .replace(/(f\.yaml:\d+):\d+/g, '$1:C');
    expect(text.slice(text.indexOf('Providers'))).toBe(
      [
        'Providers',
        '  ✓ good/main@default   3 models, answered in N ms',
        '  ✕ typo/main@default   3 models, answered in N ms, but 1 configured model is not there',
        '      f.yaml:3:C: providers.1.models.0.name: "gpt-oss-120" is not among its models; did you mean "gpt-oss-120b"?',
        '  ✕ nokey/main@default  has no key',
        '      f.yaml:4:C: providers.2.keyEnv: the environment variable GROQ_API_KEY is not set; set it, or name another one here',
        '  ✕ wrong/main@default  refuses the key (status 401)',
        '      Check that the key is whole, not expired, and of an account that may use this provider.',
        '  ✕ dead/main@default   cannot be reached (ECONNREFUSED)',
        '      f.yaml:6:C: providers.4.baseUrl: is http://127.0.0.1:9/v1; check that it is right and that you can reach it',
        '',
        '4 things need you; see ✕ above.',
      ].join('\n'),
    );
    expect(text).not.toContain('sk-');
  });

  it('does not ask a region that the residency rule forbids, and says so', async () => {
    const run = await doctor(
      `disclosure.residency: [eu]\nproviders:\n${provider(
        'far',
        "baseUrl: 'ADDRESS/open', keyless: true, regions: [{ name: us-east, residency: us }], models: [{ name: m }]",
      )}`,
    );
    expect(run.asked).toEqual([]);
    expect(run.code).toBe(0);
    expect(run.lines.join('\n')).toContain('providers.0.regions.0: eu-only rule forbids us-east; it is not used');
  });

  it('gives one object a line with --json, with the path in the settings', async () => {
    const run = await doctor(
      `candidates:\n  - { id: c, kind: openai-compatible, baseUrl: 'ADDRESS/open', keyless: true, model: gpt-oss-12 }\n`,
      { json: true },
    );
    const found = run.lines.map((line): unknown => JSON.parse(line));
    expect(run.code).toBe(1);
    expect(found).toContainEqual(expect.objectContaining({ check: 'node', status: 'good', isGood: true }));
    expect(found).toContainEqual(
      expect.objectContaining({
        check: 'provider c/main@default',
        isGood: false,
        remedy: 'belay.providers.0.models.0.name: "gpt-oss-12" is not among its models; did you mean "gpt-oss-120b"?',
        problems: [
          expect.objectContaining({
            path: 'belay.providers.0.models.0.name',
            place: expect.stringMatching(/^f\.yaml:2:\d+: candidates\.0\.model$/) as string, // A matcher has no type.
          }),
        ],
      }),
    );
  });

  it('tells of keys that no provider uses, of proxies, and never a value', async () => {
    const run = await doctor(null, {
      environment: {
        OPENAI_API_KEY: 'sk-a',
        GROQ_API_KEY: 'sk-b',
        GITHUB_TOKEN: 'sk-c',
        HTTPS_PROXY: 'http://user:sk-d@127.0.0.1:9',
      },
    });
    const text = run.lines.join('\n');
    expect(run.code).toBe(0);
    expect(text).toContain('OPENAI_API_KEY is set, but no provider uses it\n      Add a provider of kind openai.');
    expect(text).toContain('Add a provider of kind openai-compatible with preset groq.');
    expect(text).toContain('HTTPS_PROXY is set: requests to providers go by it');
    expect(text).toContain('none is configured');
    expect(text).not.toMatch(/sk-|GITHUB_TOKEN/);
  });

  it('asks nobody where the proxy cannot be used, rather than going around it', async () => {
    const run = await doctor(
      `providers:\n${provider('good', "baseUrl: 'ADDRESS/open', keyless: true, models: [{ name: gpt-oss-120b }]")}`,
      { environment: { HTTPS_PROXY: 'socks5://127.0.0.1:9' } },
    );
    expect(run.asked).toEqual([]);
    expect(run.code).toBe(1);
    expect(run.lines.join('\n')).toContain('HTTPS_PROXY is no http or https address');
  });

  it('says of which models no price is known', async () => {
    const run = await doctor(
      'providers: [{ id: b, kind: bedrock, signIn: false, keyEnv: NONE, regions: [{ name: eu-west-1 }], models: [{ name: my-own }, { name: amazon.nova-lite-v1:0 }] }]',
    );
    expect(run.lines.join('\n')).toContain('no price is known of my-own; cost counts as 0');
  });

  it('ends with 2 and one line for a file that cannot be read', async () => {
    const run = await doctor('providers: [{ id: p }]');
    expect(run.code).toBe(2);
    expect(run.lines).toEqual([]);
    expect(run.messages[0]).toMatch(/^f\.yaml:1:\d+: providers\.0\.kind: /);
  });
});
