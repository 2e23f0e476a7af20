// The caller's own Chat Completions body for a server of the same wire. It goes as it is; only what this server is known to
// refuse is changed, field by field, so that whatever else the caller wrote (cache marks, response formats, fields that are
// newer than this file) stays. Where nothing is refused the body is the caller's but for the name of the model.
import type { Candidate } from '../../core/candidate.ts';
import type { ChatRequest, RawRequest } from '../../core/chat.ts';
import { dialectOf, type Dialect } from '../../core/providers/dialects.ts';
import { upstreamModel } from './endpoint.ts';
import { isRecord, listOf, recordOf, textOf, type JsonRecord } from './json.ts';
import { BRIDGE, UNSIGNED_CALL, unknownReasoning } from './openaiRequest.ts';
import { CONTINUE } from './portableHistory.ts';
import { portableIds } from './portableIds.ts';
import { toolSchema } from './toolSchema.ts';

type Body = Record<string, unknown>;
type Receiver = Pick<Candidate, 'kind' | 'family' | 'model' | 'wire' | 'capabilities'>;

/** Fields of other servers' answers that clients send back. */
const FOREIGN_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details', 'refusal', 'annotations', 'audio'];

/** The body for `candidate`, whose wire is that of `raw`. */
export function rawBody(raw: RawRequest, request: Pick<ChatRequest, 'model'>, candidate: Receiver): Body {
  const model = upstreamModel(candidate, request.model);
  const body: Body = { ...raw.body, model };
  // Claude's servers differ in nothing that a caller's body could break.
  if (raw.wire !== 'openai-chat') return body;
  const dialect = dialectOf({ ...candidate, model });
  fitFields(body, dialect);
  fitTools(body, dialect);
  body.messages = fitMessages(listOf(body.messages), body, dialect, candidate.capabilities.prefill === true);
  return body;
}

function fitFields(body: Body, dialect: Dialect): void {
  const { outputLimitName, temperatureMax } = dialect;
  const other = outputLimitName === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  // Elsewhere both names are known.
  const isRefused = outputLimitName === 'max_tokens' ? dialect.strictMessages : temperatureMax === null;
  if (isRefused && other in body) {
    body[outputLimitName] ??= body[other];
    drop(body, other);
  }
  if (!dialect.streamOptions) drop(body, 'stream_options');
  if (!dialect.parallelToolCalls) drop(body, 'parallel_tool_calls');
  if (dialect.stopLimit === 0) drop(body, 'stop');
  if (temperatureMax === null) drop(body, 'temperature', 'top_p');
  else if (typeof body.temperature === 'number' && body.temperature > temperatureMax) body.temperature = temperatureMax;
}

function drop(body: Body, ...names: readonly string[]): void {
  for (const name of names) Reflect.deleteProperty(body, name);
}

function fitTools(body: Body, dialect: Dialect): void {
  const { tools, tool_choice: choice } = body;
  if (!Array.isArray(tools) || tools.length === 0) return;
  if (dialect.schemas === 'subset') body.tools = tools.map(withSchema);
  const named = textOf(recordOf(recordOf(choice)?.function)?.name);
  if (named !== undefined && !dialect.namedToolChoice) {
    body.tools = listOf(body.tools).filter((tool) => functionOf(tool)?.name === named);
    body.tool_choice = 'required';
  }
  const isForced = named !== undefined || choice === 'required';
  if (isForced && dialect.forcedChoiceEndsThinking) body.thinking = { type: 'disabled' };
}

function functionOf(value: unknown): JsonRecord | undefined {
  return recordOf(recordOf(value)?.function);
}

function withSchema(tool: unknown): unknown {
  const called = functionOf(tool);
  if (!isRecord(tool) || !called || !isRecord(called.parameters)) return tool;
  return { ...tool, function: { ...called, parameters: toolSchema(called.parameters, 'subset') } };
}

function fitMessages(messages: readonly unknown[], body: Body, dialect: Dialect, takesPrefill: boolean): unknown[] {
  const ids = portableIds(dialect.callIds);
  const isThinking = recordOf(body.thinking)?.type !== 'disabled';
  const needsReasoning = dialect.reasoning === 'with-tools' && isThinking && listOf(body.tools).length > 0;
  const fitted: unknown[] = [];
  for (const [index, told] of messages.entries()) {
    const before = recordOf(fitted.at(-1))?.role;
    if (!isRecord(told)) {
      fitted.push(told);
      continue;
    }
    const message: Body = { ...told };
    if (message.role === 'developer' && !dialect.developerRole) message.role = 'system';
    if (message.role === 'user' && before === 'tool' && dialect.assistantAfterTool)
      fitted.push({ role: 'assistant', content: BRIDGE });
    const callId = textOf(message.tool_call_id);
    if (callId !== undefined) message.tool_call_id = ids.outgoing(callId, 0);
    if (message.role === 'assistant') {
      if (dialect.strictMessages) drop(message, ...FOREIGN_FIELDS);
      fitCalls(message, (id) => ids.outgoing(id, 0), dialect);
      if (needsReasoning && textOf(message.reasoning_content) === undefined)
        message.reasoning_content = unknownReasoning(index, listOf(message.tool_calls).flatMap(nameOf));
    }
    fitted.push(message);
  }
  return dialect.endsInUser ? ended(fitted, dialect, takesPrefill) : fitted;
}

function nameOf(call: unknown): string[] {
  const name = textOf(functionOf(call)?.name);
  return name === undefined ? [] : [name];
}

function fitCalls(message: Body, wireId: (id: string) => string, { callSignatures }: Dialect): void {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return;
  message.tool_calls = calls.map((call: unknown, i) => {
    if (!isRecord(call)) return call;
    const id = textOf(call.id);
    const isUnsigned = callSignatures && i === 0 && call.extra_content === undefined;
    return {
      ...call,
      ...(id === undefined ? {} : { id: wireId(id) }),
      ...(isUnsigned ? { extra_content: { google: { thought_signature: UNSIGNED_CALL } } } : {}),
    };
  });
}

/** An assistant's message at the end is marked as a beginning, or followed by words that ask for the rest. */
function ended(messages: unknown[], dialect: Dialect, takesPrefill: boolean): unknown[] {
  const last = recordOf(messages.at(-1));
  if (last?.role !== 'assistant' || listOf(last.tool_calls).length > 0) return messages;
  if (!takesPrefill) return [...messages, { role: 'user', content: CONTINUE }];
  return dialect.prefill === 'prefix-flag' ? [...messages.slice(0, -1), { ...last, prefix: true }] : messages;
}
