// The models a client may ask for, in OpenAI's list shape with the window Belay can keep (`context_window`, tokens).
import type { ModelListing } from '../engine/controller.ts';
import { sendJson, sendProblem, type Exchange, type GatewayParts } from './exchange.ts';

function modelObject(model: ModelListing): Record<string, unknown> {
  const { name, contextWindowTokens } = model;
  return { id: name, object: 'model', created: 0, owned_by: 'belay', context_window: contextWindowTokens };
}

/** `GET /v1/models`. */
export async function listModels(parts: GatewayParts, exchange: Exchange): Promise<void> {
  await sendJson(exchange, { object: 'list', data: parts.controller.models().map(modelObject) });
}

/** `GET /v1/models/{name}`; the name may be percent-encoded and may contain slashes. */
export async function oneModel(parts: GatewayParts, exchange: Exchange, encodedName: string): Promise<void> {
  const name = decoded(encodedName);
  const model = parts.controller.models().find((listing) => listing.name === name);
  if (model) return sendJson(exchange, modelObject(model));
  return sendProblem(exchange, {
    status: 404,
    message: 'No such model is listed. GET /v1/models has the names; routes with * also take other names.',
    code: 'model_not_found',
    param: null,
    retryAfterMs: null,
  });
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
