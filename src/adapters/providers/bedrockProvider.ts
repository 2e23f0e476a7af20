// Claude on Amazon Bedrock, through Anthropic's client for it with its retries, timer, log, tracing and authentication off:
// it writes Bedrock's form of the request and reads AWS's event stream; who we are is said by our own fetch.
// The client is loaded at the first call.
import type { ProviderEvent } from '../../engine/ports.ts';
import { anthropicBody } from './anthropicRequest.ts';
import { baseOf } from './endpoint.ts';
import type { FetchFunction } from './httpFetch.ts';
import type { AttemptInput } from './rawProvider.ts';
import { anthropicCall, claudeHeaders, CLAUDE_SETTINGS, streamThroughSdk } from './sdkAttempt.ts';

/** The only version that Bedrock takes (docs.aws.amazon.com/bedrock, Anthropic Claude Messages API). */
const VERSION = 'bedrock-2023-05-31';

/** Sends once and yields what arrives. */
export function streamBedrock(
  fetch: FetchFunction,
  input: AttemptInput,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { request, candidate, attemptId } = input;
  return streamThroughSdk(fetch, input, {
    ...anthropicCall,
    async open(watchedFetch, signal) {
      const { AnthropicBedrock } = await import('@anthropic-ai/bedrock-sdk');
      const client = new AnthropicBedrock({
        ...CLAUDE_SETTINGS,
        // Not undefined: the client would look into the environment.
        apiKey: null,
        skipAuth: true,
        awsRegion: candidate.region,
        baseURL: baseOf(candidate),
        fetch: watchedFetch,
      });
      const body = { ...anthropicBody(request, candidate), anthropic_version: VERSION };
      return client.messages.create(body, { signal, headers: claudeHeaders(attemptId) });
    },
  });
}
