// The live check of a provider for `belay doctor` and for adding one: does the address answer, is the key or the sign-in
// good, which models are there, how long does it take. Sends a few GETs and no prompt.
import type { Observation } from '../../core/faults/fault.ts';
import type { ClockPort, Result } from '../../engine/ports.ts';
import { isSuccess } from './answerRelay.ts';
import { commandLineSignIn } from './commandLineSignIn.ts';
import { authenticator, secretsOf, type Authenticate } from './credential.ts';
import { createCredentials } from './credentials.ts';
import { createHttpClient, readText, type HttpClient } from './httpClient.ts';
import { parseJson } from './json.ts';
import type { AnswerHead, ClientError } from './observation.ts';
import { bodyOf, clientErrorOf, observe } from './observation.ts';
import { probePlan, type ProbeCall, type ProbePlan, type ProbeTarget } from './probePlans.ts';
import type { SignIn } from './signIn.ts';
import { placeTrouble, secretsInQuery } from './target.ts';
import type { Transport } from './transport.ts';
import { TROUBLE_CODES, type Trouble } from './trouble.ts';

/** A provider's list of models may be long (aggregators have several hundred). */
const LIST_LIMIT_BYTES = 16 * 1024 * 1024;

/** What to check and who asks. */
export interface ProbeInput extends ProbeTarget {
  /** For messages; the kind where it has no name yet. */
  readonly providerId?: string;
  /** The key where `auth` is `key`; empty: a server that wants none. */
  readonly key: string;
  readonly signIn?: Partial<SignIn>;
  /** As in `ProviderOptions`. */
  readonly transport?: Transport;
  readonly signal: AbortSignal;
  readonly clock: ClockPort;
}

/** What a provider that works said. */
export interface ProbeReport {
  readonly models: readonly string[];
  /** False where this provider or account cannot be asked for a list: `models` is empty then, and says nothing. */
  readonly isListed: boolean;
  /** From sending to the whole answer, connection included, sign-in not. */
  readonly latencyMs: number;
}

type ProbeResult = Result<ProbeReport, Observation>;

/** An answer as far as it came. */
interface Heard {
  readonly head: AnswerHead;
  readonly text: string;
}

/** Checks a provider; an abort comes back as an error with code ABORT_ERR. */
export async function probeProvider(input: ProbeInput): Promise<ProbeResult> {
  const { kind, providerId = kind, auth, cloud, signal, clock } = input;
  let secrets: readonly string[] = [];
  const failed = (heard: Heard | null, clientError: ClientError | null): ProbeResult => {
    const head = heard?.head ?? null;
    const phase = head && isSuccess(head.status) ? 'before_first_token' : 'before_headers';
    const body = heard && bodyOf(heard.text);
    return {
      ok: false,
      error: observe({ provider: kind, head, body, clientError, phase, finishReason: null, secrets }),
    };
  };
  const plan = kind === 'vscode' ? EDITOR_ONLY : planOf(input, providerId);
  if ('code' in plan) return failed(null, plan);
  const client = createHttpClient(input.transport);
  try {
    const nowMs = (): number => clock.nowMs();
    const signIn = { ...commandLineSignIn(nowMs, client), ...input.signIn };
    const found = await createCredentials(() => Promise.resolve(input.key), signIn, nowMs).of(
      { providerId, account: 'main', kind, auth, cloud },
      signal,
    );
    if (!found.ok) return failed(null, errorOf(found.trouble));
    secrets = [...secretsOf(found.credential), ...secretsInQuery(plan.main.url)];
    const ask = asker(client, authenticator(input, found.credential), signal);
    return await follow(plan, ask, clock, failed);
  } catch (error) {
    if (signal.aborted)
      return failed(null, { name: 'AbortError', code: 'ABORT_ERR', message: 'The check was cancelled.' });
    return failed(null, clientErrorOf(error));
  } finally {
    client.dispose();
  }
}

type Ask = (call: Pick<ProbeCall, 'url' | 'headers'>) => Promise<Heard>;

async function follow(
  plan: ProbePlan,
  ask: Ask,
  clock: ClockPort,
  failed: (heard: Heard, clientError: ClientError | null) => ProbeResult,
): Promise<ProbeResult> {
  const { main, more, unlisted } = plan;
  const startMs = clock.nowMs();
  let heard = await ask(main);
  const latencyMs = clock.nowMs() - startMs;
  const works = (models: readonly string[], isListed: boolean): ProbeResult => ({
    ok: true,
    value: { models, isListed, latencyMs },
  });
  if (!isSuccess(heard.head.status)) {
    if (!unlisted?.isMeant(heard.head.status, heard.text)) return failed(heard, null);
    if (unlisted.url === null) return works([], false);
    heard = await ask({ url: unlisted.url, headers: {} });
    return isSuccess(heard.head.status) ? works([], false) : failed(heard, null);
  }
  const models = main.read(parseJson(heard.text));
  if (!models) {
    const message = `${main.url.origin}${main.url.pathname} answered, but not with a list of models. Check the base URL.`;
    return failed(heard, { name: 'ProviderError', code: TROUBLE_CODES.malformedChunk, message });
  }
  const added = await Promise.all(more.map((call) => extra(call, ask)));
  return works([...new Set([...models, ...added.flat()])], true);
}

/** What a further list adds; nothing where it fails. */
async function extra(call: ProbeCall, ask: Ask): Promise<readonly string[]> {
  try {
    const { head, text } = await ask(call);
    return (isSuccess(head.status) ? call.read(parseJson(text)) : null) ?? [];
  } catch {
    // The main list has already shown that the provider works.
    return [];
  }
}

function asker(client: HttpClient, authenticate: Authenticate, signal: AbortSignal): Ask {
  return async ({ url, headers }) => {
    const request = {
      method: 'GET',
      url,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
    } as const;
    const proof = await authenticate({ ...request, body: '' });
    const response = await client.send({ ...request, headers: { ...proof, ...request.headers } }, signal);
    return { head: response, text: await readText(response.body, LIST_LIMIT_BYTES) };
  };
}

const EDITOR_ONLY: ClientError & { readonly code: string } = {
  name: 'ProviderError',
  code: TROUBLE_CODES.unsupportedCandidate,
  message: 'The models of VS Code can be reached inside VS Code only. Look at them there.',
};

/** The plan, or why nothing is asked. An address is never shown: it may hold a secret. */
function planOf(input: ProbeInput, providerId: string): ProbePlan | (ClientError & { readonly code: string }) {
  const why = placeTrouble(input, `provider "${providerId}"`);
  if (why) return errorOf(why);
  return (
    probePlan(input) ?? {
      name: 'ProviderError',
      code: TROUBLE_CODES.badBaseUrl,
      message: `The base URL of provider "${providerId}" is no http or https address. Correct it.`,
    }
  );
}

function errorOf({ code, message }: Trouble): ClientError & { readonly code: string } {
  return { name: 'ProviderError', code, message };
}
