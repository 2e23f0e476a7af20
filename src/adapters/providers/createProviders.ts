// The provider port: chooses the path of an attempt, finds its credential and hands both to it. Sends nothing itself.
import type { Candidate, ProviderKind } from '../../core/candidate.ts';
import type { Wire } from '../../core/chat.ts';
import type { ProviderEvent, ProviderPort } from '../../engine/ports.ts';
import { realClock } from '../time/realClock.ts';
import { FINISH_GRACE_MS } from './answerLimits.ts';
import { createRelay, isFailure } from './answerRelay.ts';
import { streamAnthropic } from './anthropicProvider.ts';
import { streamBedrock } from './bedrockProvider.ts';
import { withCallerNames } from './callerNames.ts';
import { commandLineSignIn } from './commandLineSignIn.ts';
import { authenticator, secretsOf, type Credential } from './credential.ts';
import { createCredentials, type Credentials, type Secrets } from './credentials.ts';
import { createHttpClient } from './httpClient.ts';
import type { FetchFunction } from './httpFetch.ts';
import { httpFetch } from './httpFetch.ts';
import { streamOpenai } from './openaiProvider.ts';
import type { AttemptInput } from './rawProvider.ts';
import { streamRaw } from './rawProvider.ts';
import type { SignIn } from './signIn.ts';
import { secretsInQuery, targetOf } from './target.ts';
import type { Transport } from './transport.ts';
import type { Trouble } from './trouble.ts';
import { TROUBLE_CODES, trouble, TroubleError } from './trouble.ts';
import { streamVertex } from './vertexProvider.ts';

export type { Secrets } from './credentials.ts';

/** What the providers need. */
export interface ProviderOptions {
  readonly secrets: Secrets;
  /** The way to the network: proxies and authorities; by default none and the runtime's own. */
  readonly transport?: Transport;
  /** Replaces the SDKs' way to the network. The raw path does not use it. */
  readonly fetch?: FetchFunction;
  /** How long a provider may stay silent after it has said why it stopped; 1 s by default. */
  readonly finishGraceMs?: number;
  /** Replaces single sign-ins of this machine (`az`, AWS profiles, Google's default credentials). */
  readonly signIn?: Partial<SignIn>;
  /** Serves the models of VS Code itself; absent outside of it. */
  readonly editor?: ProviderPort;
  /** For the life of tokens; the machine's clock by default. */
  readonly nowMs?: () => number;
}

/** The port, and the way to close its pooled connections. */
export interface Providers extends ProviderPort {
  dispose(): void;
}

/** Sends once and yields what arrives. */
type Stream = (input: AttemptInput) => AsyncGenerator<ProviderEvent, void, undefined>;

/** All provider paths behind one port. */
export function createProviders(options: ProviderOptions): Providers {
  const client = createHttpClient(options.transport);
  const clock = realClock();
  const nowMs = options.nowMs ?? (() => clock.nowMs());
  const credentials = createCredentials(
    options.secrets,
    { ...commandLineSignIn(nowMs, client), ...options.signIn },
    nowMs,
  );
  const open: Stream = (input) => {
    const { kind, path, wire } = input.candidate;
    const fetch = options.fetch ? tellingFetch(options.fetch, input.onSent) : httpFetch(client, input.onSent);
    if (wire === 'anthropic-messages' && kind === 'bedrock') return streamBedrock(fetch, input);
    if (wire === 'anthropic-messages' && kind === 'vertex') return streamVertex(fetch, input);
    if (path === 'raw') return streamRaw(client, input);
    return wire === 'anthropic-messages' ? streamAnthropic(fetch, input) : streamOpenai(fetch, input);
  };
  const finishGraceMs = options.finishGraceMs ?? FINISH_GRACE_MS;
  return {
    stream: (request, candidate, signal, attemptId, tellSent) => {
      if (candidate.path === 'editor' || candidate.kind === 'vscode')
        return options.editor?.stream(request, candidate, signal, attemptId, tellSent) ?? onlyInEditor(candidate);
      tellSent?.(false);
      const onSent = (rttMs?: number): void => tellSent?.(true, rttMs);
      return attempt(credentials, open, { request, candidate, signal, attemptId, onSent, finishGraceMs });
    },
    dispose: () => {
      client.dispose();
    },
  };
}

/** Another's fetch does not say when a request has left: it counts as sent from the start. */
function tellingFetch(fetch: FetchFunction, onSent: AttemptInput['onSent']): FetchFunction {
  return (input, init) => {
    onSent();
    return fetch(input, init);
  };
}

type Asked = Omit<AttemptInput, 'url' | 'authenticate' | 'relay'>;

async function* attempt(
  credentials: Credentials,
  open: Stream,
  asked: Asked,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { candidate, signal } = asked;
  const ready = await prepare(credentials, asked);
  if (signal.aborted || ready === null) return;
  if ('code' in ready) {
    yield told(candidate, ready);
    return;
  }
  const { url, credential } = ready;
  const relay = createRelay(candidate, [...secretsOf(credential), ...secretsInQuery(url)]);
  const sent = open({ ...asked, url, relay, authenticate: authenticator(candidate, credential) });
  const events = withCallerNames(sent, asked.request, candidate);
  if (credential.type === 'none' || credential.type === 'key') {
    yield* events;
    return;
  }
  for await (const event of events) {
    // Not sent again here: whether to try once more is the engine's decision, and then with a new token.
    if (isFailure(event) && isRefusal(event.failed.httpStatus, credential)) credentials.refused(credential);
    yield event;
  }
}

/** AWS answers 403 where others answer 401, also to keys that have expired. */
function isRefusal(status: number | null, credential: Credential): boolean {
  return status === 401 || (status === 403 && credential.type === 'aws');
}

/** Address and credential, or what is missing; null where the attempt was aborted meanwhile. */
async function prepare(
  credentials: Credentials,
  { candidate, request, signal }: Asked,
): Promise<{ readonly credential: Credential; readonly url: URL } | Trouble | null> {
  const misfit = misfitOf(candidate);
  if (misfit) return misfit;
  const url = targetOf(candidate, request.model);
  if (!(url instanceof URL)) return url;
  try {
    const result = await credentials.of(candidate, signal);
    return result.ok ? { credential: result.credential, url } : result.trouble;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function told(candidate: Candidate, why: Trouble): ProviderEvent {
  return createRelay(candidate, []).failedBy(new TroubleError(why));
}

// eslint-disable-next-line @typescript-eslint/require-await -- the port's shape; nothing is waited for here
async function* onlyInEditor(candidate: Candidate): AsyncGenerator<ProviderEvent, void, undefined> {
  yield told(
    candidate,
    trouble(
      TROUBLE_CODES.unsupportedCandidate,
      `Candidate "${candidate.id}" is a model of VS Code, which only Belay inside VS Code can reach. Use it there, or leave the provider "${candidate.providerId}" out here.`,
    ),
  );
}

const OPENAI: readonly Wire[] = ['openai-chat'];
const CLOUD: readonly Wire[] = ['openai-chat', 'anthropic-messages'];
/** The wires that the kinds speak today. */
const WIRES: Readonly<Record<ProviderKind, readonly Wire[]>> = {
  openai: OPENAI,
  azure: OPENAI,
  gemini: OPENAI,
  'openai-compatible': OPENAI,
  vscode: OPENAI,
  anthropic: ['anthropic-messages'],
  bedrock: CLOUD,
  vertex: CLOUD,
};

function misfitOf({ id, kind, wire }: Candidate): Trouble | null {
  const wires = WIRES[kind];
  if (wires.includes(wire)) return null;
  return trouble(
    TROUBLE_CODES.unsupportedCandidate,
    `Candidate "${id}" of kind ${kind} cannot speak ${wire}. Set its wire to ${wires.join(' or ')}.`,
  );
}
