// What Anthropic's three clients (its own, Bedrock's, Vertex's) have in common: settings, headers, body, and how they tell
// errors and ends. Each adapter brings only the client. Their retries, timer, log, tracing and authentication are off.
import type Anthropic from '@anthropic-ai/sdk';
import type { ProviderEvent } from '../../engine/ports.ts';
import { anthropicBody } from './anthropicRequest.ts';
import { baseOf } from './endpoint.ts';
import type { FetchFunction } from './httpFetch.ts';
import { isRecord } from './json.ts';
import type { AttemptInput } from './rawProvider.ts';
import { SDK_TIMEOUT_MS, streamThroughSdk } from './sdkAttempt.ts';

/** The settings of every client; `fetch` says who we are and where it goes. */
export interface ClaudeSettings {
  readonly maxRetries: 0;
  readonly timeout: number;
  readonly logLevel: 'off';
  readonly openTelemetry: false;
  readonly baseURL: string;
  readonly fetch: FetchFunction;
}

/** As much of a client as an attempt needs. */
interface ClaudeClient {
  readonly messages: Pick<Anthropic.Messages, 'create'>;
}

/**
 * Sends once through the client that `connect` makes and yields what arrives. `version` is the wire's version where the cloud
 * wants it in the body.
 */
export function streamClaude(
  fetch: FetchFunction,
  input: AttemptInput,
  connect: (settings: ClaudeSettings) => Promise<ClaudeClient>,
  version?: string,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { request, candidate, attemptId } = input;
  return streamThroughSdk(fetch, input, {
    async open(watchedFetch, signal) {
      const client = await connect({
        maxRetries: 0,
        timeout: SDK_TIMEOUT_MS,
        logLevel: 'off',
        openTelemetry: false,
        baseURL: baseOf(candidate),
        fetch: watchedFetch,
      });
      const body = {
        ...anthropicBody(request, candidate),
        ...(version === undefined ? {} : { anthropic_version: version }),
      };
      return client.messages.create(body, { signal, headers: headersOf(attemptId) });
    },
    inBandBody: (error) => (isRecord(error) && error.status === undefined ? error.error : undefined),
    isLast: (chunk) => isRecord(chunk) && chunk.type === 'message_stop',
  });
}

/** The attempt's id; and no header that ANTHROPIC_CUSTOM_HEADERS may hold and the clouds' clients move into the body. */
function headersOf(attemptId: string | undefined): Record<string, string | null> {
  return {
    'anthropic-beta': null,
    'anthropic-user-profile-id': null,
    ...(attemptId === undefined ? {} : { 'x-belay-attempt': attemptId }),
  };
}
