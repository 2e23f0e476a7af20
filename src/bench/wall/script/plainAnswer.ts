// What a wall model says outside the script: a few plain words, or the call of a tool that the caller forces or names.
// It lets a ping, a chat and a stranger's tool be answered on the wire without pretending to be clever.
import * as z from 'zod';
import type { ChatMessage, ToolSpec } from '../../../core/chat.ts';
import type { ScriptAnswer } from '../answer.ts';
import type { WallRequest } from '../wire.ts';

/** The answer to a request that is not part of the script. */
export function plainAnswer(request: WallRequest): ScriptAnswer {
  const tool = wantedTool(request);
  if (tool)
    return {
      text: `I call ${tool.name}.`,
      calls: [{ name: tool.name, args: sampleArguments(tool.parameters) }],
      refusal: null,
    };
  const last = request.messages.at(-1);
  if (last?.role === 'tool')
    return {
      text: `The tool answered with ${resultChars(last)} characters. That is all I needed.`,
      calls: [],
      refusal: null,
    };
  return {
    text: 'I am a scripted model of the drill. I can work on the price-book sample; to anything else I can only say that your request arrived.',
    calls: [],
    refusal: null,
  };
}

/** A forced tool, else any tool where one is required, else one that the last words of the user name. */
function wantedTool(request: WallRequest): ToolSpec | undefined {
  const { toolChoice, tools, messages } = request;
  if (toolChoice.type === 'none') return undefined;
  if (toolChoice.type === 'tool') return tools.find((tool) => tool.name === toolChoice.name);
  if (toolChoice.type === 'required') return tools[0];
  const last = messages.at(-1);
  if (last?.role !== 'user') return undefined;
  const words = last.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ');
  return tools.find((tool) => words.includes(tool.name));
}

const schemaShape = z.object({
  properties: z
    .record(
      z.string(),
      z.object({ type: z.string().catch('string'), enum: z.array(z.unknown()).optional() }).catch({ type: 'string' }),
    )
    .catch({}),
  required: z.array(z.string()).catch([]),
});

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'wall',
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

/** The smallest arguments that a JSON Schema of plain properties admits. */
function sampleArguments(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { properties, required } = schemaShape.parse(parameters);
  return Object.fromEntries(
    required.map((name) => {
      const property = properties[name];
      return [name, property?.enum?.[0] ?? SAMPLES[property?.type ?? 'string'] ?? 'wall'];
    }),
  );
}

function resultChars(message: Extract<ChatMessage, { role: 'tool' }>): number {
  return message.content.reduce(
    (sum, part) =>
      sum + part.content.reduce((chars, inner) => chars + (inner.type === 'text' ? inner.text.length : 0), 0),
    0,
  );
}
