// The SDK path for Anthropic, through the official client with its retries, timer, log and tracing off.
// The client is loaded at the first call.
import type { ProviderEvent } from '../../engine/ports.ts';
import { anthropicBody } from './anthropicRequest.ts';
import { baseOf } from './endpoint.ts';
import type { FetchFunction } from './httpFetch.ts';
import type { AttemptInput } from './rawProvider.ts';
import { anthropicCall, claudeHeaders, CLAUDE_SETTINGS, streamThroughSdk } from './sdkAttempt.ts';

/** The client refuses an empty key; our fetch puts the real one in its place. */
const NO_KEY = 'none';

/** Sends once and yields what arrives. */
export function streamAnthropic(
  fetch: FetchFunction,
  input: AttemptInput,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { request, candidate, attemptId } = input;
  return streamThroughSdk(fetch, input, {
    ...anthropicCall,
    async open(watchedFetch, signal) {
      const { Anthropic } = await import('@anthropic-ai/sdk');
      const client = new Anthropic({
        ...CLAUDE_SETTINGS,
        apiKey: NO_KEY,
        baseURL: baseOf(candidate),
        fetch: watchedFetch,
      });
      return client.messages.create(anthropicBody(request, candidate), { signal, headers: claudeHeaders(attemptId) });
    },
  });
}
