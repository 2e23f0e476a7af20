// The SDK path for OpenAI and servers of the same wire, through the official client with its retries, timer and log off.
// The client is loaded at the first call.
import type { ProviderEvent } from '../../engine/ports.ts';
import { baseOf } from './endpoint.ts';
import type { FetchFunction } from './httpFetch.ts';
import { isRecord } from './json.ts';
import { openaiBody } from './openaiRequest.ts';
import type { AttemptInput } from './rawProvider.ts';
import { SDK_TIMEOUT_MS, streamThroughSdk } from './sdkAttempt.ts';

/** The client refuses an empty key; our fetch sends none then. */
const NO_KEY = 'none';

/** Sends once and yields what arrives. */
export function streamOpenai(
  fetch: FetchFunction,
  input: AttemptInput,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { request, candidate, attemptId, key } = input;
  return streamThroughSdk(fetch, input, {
    async open(watchedFetch, signal) {
      const { OpenAI } = await import('openai');
      const client = new OpenAI({
        apiKey: key === '' ? NO_KEY : key,
        // Without these the client takes them from the environment, where they may belong to another account.
        organization: null,
        project: null,
        adminAPIKey: null,
        baseURL: baseOf(candidate.baseUrl, candidate.wire),
        maxRetries: 0,
        timeout: SDK_TIMEOUT_MS,
        logLevel: 'off',
        fetch: watchedFetch,
      });
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
