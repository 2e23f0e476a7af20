// The body of POST /v1/messages (and its token count) as the Anthropic-like vendor accepts it. Unknown fields are refused.
// Rules between messages are in messagesOrder.ts. Source: the vendor's API reference.
import * as z from 'zod';

const ID_PATTERN = /^[a-zA-Z0-9_-]+$/;
const NAME_PATTERN = /^[a-zA-Z0-9_-]{1,128}$/;

const cache_control = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).nullish();
const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  cache_control,
  citations: z.unknown().optional(),
});
const imageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: z.string(),
    }),
    z.strictObject({ type: z.literal('url'), url: z.string() }),
  ]),
  cache_control,
});
const toolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(ID_PATTERN),
  name: z.string().regex(NAME_PATTERN),
  input: z.record(z.string(), z.unknown()),
  cache_control,
});
const toolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(ID_PATTERN),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock]))]).optional(),
  is_error: z.boolean().optional(),
  cache_control,
});
const thinkingBlock = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const block = z.discriminatedUnion('type', [textBlock, imageBlock, toolUseBlock, toolResultBlock, thinkingBlock]);

const message = z.strictObject({ role: z.enum(['user', 'assistant']), content: z.union([z.string(), z.array(block)]) });

const tool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(NAME_PATTERN),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  cache_control,
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
});

const disable_parallel_tool_use = z.boolean().optional();
const tool_choice = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('auto'), disable_parallel_tool_use }),
    z.strictObject({ type: z.literal('any'), disable_parallel_tool_use }),
    z.strictObject({ type: z.literal('tool'), name: z.string(), disable_parallel_tool_use }),
    z.strictObject({ type: z.literal('none') }),
  ])
  .optional();

const prompt = {
  model: z.string().min(1),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  tools: z.array(tool).optional(),
  tool_choice,
  thinking: z.unknown().optional(),
  cache_control,
  output_config: z.unknown().optional(),
};

/** The checked body of a token count. */
export const countBody = z.strictObject(prompt);

/** The checked body of a message. Fields the wall accepts and does not act on are `unknown`. */
export const messagesBody = z.strictObject({
  ...prompt,
  max_tokens: z.int().min(1),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string()).optional(),
  temperature: z.number().min(0).max(1).optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  container: z.unknown().optional(),
  diagnostics: z.unknown().optional(),
  inference_geo: z.string().nullish(),
  speed: z.string().nullish(),
});

export type CountBody = z.infer<typeof countBody>;
export type WireMessage = CountBody['messages'][number];
export type WireBlock = Exclude<WireMessage['content'], string>[number];
