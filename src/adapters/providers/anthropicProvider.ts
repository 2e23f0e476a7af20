// The SDK path for Anthropic, through the official client. It is loaded at the first call.
import type { ProviderEvent } from '../../engine/ports.ts';
import { streamClaude } from './claudeAttempt.ts';
import type { FetchFunction } from './httpFetch.ts';
import type { AttemptInput } from './rawProvider.ts';

/** The client refuses an empty key; our fetch puts the real one in its place. */
const NO_KEY = 'none';

/** Sends once and yields what arrives. */
export function streamAnthropic(
  fetch: FetchFunction,
  input: AttemptInput,
): AsyncGenerator<ProviderEvent, void, undefined> {
  return streamClaude(fetch, input, async (settings) => {
    const { Anthropic } = await import('@anthropic-ai/sdk');
    return new Anthropic({ ...settings, apiKey: NO_KEY });
  });
}
