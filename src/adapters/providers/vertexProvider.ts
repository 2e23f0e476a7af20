// Claude on Google Vertex AI, through Anthropic's client for it with its retries, timer, log, tracing and authentication
// off: it writes Vertex's form of the request; who we are is said by our own fetch. The client is loaded at the first call.
import type { ProviderEvent } from '../../engine/ports.ts';
import { anthropicBody } from './anthropicRequest.ts';
import { exportsOf } from './commonJs.ts';
import { baseOf } from './endpoint.ts';
import type { FetchFunction } from './httpFetch.ts';
import type { AttemptInput } from './rawProvider.ts';
import { anthropicCall, claudeHeaders, CLAUDE_SETTINGS, streamThroughSdk } from './sdkAttempt.ts';

/** The only version that Vertex takes (docs.cloud.google.com/vertex-ai, Claude). */
const VERSION = 'vertex-2023-10-16';

/** Sends once and yields what arrives. */
export function streamVertex(
  fetch: FetchFunction,
  input: AttemptInput,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { request, candidate, attemptId } = input;
  return streamThroughSdk(fetch, input, {
    ...anthropicCall,
    async open(watchedFetch, signal) {
      const [{ AnthropicVertex }, google] = await Promise.all([
        import('@anthropic-ai/vertex-sdk'),
        import('google-auth-library'),
      ]);
      const { PassThroughClient } = exportsOf(google);
      const client = new AnthropicVertex({
        ...CLAUDE_SETTINGS,
        // Without it the client looks for the machine's credentials itself, once per attempt.
        authClient: new PassThroughClient(),
        region: candidate.region,
        // Checked before the attempt; an empty one would be looked for in the environment.
        projectId: candidate.cloud.project ?? '',
        baseURL: baseOf(candidate),
        fetch: watchedFetch,
      });
      const body = { ...anthropicBody(request, candidate), anthropic_version: VERSION };
      return client.messages.create(body, { signal, headers: claudeHeaders(attemptId) });
    },
  });
}
