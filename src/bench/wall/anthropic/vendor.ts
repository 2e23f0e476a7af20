// The Anthropic-like vendor: its wires, side doors (models, token count), key and version check, headers and error shape.
import { promptTokens } from '../promptSize.ts';
import type { WallVendorRules, WireError } from '../wire.ts';
import {
  ANTHROPIC_FRONT_DOOR,
  ANTHROPIC_NOT_JSON,
  ANTHROPIC_TOO_LARGE,
  invalid,
  notFound,
  unauthorized,
} from './errors.ts';
import { anthropicMessagesWire, parseCount } from './messagesWire.ts';

export const anthropicVendor: WallVendorRules = {
  vendor: 'anthropic-like',
  basePath: '',
  wires: [anthropicMessagesWire],
  freeDoors: [
    {
      method: 'GET',
      path: '/v1/models',
      answer: (_body, models) => ({
        ok: true,
        value: {
          data: models.map((model) => ({
            type: 'model',
            id: model.name,
            display_name: model.name,
            created_at: '2026-06-01T00:00:00Z',
            max_input_tokens: model.contextWindowTokens,
            max_tokens: model.maxOutputTokens,
          })),
          has_more: false,
          first_id: models[0]?.name ?? null,
          last_id: models.at(-1)?.name ?? null,
        },
      }),
    },
    {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      answer: (body, models) => {
        const prompt = parseCount(body, models);
        return prompt.ok ? { ok: true, value: { input_tokens: promptTokens(prompt.value) } } : prompt;
      },
    },
  ],
  authorize: (headers, apiKey) => {
    const key = headers['x-api-key'];
    const bearer = /^Bearer (.+)$/i.exec(String(headers.authorization ?? ''))?.[1];
    if (key === undefined && bearer === undefined) return unauthorized('nothing');
    if (key !== undefined && key !== apiKey) return unauthorized('key');
    if (key === undefined && bearer !== apiKey) return unauthorized('bearer');
    return headers['anthropic-version'] === undefined ? invalid('anthropic-version: header is required') : null;
  },
  frontDoor: ANTHROPIC_FRONT_DOOR,
  notJson: ANTHROPIC_NOT_JSON,
  tooLarge: ANTHROPIC_TOO_LARGE,
  unknownPath: notFound,
  errorBody: ({ type, message }: WireError, requestId) => ({
    type: 'error',
    error: { type, message },
    request_id: requestId,
  }),
  headers: (requestId) => ({
    'request-id': requestId,
    'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
  }),
};
