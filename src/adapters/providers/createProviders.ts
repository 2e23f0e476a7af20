// The provider port: chooses the path of an attempt, fetches the key and hands both to it. Sends nothing itself.
import type { Candidate } from '../../core/candidate.ts';
import type { ChatRequest } from '../../core/chat.ts';
import type { ProviderEvent, ProviderPort } from '../../engine/ports.ts';
import { FINISH_GRACE_MS } from './answerLimits.ts';
import { streamAnthropic } from './anthropicProvider.ts';
import { createRelay } from './answerRelay.ts';
import { endpointOf } from './endpoint.ts';
import { createHttpClient } from './httpClient.ts';
import type { FetchFunction } from './httpFetch.ts';
import { httpFetch } from './httpFetch.ts';
import { streamOpenai } from './openaiProvider.ts';
import type { AttemptInput } from './rawProvider.ts';
import { streamRaw } from './rawProvider.ts';
import type { Trouble } from './trouble.ts';
import { TROUBLE_CODES, trouble, TroubleError } from './trouble.ts';

/**
 * The key of a provider's account: `null` when none is stored, the empty string when the server wants none
 * (a model server on this machine).
 */
export type Secrets = (providerId: string, account: string) => Promise<string | null>;

/** What the providers need. */
export interface ProviderOptions {
  readonly secrets: Secrets;
  /** Replaces the SDKs' way to the network (VS Code's fetch where there is a proxy). The raw path does not use it. */
  readonly fetch?: FetchFunction;
  /** How long a provider may stay silent after it has said why it stopped; 1 s by default. */
  readonly finishGraceMs?: number;
}

/** The port, and the way to close its pooled connections. */
export interface Providers extends ProviderPort {
  dispose(): void;
}

/** All provider paths behind one port. */
export function createProviders(options: ProviderOptions): Providers {
  const client = createHttpClient();
  const fetch = options.fetch ?? httpFetch(client);
  const finishGraceMs = options.finishGraceMs ?? FINISH_GRACE_MS;
  const open = (input: AttemptInput): AsyncGenerator<ProviderEvent, void, undefined> => {
    if (input.candidate.path === 'raw') return streamRaw(client, input);
    return input.candidate.wire === 'anthropic-messages' ? streamAnthropic(fetch, input) : streamOpenai(fetch, input);
  };
  return {
    stream: (request, candidate, signal, attemptId) =>
      attempt(options.secrets, open, { request, candidate, signal, attemptId, finishGraceMs }),
    dispose: () => {
      client.dispose();
    },
  };
}

interface Asked {
  readonly request: ChatRequest;
  readonly candidate: Candidate;
  readonly signal: AbortSignal;
  readonly attemptId: string | undefined;
  readonly finishGraceMs: number;
}

async function* attempt(
  secrets: Secrets,
  open: (input: AttemptInput) => AsyncGenerator<ProviderEvent, void, undefined>,
  asked: Asked,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { candidate, signal } = asked;
  const ready = await prepare(secrets, candidate);
  if (signal.aborted) return;
  if ('code' in ready) {
    yield createRelay(candidate, '').failedBy(new TroubleError(ready));
    return;
  }
  yield* open({ ...asked, ...ready, relay: createRelay(candidate, ready.key) });
}

async function prepare(
  secrets: Secrets,
  candidate: Candidate,
): Promise<{ readonly key: string; readonly url: URL } | Trouble> {
  const { providerId, account } = candidate;
  const misfit = misfitOf(candidate);
  if (misfit) return misfit;
  const url = endpointOf(candidate);
  if (!url) {
    return trouble(
      TROUBLE_CODES.badBaseUrl,
      `The base URL of provider "${providerId}" is no http or https address. Correct it in the settings.`,
    );
  }
  try {
    const key = await secrets(providerId, account);
    if (key !== null) return { key: key.trim(), url };
  } catch {
    return trouble(
      TROUBLE_CODES.keyStore,
      `The stored key of provider "${providerId}" (account "${account}") could not be read. Unlock the key store or enter the key again.`,
    );
  }
  return trouble(
    TROUBLE_CODES.missingKey,
    `No key is stored for provider "${providerId}" (account "${account}"). Add one with "Belay: Add Provider" or set its environment variable.`,
  );
}

/** The wires that the kinds speak today. */
function misfitOf(candidate: Candidate): Trouble | null {
  const wire = candidate.kind === 'anthropic' ? 'anthropic-messages' : 'openai-chat';
  if (candidate.wire === wire) return null;
  return trouble(
    TROUBLE_CODES.unsupportedCandidate,
    `Candidate "${candidate.id}" of kind ${candidate.kind} cannot speak ${candidate.wire}. Set its wire to ${wire}.`,
  );
}
