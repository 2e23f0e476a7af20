// The way to the network on the command line: proxies and private authorities by the usual variables, on both paths, over
// real sockets with real TLS. A proxy's password never reaches an error.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLineSignIn } from '../../src/adapters/providers/commandLineSignIn.ts';
import { createProviders } from '../../src/adapters/providers/createProviders.ts';
import { createHttpClient } from '../../src/adapters/providers/httpClient.ts';
import type { SignIn } from '../../src/adapters/providers/signIn.ts';
import { environmentTransport, networkVariables } from '../../src/adapters/providers/transport.ts';
import { PRIVATE_NAME, privateAuthority } from '../support/certificates.ts';
import { candidateOf, collect, PATHS, REQUEST, runOf, type Path, type Run } from '../support/wirePaths.ts';
import { textOfParts, wireScript } from '../support/wireScripts.ts';

const AUTHORITY = privateAuthority();
const OPENAI_PATHS = PATHS.filter(({ kind }) => kind === 'openai' || kind === 'openai-compatible');

/** A model server over TLS that answers every request with one good stream. */
async function withTlsServer<T>(work: (address: string) => Promise<T>): Promise<T> {
  const events = wireScript('openai-chat').events({ texts: ['by TLS'] });
  const server = https.createServer(AUTHORITY, (incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.end(events.join(''));
  });
  return listening(server, work);
}

/** A proxy that tunnels to this machine, whatever the name, and notes what it was asked for. `status` other than 200 turns every tunnel down. */
async function withProxy<T>(status: number, work: (address: string, seen: string[]) => Promise<T>): Promise<T> {
  const seen: string[] = [];
  const proxy = http.createServer((_, outgoing) => outgoing.writeHead(501).end());
  proxy.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
    seen.push(`${request.url ?? ''} ${request.headers['proxy-authorization'] ?? 'anonymous'}`);
    socket.on('error', () => undefined);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const [, port = ''] = (request.url ?? '').split(':');
    const target = net.connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
  });
  return listening(proxy, (address) => work(address, seen));
}

async function listening<T>(server: http.Server | https.Server, work: (address: string) => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`127.0.0.1:${(server.address() as AddressInfo).port}`); // A TCP server's address is never a string.
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function attempt(path: Path, address: string, environment: Readonly<Record<string, string>>): Promise<Run> {
  const transport = environmentTransport(environment);
  const providers = createProviders({ secrets: () => Promise.resolve('sk-0123456789'), transport });
  try {
    const candidate = candidateOf(path, `https://${address}/v1`);
    return runOf(await collect(providers.stream(REQUEST, candidate, new AbortController().signal)));
  } finally {
    providers.dispose();
  }
}

async function withAuthorityFile<T>(work: (file: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'belay-ca-'));
  const file = join(directory, 'ca.pem');
  await writeFile(file, AUTHORITY.cert);
  try {
    return await work(file);
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe.each(OPENAI_PATHS)('the network of the command line: $name', (path) => {
  it('trusts a private authority only when SSL_CERT_FILE names it', async () => {
    await withTlsServer((address) =>
      withAuthorityFile(async (file) => {
        const distrusted = await attempt(path, address, {});
        expect(distrusted.failed?.clientError?.code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
        const trusted = await attempt(path, address, { SSL_CERT_FILE: file });
        expect(trusted.failed).toBeNull();
        expect(textOfParts(trusted.parts)).toBe('by TLS');
      }),
    );
  });

  it('goes through the proxy with its sign-in, and past it where NO_PROXY says so', async () => {
    await withTlsServer((address) =>
      withAuthorityFile((file) =>
        withProxy(200, async (proxy, seen) => {
          const through = { SSL_CERT_FILE: file, HTTPS_PROXY: `http://me:pass-word@${proxy}` };
          const named = address.replace('127.0.0.1', PRIVATE_NAME);
          expect(textOfParts((await attempt(path, named, through)).parts)).toBe('by TLS');
          expect(seen).toEqual([`${named} Basic ${Buffer.from('me:pass-word').toString('base64')}`]);
          const past = await attempt(path, named, { ...through, NO_PROXY: PRIVATE_NAME });
          expect(past.failed?.clientError?.message).toContain(PRIVATE_NAME);
          expect(seen).toHaveLength(1);
        }),
      ),
    );
  });

  it('never shows a proxy what is served on this machine', async () => {
    await withTlsServer((address) =>
      withAuthorityFile((file) =>
        withProxy(200, async (proxy, seen) => {
          const through = { SSL_CERT_FILE: file, ALL_PROXY: `http://${proxy}` };
          expect(textOfParts((await attempt(path, address, through)).parts)).toBe('by TLS');
          expect(seen).toEqual([]);
        }),
      ),
    );
  });

  it('ends on abort while the proxy says nothing, and has sent nothing', async () => {
    const asked = Promise.withResolvers<undefined>();
    const sockets: net.Socket[] = [];
    const mute = net.createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        asked.resolve(undefined);
      });
    });
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as AddressInfo; // A TCP server's address is never a string.
    const transport = environmentTransport({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    const providers = createProviders({ secrets: () => Promise.resolve('sk-0123456789'), transport });
    const controller = new AbortController();
    const sent: boolean[] = [];
    const tell = (isSent: boolean): void => void sent.push(isSent);
    try {
      const to = candidateOf(path, `https://${PRIVATE_NAME}/v1`);
      const events = collect(providers.stream(REQUEST, to, controller.signal, 'id', tell));
      await asked.promise;
      controller.abort();
      expect(await events).toEqual([]);
      expect(sent).toEqual([false]);
    } finally {
      providers.dispose();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => mute.close(resolve));
    }
  });

  it.each([403, 407, 502])('tells a proxy that turns the tunnel down with %i, without its password', async (status) => {
    await withProxy(status, async (proxy) => {
      const { parts, failed } = await attempt(path, `${PRIVATE_NAME}:9`, {
        https_proxy: `http://me:pass-word@${proxy}`,
      });
      expect(parts).toEqual([]);
      expect(failed?.streamPhase).toBe('before_headers');
      expect(JSON.stringify(failed)).toContain(String(status));
      expect(JSON.stringify(failed)).not.toContain('pass-word');
    });
  });
});

describe('the way of the sign-ins', () => {
  /** What the proxy is asked for, where it turns everything down, and the sign-in with it. */
  async function asked(
    files: Readonly<Record<string, string>>,
    variables: (folder: string) => Readonly<Record<string, string>>,
    work: (signIn: SignIn) => Promise<unknown>,
  ): Promise<readonly string[]> {
    const folder = await mkdtemp(join(tmpdir(), 'belay-sign-in-way-'));
    const before = { ...process.env };
    for (const name of Object.keys(process.env).filter((each) => /^(AWS|GOOGLE)_|_proxy$/i.test(each)))
      Reflect.deleteProperty(process.env, name);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text.replaceAll('FOLDER', folder));
    }
    Object.assign(process.env, variables(folder));
    try {
      return await withProxy(403, async (proxy, seen) => {
        const client = createHttpClient(environmentTransport({ HTTPS_PROXY: `http://${proxy}` }));
        await expect(work(commandLineSignIn(() => 0, client))).rejects.toThrow();
        client.dispose();
        return [...new Set(seen)];
      });
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) Reflect.deleteProperty(process.env, name);
      Object.assign(process.env, before);
      await rm(folder, { recursive: true });
    }
  }

  it("is the same proxy for AWS's", async () => {
    const config =
      '[profile work]\nregion = eu-central-1\nrole_arn = arn:aws:iam::1:role/r\nweb_identity_token_file = FOLDER/token\n';
    const seen = await asked(
      { config, credentials: '', token: 'identity-token' },
      (folder) => ({
        AWS_CONFIG_FILE: join(folder, 'config'),
        AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
      }),
      (signIn) => signIn.awsKeys('work', new AbortController().signal),
    );
    expect(seen).toEqual(['sts.eu-central-1.amazonaws.com:443 anonymous']);
  });

  it("is the same proxy for AWS's single sign-on", async () => {
    const start = 'https://start.example';
    const account = 'sso_account_id = 1\nsso_role_name = r\nsso_region = eu-west-1\n';
    const cached = {
      startUrl: start,
      region: 'eu-west-1',
      accessToken: 'sso-token',
      expiresAt: '2099-01-01T00:00:00Z',
    };
    const seen = await asked(
      {
        config: `[profile work]\nsso_start_url = ${start}\n${account}`,
        credentials: '',
        [join('.aws', 'sso', 'cache', `${createHash('sha1').update(start).digest('hex')}.json`)]:
          JSON.stringify(cached),
      },
      (folder) => ({
        HOME: folder,
        AWS_CONFIG_FILE: join(folder, 'config'),
        AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
      }),
      (signIn) => signIn.awsKeys('work', new AbortController().signal),
    );
    expect(seen).toEqual(['portal.sso.eu-west-1.amazonaws.com:443 anonymous']);
  });

  it("is the same proxy for Google's", async () => {
    const adc = {
      type: 'authorized_user',
      client_id: 'id',
      client_secret: 'client-secret',
      refresh_token: 'refresh-token',
    };
    const seen = await asked(
      { 'adc.json': JSON.stringify(adc) },
      (folder) => ({ GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'adc.json') }),
      (signIn) => signIn.googleToken(new AbortController().signal),
    );
    expect(seen).toEqual(['oauth2.googleapis.com:443 anonymous']);
  });
});

describe('the variables of the network', () => {
  it('name a proxy in vain under a Node that would go past it without a word', () => {
    expect(() => environmentTransport({ HTTPS_PROXY: 'http://p' }, false)).toThrow(/Use Node 24.5 or newer/);
    expect(environmentTransport({ NO_PROXY: 'a' }, false).proxyEnv).toBeUndefined();
  });

  it('are read in either case, ALL_PROXY for both, an address without a scheme as http', () => {
    expect(environmentTransport({}).proxyEnv).toBeUndefined();
    expect(environmentTransport({ NO_PROXY: 'a' }).proxyEnv).toBeUndefined();
    expect(environmentTransport({ ALL_PROXY: 'p:3128', no_proxy: 'a' }).proxyEnv).toEqual({
      http_proxy: 'http://p:3128',
      https_proxy: 'http://p:3128',
      no_proxy: 'a',
    });
  });

  it('that cannot be used are named, never shown', () => {
    expect(() => environmentTransport({ HTTPS_PROXY: 'socks5://me:pass-word@p' })).toThrow(
      'HTTPS_PROXY is no http or https address. Correct it, or unset it.',
    );
    expect(() => environmentTransport({ SSL_CERT_FILE: '/nowhere/at/all.pem' })).toThrow(/^SSL_CERT_FILE names a file/);
  });

  it('are listed by name for a person', () => {
    expect(networkVariables({ HTTPS_PROXY: 'http://p', NODE_EXTRA_CA_CERTS: '/x', PATH: '/bin' })).toEqual([
      'HTTPS_PROXY',
      'NODE_EXTRA_CA_CERTS',
    ]);
  });
});
