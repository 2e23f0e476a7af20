// Claude on Google Vertex AI, through Anthropic's client for it: it writes Vertex's form of the request; who we are is said by
// our own fetch. The client is loaded at the first call.
import type { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import type { ProviderEvent } from '../../engine/ports.ts';
import { streamClaude, type ClaudeSettings } from './claudeAttempt.ts';
import { exportsOf } from './commonJs.ts';
import type { FetchFunction } from './httpFetch.ts';
import type { AttemptInput } from './rawProvider.ts';

/** The only version that Vertex takes (docs.cloud.google.com/vertex-ai, Claude). */
const VERSION = 'vertex-2023-10-16';

/** Sends once and yields what arrives. */
export function streamVertex(
  fetch: FetchFunction,
  input: AttemptInput,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { region, cloud } = input.candidate;
  const connect = async (settings: ClaudeSettings): Promise<AnthropicVertex> => {
    const [sdk, google] = await Promise.all([import('@anthropic-ai/vertex-sdk'), import('google-auth-library')]);
    const { PassThroughClient } = exportsOf(google);
    return new sdk.AnthropicVertex({
      ...settings,
      // Without it the client looks for the machine's credentials itself, once per attempt.
      authClient: new PassThroughClient(),
      region,
      // Checked before the attempt; an empty one would be looked for in the environment.
      projectId: cloud.project ?? '',
    });
  };
  return streamClaude(fetch, input, connect, VERSION);
}
