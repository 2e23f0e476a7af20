// The shape of an OpenAI Chat Completions request, as far as Belay must understand it. Unknown fields are let through:
// they reach a candidate of the same wire. What no candidate of another wire could honour is refused by name.
// Source: OpenAI API reference, POST /v1/chat/completions.
import * as z from 'zod';

const text = z.looseObject({ type: z.literal('text'), text: z.string() });
const refusal = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });
const image = z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().min(1) }) });

const partOf = <T extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]]>(
  parts: T,
  names: string,
) => z.discriminatedUnion('type', parts, { error: `Expected one of the part types ${names}` });

const textParts = z.array(partOf([text], 'text'));
const textOrParts = z.union([z.string(), textParts]);
const userContent = z.union([z.string(), z.array(partOf([text, image], 'text, image_url'))]);
const assistantContent = z.union([z.string(), z.array(partOf([text, refusal], 'text, refusal')), z.null()]);

const toolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function').optional(),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});

const message = z.discriminatedUnion(
  'role',
  [
    z.looseObject({ role: z.literal('system'), content: textOrParts }),
    z.looseObject({ role: z.literal('developer'), content: textOrParts }),
    z.looseObject({ role: z.literal('user'), content: userContent }),
    z.looseObject({
      role: z.literal('assistant'),
      content: assistantContent.optional(),
      refusal: z.string().nullish(),
      tool_calls: z.array(toolCall).nullish(),
    }),
    z.looseObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content: textOrParts }),
  ],
  { error: 'Expected one of the roles system, developer, user, assistant, tool' },
);

const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});

const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string().min(1) }) }),
]);

const outputTokens = z.int().min(1).nullish();

/** The request body. */
export const openaiChatSchema = z.looseObject({
  model: z.string().min(1).max(256),
  messages: z.array(message).min(1),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  max_tokens: outputTokens,
  max_completion_tokens: outputTokens,
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, { error: 'Expected 1 or nothing: Belay serves one answer a request' }).nullish(),
  logprobs: z.literal(false, { error: 'Expected nothing: Belay does not serve log probabilities' }).nullish(),
  top_logprobs: z.literal(0, { error: 'Expected nothing: Belay does not serve log probabilities' }).nullish(),
  functions: z.null({ error: 'Expected nothing: this is the old form of tools' }).optional(),
  function_call: z.null({ error: 'Expected nothing: this is the old form of tool_choice' }).optional(),
  audio: z.null({ error: 'Expected nothing: Belay does not serve audio' }).optional(),
  modalities: z.array(z.literal('text', { error: 'Expected text: Belay serves nothing else' })).nullish(),
});

export type OpenaiChatBody = z.infer<typeof openaiChatSchema>;
export type OpenaiChatMessage = OpenaiChatBody['messages'][number];

/** Fields that the neutral request carries, or that say nothing to a model. All others are only for the raw path. */
export const understoodFields: ReadonlySet<string> = new Set([
  ...Object.keys(openaiChatSchema.shape),
  'user',
  'metadata',
  'store',
  'prompt_cache_key',
  'safety_identifier',
  'service_tier',
]);
