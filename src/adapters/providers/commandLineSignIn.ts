// Signs in as the clouds' own tools on this machine did: `az login`, AWS profiles and SSO, Google's application default
// credentials. The AWS and Google clients are loaded at the first call. Nothing is written and nobody is asked.
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { exportsOf } from './commonJs.ts';
import type { HttpClient } from './httpClient.ts';
import type { FetchFunction } from './httpFetch.ts';
import { parseJson, recordOf, textOf } from './json.ts';
import type { AwsKeys, SignIn, SignInToken } from './signIn.ts';
import { awsHandler, googleFetch, type AwsHandler } from './signInTransport.ts';

/** What Azure OpenAI's tokens are for. */
const ENTRA_RESOURCE = 'https://cognitiveservices.azure.com';
const GOOGLE_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** `az` is a Python program that may have to ask the network. */
const AZ_TIMEOUT_MS = 30_000;
/** Where a source does not say how long its secret is good for (keys in a file, which a person may replace). */
const UNKNOWN_LIFE_MS = 5 * 60_000;

/** The sign-ins of this machine. `nowMs`: milliseconds since the epoch; `client`: the way to AWS and Google. */
export function commandLineSignIn(nowMs: () => number, client: HttpClient): SignIn {
  return {
    entraToken: (signal) => azToken(nowMs, signal),
    googleToken: (signal) => googleToken(nowMs(), googleFetch(client, signal)),
    awsKeys: (profile, signal) => awsKeys(profile, nowMs(), awsHandler(client, signal)),
  };
}

/** The token of who signed in with `az login`; null where it prints none. */
export async function azToken(nowMs: () => number, signal: AbortSignal): Promise<SignInToken | null> {
  return tokenOfAz(await outputOf(azCommand(process.platform, process.env), signal), nowMs());
}

/** A program and its arguments, never joined into a line for a shell to take apart. */
interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * On Windows `az` is a batch file, which only the command interpreter can start; all arguments are our own constants. Both are
 * looked for in the current folder first there, which may be a workspace that nobody trusts: the interpreter is named by its
 * path, and told to leave that folder out.
 */
export function azCommand(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  const args = ['account', 'get-access-token', '--resource', ENTRA_RESOURCE, '--output', 'json'];
  if (platform !== 'win32') return { file: 'az', args, variables: {} };
  const root = environment.SystemRoot ?? String.raw`C:\Windows`;
  return {
    file: String.raw`${root}\System32\cmd.exe`,
    args: ['/d', '/c', 'az', ...args],
    variables: { NoDefaultCurrentDirectoryInExePath: '1' },
  };
}

/** What the program printed. Rejects with its exit code or the system's (ENOENT), never with what it printed. */
function outputOf({ file, args, variables }: Command, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      file,
      [...args],
      {
        signal,
        timeout: AZ_TIMEOUT_MS,
        encoding: 'utf8',
        windowsHide: true,
        cwd: homedir(),
        env: { ...process.env, ...variables },
      },
      (error, stdout) => {
        if (!error) resolve(stdout);
        else reject(Object.assign(new Error(`${file} failed`), { code: exitWord(error.code) }));
      },
    );
  });
}

function exitWord(code: string | number | null | undefined): string {
  return typeof code === 'string' ? code : `exit_${code ?? 'by_signal'}`;
}

/** The token in the JSON that `az` prints; null where there is none in it. */
export function tokenOfAz(printed: string, nowMs: number): SignInToken | null {
  const answer = recordOf(parseJson(printed));
  const secret = textOf(answer?.accessToken);
  if (secret === undefined) return null;
  // `expires_on` is in seconds since the epoch; the older `expiresOn` is local time without its zone.
  const seconds = Number(answer?.expires_on ?? Number.NaN);
  return { secret, expiresAtMs: Number.isFinite(seconds) ? seconds * 1000 : nowMs + UNKNOWN_LIFE_MS };
}

async function googleToken(nowMs: number, fetchImplementation: FetchFunction): Promise<SignInToken | null> {
  const { GoogleAuth } = exportsOf(await import('google-auth-library'));
  // Without a project the library asks the network and `gcloud` for one; ours is in the settings, and this one goes nowhere.
  const client = await new GoogleAuth({
    scopes: [GOOGLE_SCOPE],
    projectId: 'unused',
    clientOptions: { transporterOptions: { fetchImplementation } },
  }).getClient();
  const { token } = await client.getAccessToken();
  if (typeof token !== 'string' || token === '') return null;
  const { expiry_date: expiresAtMs } = client.credentials;
  return {
    secret: token,
    expiresAtMs: expiresAtMs ?? nowMs + UNKNOWN_LIFE_MS,
    ...(client.quotaProjectId === undefined ? {} : { headers: { 'x-goog-user-project': client.quotaProjectId } }),
  };
}

const nothing = (): void => undefined;
const noRegion = (): Promise<undefined> => Promise.resolve(undefined);
/** The libraries would write their warnings on the terminal. */
const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

/** A named profile is that profile only: falling back to another account would be worse than a failure. */
async function awsKeys(
  profile: string | undefined,
  nowMs: number,
  requestHandler: AwsHandler,
): Promise<AwsKeys | null> {
  const { createCredentialChain, fromEnv, fromIni, fromNodeProviderChain } = exportsOf(
    await import('@aws-sdk/credential-providers'),
  );
  const caller = {
    requestHandler,
    logger: SILENT,
    ...(profile === undefined ? {} : { profile }),
    // Nobody's: where it is undefined, the libraries take the profile's own region. Their type does not know that.
    region: noRegion as unknown as () => Promise<string>,
  };
  // Some kinds of profile look into the one, some into the other.
  const configs = { clientConfig: { requestHandler, logger: SILENT }, parentClientConfig: caller };
  const provider =
    profile === undefined
      ? createCredentialChain(fromEnv(), fromNodeProviderChain(configs))
      : fromIni({ profile, ...configs });
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = await provider({ callerClientConfig: caller });
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    expiresAtMs: expiration?.getTime() ?? nowMs + UNKNOWN_LIFE_MS,
  };
}
