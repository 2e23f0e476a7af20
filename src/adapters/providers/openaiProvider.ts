// The SDK path for OpenAI, Azure and servers of the same wire, through the official client with its retries, timer and log
// off. The client is loaded at the first call.
import type { OpenAI } from 'openai';
import type { ProviderEvent } from '../../engine/ports.ts';
import { baseOf } from './endpoint.ts';
import type { FetchFunction } from './httpFetch.ts';
import { isRecord } from './json.ts';
import { openaiBody } from './openaiRequest.ts';
import type { AttemptInput } from './rawProvider.ts';
import { SDK_TIMEOUT_MS, streamThroughSdk } from './sdkAttempt.ts';

/** The client refuses an empty key; our fetch puts the real one in its place. */
const NO_KEY = 'none';

/** Sends once and yields what arrives. */
export function streamOpenai(
  fetch: FetchFunction,
  input: AttemptInput,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { request, candidate, attemptId } = input;
  return streamThroughSdk(fetch, input, {
    async open(watchedFetch, signal) {
      const client = await clientOf(input, watchedFetch);
      return client.chat.completions.create(openaiBody(request, candidate), {
        signal,
        ...(attemptId === undefined ? {} : { headers: { 'x-belay-attempt': attemptId } }),
      });
    },
    inBandBody: (error) => {
      if (!isRecord(error) || error.status !== undefined || error.error === undefined) return undefined;
      return { error: error.error };
    },
    isLast: () => false,
  });
}

async function clientOf({ candidate }: AttemptInput, fetch: FetchFunction): Promise<OpenAI> {
  const sdk = await import('openai');
  return new sdk.OpenAI({
    apiKey: NO_KEY,
    // Without these the client takes them from the environment, where they may belong to another account.
    organization: null,
    project: null,
    adminAPIKey: null,
    baseURL: baseOf(candidate),
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: 'off',
    fetch,
  });
}
