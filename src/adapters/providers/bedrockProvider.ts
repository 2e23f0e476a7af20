// Claude on Amazon Bedrock, through Anthropic's client for it: it writes Bedrock's form of the request and reads AWS's event
// stream; who we are is said by our own fetch. The client is loaded at the first call.
import type { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import type { ProviderEvent } from '../../engine/ports.ts';
import { streamClaude, type ClaudeSettings } from './claudeAttempt.ts';
import type { FetchFunction } from './httpFetch.ts';
import type { AttemptInput } from './rawProvider.ts';

/** The only version that Bedrock takes (docs.aws.amazon.com/bedrock, Anthropic Claude Messages API). */
const VERSION = 'bedrock-2023-05-31';

/** Sends once and yields what arrives. */
export function streamBedrock(
  fetch: FetchFunction,
  input: AttemptInput,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const connect = async (settings: ClaudeSettings): Promise<AnthropicBedrock> => {
    const sdk = await import('@anthropic-ai/bedrock-sdk');
    return new sdk.AnthropicBedrock({
      ...settings,
      // Not undefined: the client would look into the environment.
      apiKey: null,
      skipAuth: true,
      awsRegion: input.candidate.region,
    });
  };
  return streamClaude(fetch, input, connect, VERSION);
}
