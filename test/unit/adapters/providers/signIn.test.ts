// The sign-ins of this machine, with real programs and files of the test's own in the place of the clouds' tools.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../../../src/adapters/time/realClock.ts';
import { azCommand, commandLineSignIn, tokenOfAz } from '../../../../src/adapters/providers/commandLineSignIn.ts';
import { createHttpClient } from '../../../../src/adapters/providers/httpClient.ts';

const signIn = commandLineSignIn(() => 1_000, createHttpClient());
const { signal } = new AbortController();

/** Runs `work` with these environment variables and a folder that is gone afterwards. */
async function inFolder(
  variables: (folder: string) => Readonly<Record<string, string>>,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-sign-in-'));
  const before = { ...process.env };
  for (const name of Object.keys(process.env).filter((each) => /^(AWS|GOOGLE)_/.test(each)))
    Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, variables(folder));
  try {
    await work(folder);
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
    rmSync(folder, { recursive: true, force: true });
  }
}

const pathOf = (folder: string): Record<string, string> => ({ PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` });

function program(folder: string, text: string): void {
  const file = join(folder, 'az');
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

describe('the sign-in of az', () => {
  it('is asked for exactly what Azure OpenAI needs, without a shell', () => {
    const args = [
      'account',
      'get-access-token',
      '--resource',
      'https://cognitiveservices.azure.com',
      '--output',
      'json',
    ];
    expect(azCommand('linux', {})).toEqual({ file: 'az', args, variables: {} });
    expect(azCommand('win32', { SystemRoot: String.raw`D:\Win` })).toMatchObject({
      file: String.raw`D:\Win\System32\cmd.exe`,
      args: ['/d', '/c', 'az', ...args],
    });
  });

  it('is never taken from the folder that happens to be open', async () => {
    expect(azCommand('win32', {})).toMatchObject({
      file: String.raw`C:\Windows\System32\cmd.exe`,
      variables: { NoDefaultCurrentDirectoryInExePath: '1' },
    });
    await inFolder(pathOf, async (folder) => {
      program(folder, `printf '{"accessToken":"%s"}' "$PWD"`);
      expect((await signIn.entraToken(signal))?.secret).toBe(homedir());
    });
  });

  it('reads the token and when it ends', () => {
    const printed = { accessToken: 'token-1', expires_on: 1_900_000_000, expiresOn: '2030-03-17 17:46:40' };
    expect(tokenOfAz(JSON.stringify(printed), 0)).toEqual({ secret: 'token-1', expiresAtMs: 1_900_000_000_000 });
    expect(tokenOfAz('{"accessToken":"token-2"}', 500)).toEqual({ secret: 'token-2', expiresAtMs: 300_500 });
    for (const nothing of ['', 'please sign in', '{}', '{"accessToken":""}', '[]'])
      expect(tokenOfAz(nothing, 0)).toBeNull();
  });

  it('runs the real program', async () => {
    await inFolder(pathOf, async (folder) => {
      program(folder, `[ "$1 $2" = "account get-access-token" ] && echo '{"accessToken":"t","expires_on":5}'`);
      expect(await signIn.entraToken(signal)).toEqual({ secret: 't', expiresAtMs: 5_000 });
    });
  });

  it('fails by its exit code, without what it printed, and by ENOENT where it is not installed', async () => {
    await inFolder(pathOf, async (folder) => {
      program(folder, 'echo secret-in-output; echo secret-in-error >&2; exit 3');
      const failure = await signIn.entraToken(signal).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'exit_3' });
      expect(String(failure)).not.toContain('secret');
    });
    await inFolder(
      (folder) => ({ PATH: folder }),
      async () => {
        await expect(signIn.entraToken(signal)).rejects.toMatchObject({ code: 'ENOENT' });
      },
    );
  });

  it('ends the program on abort', async () => {
    await inFolder(pathOf, async (folder) => {
      program(folder, 'exec sleep 60');
      const controller = new AbortController();
      const asked = signIn.entraToken(controller.signal);
      controller.abort();
      await expect(asked).rejects.toMatchObject({ code: 'ABORT_ERR' });
    });
  });
});

describe('the sign-in of AWS', () => {
  const files = (folder: string): Record<string, string> => ({
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_EC2_METADATA_DISABLED: 'true',
  });
  const environment = { AWS_ACCESS_KEY_ID: 'environment-id', AWS_SECRET_ACCESS_KEY: 'environment-secret' };

  it('takes the named profile and nothing from the environment, and no other profile in its place', async () => {
    await inFolder(
      (folder) => ({ ...files(folder), ...environment }),
      async (folder) => {
        const text =
          '[default]\naws_access_key_id = default-id\naws_secret_access_key = s\n' +
          '[work]\naws_access_key_id = work-id\naws_secret_access_key = work-secret\naws_session_token = work-token\n';
        writeFileSync(join(folder, 'credentials'), text);
        writeFileSync(join(folder, 'config'), '');
        expect(await signIn.awsKeys('work', signal)).toEqual({
          accessKeyId: 'work-id',
          secretAccessKey: 'work-secret',
          sessionToken: 'work-token',
          expiresAtMs: 301_000,
        });
        expect(await signIn.awsKeys(undefined, signal)).toMatchObject({ accessKeyId: 'environment-id' });
        await expect(signIn.awsKeys('missing', signal)).rejects.toMatchObject({ name: 'CredentialsProviderError' });
      },
    );
  });

  it('takes the keys of a role from the token service, by one request', async () => {
    const xml = (id: string): string =>
      `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey><SessionToken>role-token</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
    const bodies: string[] = [];
    const server = http.createServer((request, response) => {
      request.setEncoding('utf8');
      let body = '';
      request.on('data', (text: string) => (body += text));
      request.on('end', () => {
        bodies.push(body);
        response.setHeader('content-type', 'text/xml');
        response.end(xml('role-id'));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // A TCP server's address is never a string.
    try {
      await inFolder(
        (folder) => ({ ...files(folder), AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${port}` }),
        async (folder) => {
          writeFileSync(join(folder, 'token'), 'identity-token');
          writeFileSync(join(folder, 'credentials'), '');
          const lines = ['[profile role]', 'region = eu-west-3', 'role_arn = arn:aws:iam::1:role/r'];
          writeFileSync(
            join(folder, 'config'),
            [...lines, `web_identity_token_file = ${join(folder, 'token')}`].join('\n'),
          );
          expect(await signIn.awsKeys('role', signal)).toEqual({
            accessKeyId: 'role-id',
            secretAccessKey: 'role-secret',
            sessionToken: 'role-token',
            expiresAtMs: 1_893_456_000_000,
          });
        },
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toContain('WebIdentityToken=identity-token');
  });

  it('fails where there are no keys at all', async () => {
    await inFolder(files, async (folder) => {
      writeFileSync(join(folder, 'credentials'), '');
      writeFileSync(join(folder, 'config'), '');
      await expect(signIn.awsKeys(undefined, signal)).rejects.toMatchObject({ name: 'CredentialsProviderError' });
    });
  });
});

describe('the sign-in of Google', () => {
  it('exchanges the default credentials for a token, and says whose quota it is', async () => {
    const server = http.createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"access_token":"google-token","expires_in":3600,"token_type":"Bearer"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // A TCP server's address is never a string.
    try {
      await inFolder(
        (folder) => ({ GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'adc.json') }),
        async (folder) => {
          writeFileSync(join(folder, 'subject'), 'subject-token');
          const adc = {
            type: 'external_account',
            audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
            subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
            token_url: `http://127.0.0.1:${port}/token`,
            credential_source: { file: join(folder, 'subject') },
            quota_project_id: 'quota-1',
          };
          writeFileSync(join(folder, 'adc.json'), JSON.stringify(adc));
          const token = await signIn.googleToken(signal);
          expect(token).toMatchObject({ secret: 'google-token', headers: { 'x-goog-user-project': 'quota-1' } });
          expect(token?.expiresAtMs).toBeGreaterThan(realClock().nowMs() + 3_000_000);
        },
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('fails where the named file is not there', async () => {
    await inFolder(
      (folder) => ({ GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'missing.json') }),
      async () => {
        await expect(signIn.googleToken(signal)).rejects.toThrow();
      },
    );
  });
});
