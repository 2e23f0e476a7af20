// The OpenAI Chat Completions wire of the gateway: one table of how its requests are read and its answers written.
// Source: OpenAI API reference, POST /v1/chat/completions.
import { openaiChatBody } from './openaiChatBody.ts';
import { openaiErrorBody } from './openaiErrors.ts';
import { toChatRequest } from './openaiChatRequest.ts';
import { openaiChatSchema, understoodFields, type OpenaiChatBody } from './openaiChatSchema.ts';
import { openaiChatStream } from './openaiChatStream.ts';
import { badRequest, bodyProblem } from './problem.ts';
import type { GatewayWire, WireCall } from './wire.ts';

export const openaiChatWire: GatewayWire = {
  wire: 'openai-chat',
  paths: ['/v1/chat/completions', '/chat/completions'],
  keepAlive: ': keep-alive\n\n',
  errorBody: openaiErrorBody,
  parse: (body, headers) => {
    if (!isObject(body))
      return { ok: false, error: badRequest('body', 'body: expected a JSON object.', 'invalid_body') };
    const parsed = openaiChatSchema.safeParse(body);
    if (!parsed.success) return { ok: false, error: bodyProblem(parsed.error) };
    const toolProblem = unknownTool(parsed.data);
    if (toolProblem !== null) return { ok: false, error: badRequest('tool_choice', toolProblem, 'invalid_body') };
    return { ok: true, value: toCall(parsed.data, body, headers) };
  },
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownTool(body: OpenaiChatBody): string | null {
  const choice = body.tool_choice;
  if (typeof choice !== 'object' || choice === null) return null;
  const isKnown = (body.tools ?? []).some((tool) => tool.function.name === choice.function.name);
  return isKnown ? null : 'tool_choice.function.name: expected the name of one of the tools.';
}

function toCall(
  body: OpenaiChatBody,
  raw: Record<string, unknown>,
  headers: Readonly<Record<string, string>>,
): WireCall {
  const request = toChatRequest(body, { wire: 'openai-chat', body: raw, headers: passedHeaders(headers) });
  const { model } = body;
  return {
    request,
    isStream: body.stream === true,
    rawOnlyFields: Object.keys(raw).filter((name) => !understoodFields.has(name) && raw[name] !== null),
    stream: (facts) => openaiChatStream(facts, { model, includeUsage: body.stream_options?.include_usage === true }),
    collect: (facts) => openaiChatBody(facts, model),
  };
}

/** Headers that mean something to a provider of this wire. Keys, cookies and account headers are the caller's own. */
function passedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const names = ['openai-beta', 'x-session-id', 'x-session-affinity', 'x-initiator'];
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}
