// The live check of a provider for `belay doctor` and for adding one: does the address answer, is the key good, which
// models are there, how long does it take. Sends one GET and no prompt.
import type { ProviderKind } from '../../core/candidate.ts';
import type { Observation } from '../../core/faults/fault.ts';
import type { ClockPort, Result } from '../../engine/ports.ts';
import { isSuccess } from './answerRelay.ts';
import { authHeaders, urlOf, wireHeaders } from './endpoint.ts';
import { createHttpClient, readText } from './httpClient.ts';
import { listOf, parseJson, recordOf, textOf } from './json.ts';
import type { AnswerHead, ClientError } from './observation.ts';
import { bodyOf, clientErrorOf, observe } from './observation.ts';
import { TROUBLE_CODES } from './trouble.ts';

/** A provider's list of models may be long (aggregators have several hundred). */
const LIST_LIMIT_BYTES = 16 * 1024 * 1024;

/** What to check. An empty key means a server that wants none. */
export interface ProbeInput {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly clock: ClockPort;
}

/** What a provider that works said. `latencyMs`: from sending to the whole list, connection included. */
export interface ProbeReport {
  readonly models: readonly string[];
  readonly latencyMs: number;
}

/** Lists the models of a provider; an abort comes back as an error with code ABORT_ERR. */
export async function probeProvider(input: ProbeInput): Promise<Result<ProbeReport, Observation>> {
  const { kind, clock, key } = input;
  const wire = kind === 'anthropic' ? 'anthropic-messages' : 'openai-chat';
  let head: AnswerHead | null = null;
  const failed = (body: unknown, clientError: ClientError | null): Result<ProbeReport, Observation> => {
    const phase = head && isSuccess(head.status) ? 'before_first_token' : 'before_headers';
    return { ok: false, error: observe({ provider: kind, head, body, clientError, phase, finishReason: null, key }) };
  };
  const url = urlOf(input.baseUrl, wire, kind === 'anthropic' ? '/v1/models' : '/models');
  if (!url) {
    const message = `"${input.baseUrl}" is no http or https address. Correct the base URL.`;
    return failed(null, { name: 'ProviderError', code: TROUBLE_CODES.badBaseUrl, message });
  }
  if (kind === 'anthropic') url.searchParams.set('limit', '1000');
  const client = createHttpClient();
  const startMs = clock.nowMs();
  try {
    const headers = {
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...wireHeaders(wire),
      ...authHeaders(wire, key.trim()),
    };
    const response = await client.send({ method: 'GET', url, headers }, input.signal);
    head = response;
    const text = await readText(response.body, LIST_LIMIT_BYTES);
    if (!isSuccess(response.status)) return failed(bodyOf(text), null);
    const models = modelsOf(parseJson(text));
    if (!models) {
      const message = `${url.href} answered, but not with a list of models. Check the base URL.`;
      return failed(bodyOf(text), { name: 'ProviderError', code: TROUBLE_CODES.malformedChunk, message });
    }
    return { ok: true, value: { models, latencyMs: clock.nowMs() - startMs } };
  } catch (error) {
    if (input.signal.aborted)
      return failed(null, { name: 'AbortError', code: 'ABORT_ERR', message: 'The check was cancelled.' });
    return failed(null, clientErrorOf(error));
  } finally {
    client.dispose();
  }
}

/** The ids of a model list of either wire (`{"data": [{"id": ...}]}`), or null where the answer is something else. */
function modelsOf(answer: unknown): string[] | null {
  const data = recordOf(answer)?.data;
  if (!Array.isArray(data)) return null;
  const ids = listOf(data).map((model) => textOf(recordOf(model)?.id));
  return ids.every((id) => id !== undefined) ? ids : null;
}
