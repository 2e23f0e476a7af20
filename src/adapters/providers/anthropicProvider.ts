// The SDK path for Anthropic, through the official client with its retries, timer, log and tracing off.
// The client is loaded at the first call.
import type { ProviderEvent } from '../../engine/ports.ts';
import { anthropicBody } from './anthropicRequest.ts';
import { baseOf } from './endpoint.ts';
import type { FetchFunction } from './httpFetch.ts';
import { isRecord } from './json.ts';
import type { AttemptInput } from './rawProvider.ts';
import { SDK_TIMEOUT_MS, streamThroughSdk } from './sdkAttempt.ts';

/** The client refuses an empty key; our fetch sends none then. */
const NO_KEY = 'none';

/** Sends once and yields what arrives. */
export function streamAnthropic(
  fetch: FetchFunction,
  input: AttemptInput,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { request, candidate, attemptId, key } = input;
  return streamThroughSdk(fetch, input, {
    async open(watchedFetch, signal) {
      const { Anthropic } = await import('@anthropic-ai/sdk');
      const client = new Anthropic({
        apiKey: key === '' ? NO_KEY : key,
        baseURL: baseOf(candidate.baseUrl, candidate.wire),
        maxRetries: 0,
        timeout: SDK_TIMEOUT_MS,
        logLevel: 'off',
        openTelemetry: false,
        fetch: watchedFetch,
      });
      return client.messages.create(anthropicBody(request, candidate), {
        signal,
        ...(attemptId === undefined ? {} : { headers: { 'x-belay-attempt': attemptId } }),
      });
    },
    inBandBody: (error) => (isRecord(error) && error.status === undefined ? error.error : undefined),
    isLast: (chunk) => isRecord(chunk) && chunk.type === 'message_stop',
  });
}
