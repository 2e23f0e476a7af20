// V0 of a held answer (HFR table 8, every call): before it reaches anybody, status, end, content, choice of tool and, where the
// caller asked for structured output, its schema are looked at. What does not hold is a semantic fault (V1) of the attempt:
// the race goes on without it, and core/recovery decides. It never says that an answer is right.
import type { ChatRequest, FinishReason, StreamPart, ToolCallPart } from '../core/chat.ts';
import type { Fault } from '../core/faults/fault.ts';
import { checkAnswer } from '../core/recovery/answerCheck.ts';

/** The fault of an answer that does not pass V0, or null. Its evidence names what does not hold, never what was said. */
export function heldFault(parts: readonly StreamPart[], request: ChatRequest): Fault | null {
  const { tools, toolChoice, raw } = request;
  let text = '';
  let finish: FinishReason | null = null;
  const toolCalls: ToolCallPart[] = [];
  for (const part of parts) {
    if (part.type === 'text-delta' || part.type === 'refusal-delta') text += part.text;
    if (part.type === 'tool-call') toolCalls.push(part);
    if (part.type === 'finish') finish = part.reason;
  }
  const schema = raw ? schemaAskedFor(raw.body) : null;
  const asked = { httpStatus: null, finish, text, toolCalls, tools, toolChoice, ...(schema ? { schema } : {}) };
  // The raw path may carry content that has no part of its own: there an empty text says nothing.
  const reasons = checkAnswer(asked).reasons.filter(({ name }) => !(raw && name === 'empty'));
  if (reasons.length === 0) return null;
  return {
    class: 'V1',
    confidence: 1,
    secondary: null,
    detail: null,
    retryable: false,
    explicit: false,
    action: 'RETRY',
    retryAfterMs: null,
    evidence: ['check.V0', ...reasons.map(({ kind, name }) => `${kind} ${name}`)],
  };
}

/** Whether the caller asked for output of a schema, which a held answer is checked against. */
export function hasSchema({ raw }: ChatRequest): boolean {
  return raw !== undefined && schemaAskedFor(raw.body) !== null;
}

type Body = Readonly<Record<string, unknown>>;

/** Where each wire names the schema of structured output. */
const SCHEMA_PLACES: readonly (readonly string[])[] = [
  ['response_format', 'json_schema', 'schema'],
  ['text', 'format', 'schema'],
  ['output_format', 'schema'],
  ['output_config', 'format', 'schema'],
];

function schemaAskedFor(body: Body): Body | null {
  for (const place of SCHEMA_PLACES) {
    const found = place.reduce<unknown>((at, name) => (isBody(at) ? at[name] : undefined), body);
    if (isBody(found)) return found;
  }
  return null;
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
