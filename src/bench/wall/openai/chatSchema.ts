// The body of POST /v1/chat/completions as the OpenAI-like vendor accepts it, field by field. Unknown fields are refused.
// Rules between fields and between messages are in chatOrder.ts. Source: the vendor's API reference.
import * as z from 'zod';

/** Longest id of a tool call, in characters. */
const CALL_ID_CHARS = 40;
const NAME_PATTERN = /^[a-zA-Z0-9_-]+$/;

const functionName = z.string().min(1).max(64).regex(NAME_PATTERN);
const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });
const userPart = z.discriminatedUnion('type', [
  textPart,
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }),
  }),
]);
const assistantPart = z.discriminatedUnion('type', [
  textPart,
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
]);
const texts = z.union([z.string(), z.array(textPart).min(1)]);
const name = z.string().optional();

const toolCall = z.strictObject({
  id: z.string().max(CALL_ID_CHARS),
  type: z.literal('function'),
  function: z.strictObject({ name: functionName, arguments: z.string() }),
});

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: texts, name }),
  z.strictObject({ role: z.literal('developer'), content: texts, name }),
  z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(userPart).min(1)]), name }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(assistantPart).min(1)]).nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCall).min(1).optional(),
    name,
  }),
  z.strictObject({ role: z.literal('tool'), content: texts, tool_call_id: z.string().max(CALL_ID_CHARS) }),
]);

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: functionName,
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullish(),
  }),
});

const anything = z.unknown().optional();

/** The checked body. Fields the wall accepts and does not act on are `unknown`. */
export const chatBody = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(tool).min(1).max(128).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: functionName }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
    .nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  n: z.int().min(1).max(1).nullish(),
  seed: z.int().nullish(),
  user: z.string().optional(),
  store: z.boolean().nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  service_tier: z.string().nullish(),
  safety_identifier: z.string().optional(),
  prompt_cache_key: z.string().optional(),
  prompt_cache_retention: anything,
  prompt_cache_options: anything,
  response_format: anything,
  prediction: anything,
  modalities: anything,
  moderation: anything,
  audio: anything,
  web_search_options: anything,
});

export type ChatBody = z.infer<typeof chatBody>;
