// The OpenAI-like vendor: its wires, side doors, key check, headers and error shape. A Responses wire is one more row in `wires`.
import type { WallVendorRules, WireError } from '../wire.ts';
import { openaiChatWire } from './chatWire.ts';
import { OPENAI_FRONT_DOOR, OPENAI_NOT_JSON, OPENAI_TOO_LARGE, unauthorized, unknownUrl } from './errors.ts';

/** When the models were made, in seconds since the epoch; any fixed time will do. */
const MODEL_CREATED_SECONDS = 1_780_000_000;

export const openaiVendor: WallVendorRules = {
  vendor: 'openai-like',
  basePath: '/v1',
  wires: [openaiChatWire],
  freeDoors: [
    {
      method: 'GET',
      path: '/v1/models',
      answer: (_body, models) => ({
        ok: true,
        value: {
          object: 'list',
          data: models.map(({ name }) => ({
            id: name,
            object: 'model',
            created: MODEL_CREATED_SECONDS,
            owned_by: 'wall',
          })),
        },
      }),
    },
  ],
  authorize: (headers, apiKey) => {
    const sent = /^Bearer (.+)$/i.exec(String(headers.authorization ?? ''))?.[1] ?? null;
    return sent === apiKey ? null : unauthorized(sent);
  },
  frontDoor: OPENAI_FRONT_DOOR,
  notJson: OPENAI_NOT_JSON,
  tooLarge: OPENAI_TOO_LARGE,
  unknownPath: unknownUrl,
  errorBody: ({ message, type, param, code }: WireError) => ({ error: { message, type, param, code } }),
  headers: (requestId) => ({ 'x-request-id': requestId, 'openai-version': '2020-10-01', 'openai-processing-ms': '12' }),
};
