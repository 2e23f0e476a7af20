// Strict rules of both request wires, as the vendors enforce them or stricter, written from their documentation and not
// from the translators: every rule that a body may break is here, and each broken one is named. An empty list means the
// body would be accepted. What differs by server stands in wireDialects.ts.

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const json = (value: unknown): Json => (isJson(value) ? value : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a server of the OpenAI wire accepts. */
export interface OpenaiRules {
  readonly ids: RegExp;
  readonly names: RegExp;
  /** Fields beside those of the wire that the body, or an assistant's message, may have; null: any. */
  readonly moreFields: readonly string[] | null;
  readonly limitNames: readonly string[];
  readonly stopMax: number;
  /** Null: sampling fields are refused. */
  readonly temperatureMax: number | null;
  readonly hasStreamOptions: boolean;
  readonly hasParallelToolCalls: boolean;
  readonly hasNamedChoice: boolean;
  /** Forced calls are refused unless thinking is off. */
  readonly noForceWhileThinking: boolean;
  /** Images: none, by `data:` only, or by address too. */
  readonly images: 'none' | 'inline' | 'any';
  readonly mediaTypes: readonly string[];
  readonly userMayFollowTool: boolean;
  /** What an assistant's message at the end must be. */
  readonly lastAssistant: 'plain' | 'prefix' | 'flagged' | 'refused';
  readonly schemas: 'object' | 'plain-root' | 'google';
  /** With tools every assistant message needs `reasoning_content` unless thinking is off. */
  readonly demandsReasoning: boolean;
  /** The first call of a message needs a thought signature. */
  readonly demandsCallSignature: boolean;
}

/** The wire itself, without the narrower rules of any server. */
export const plainOpenai: OpenaiRules = {
  ids: /^[^\s]{1,64}$/,
  names: /^[a-zA-Z0-9_-]{1,64}$/,
  moreFields: null,
  limitNames: ['max_tokens', 'max_completion_tokens'],
  stopMax: 4,
  temperatureMax: 2,
  hasStreamOptions: true,
  hasParallelToolCalls: true,
  hasNamedChoice: true,
  noForceWhileThinking: false,
  images: 'any',
  mediaTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  userMayFollowTool: true,
  lastAssistant: 'plain',
  schemas: 'object',
  demandsReasoning: false,
  demandsCallSignature: false,
};

const BODY_FIELDS = [
  'model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'parallel_tool_calls', 'max_tokens',
  'max_completion_tokens', 'temperature', 'top_p', 'stop',
]; // prettier-ignore
const MESSAGE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls'],
  tool: ['role', 'content', 'tool_call_id'],
};

/** Which rules of the OpenAI Chat wire, as a server speaks it, a body breaks. */
export function openaiViolations(body: unknown, rules: OpenaiRules = plainOpenai): string[] {
  const found: string[] = [];
  const { model, messages, tools } = json(body);
  if (text(model) === '' || text(model).includes('{model}')) found.push('model: must be a name');
  if (list(messages).length === 0) found.push('messages: must not be empty');
  for (const field of Object.keys(json(body))) {
    if (rules.moreFields && ![...BODY_FIELDS, ...rules.moreFields].includes(field))
      found.push(`${field}: extra inputs are not permitted`);
  }
  openaiFields(json(body), rules, found);
  openaiTools(json(body), rules, found);
  const isThinking = json(json(body).thinking).type !== 'disabled';
  const strict = { rules, demandsReasoning: rules.demandsReasoning && isThinking && list(tools).length > 0 };
  openaiMessages(list(messages).map(json), strict, json(body), found);
  return found;
}

function openaiFields(body: Json, rules: OpenaiRules, found: string[]): void {
  const { stop, temperature, top_p, stream_options, parallel_tool_calls } = body;
  for (const name of ['max_tokens', 'max_completion_tokens']) {
    if (!(name in body)) continue;
    if (!rules.limitNames.includes(name)) found.push(`${name}: unsupported parameter`);
    if (!Number.isInteger(body[name]) || Number(body[name]) < 1) found.push(`${name}: a whole number from 1`);
  }
  if (stop !== undefined) {
    if (list(stop).length === 0 || list(stop).length > rules.stopMax) found.push(`stop: at most ${rules.stopMax}`);
    if (list(stop).some((s) => text(s) === '')) found.push('stop: empty');
  }
  if (temperature !== undefined) {
    const isIn = Number(temperature) >= 0 && Number(temperature) <= (rules.temperatureMax ?? -1);
    if (!isIn) found.push('temperature: unsupported value');
    if (temperature === 0 && top_p !== undefined && top_p !== 1) found.push('top_p: must be 1 when greedy');
  }
  if (top_p !== undefined && (rules.temperatureMax === null || Number(top_p) <= 0 || Number(top_p) > 1))
    found.push('top_p: unsupported value');
  if (stream_options !== undefined && !rules.hasStreamOptions) found.push('stream_options: not permitted');
  if (parallel_tool_calls !== undefined && !rules.hasParallelToolCalls) found.push('parallel_tool_calls: unsupported');
}

function openaiTools(body: Json, rules: OpenaiRules, found: string[]): void {
  const { tools, tool_choice: choice, parallel_tool_calls } = body;
  if (tools !== undefined && list(tools).length === 0) found.push('tools: must not be empty');
  const names = list(tools).map((tool) => text(json(json(tool).function).name));
  for (const name of names) if (!rules.names.test(name)) found.push(`tools: name "${name}"`);
  if (new Set(names).size < names.length) found.push('tools: names must be unique');
  for (const tool of list(tools)) schemaViolations(json(json(tool).function).parameters, rules.schemas, found);
  if (choice === undefined) return;
  if (names.length === 0) found.push('tool_choice: only with tools');
  if (parallel_tool_calls !== undefined && names.length === 0) found.push('parallel_tool_calls: only with tools');
  if (isJson(choice)) {
    if (!rules.hasNamedChoice) found.push('tool_choice: must be text');
    if (!names.includes(text(json(choice.function).name))) found.push('tool_choice: names no tool');
  } else if (!['auto', 'none', 'required'].includes(text(choice))) found.push('tool_choice: unknown');
  const isForced = isJson(choice) || choice === 'required';
  if (isForced && rules.noForceWhileThinking && json(body.thinking).type !== 'disabled')
    found.push('tool_choice: thinking mode does not support this');
}

const GOOGLE_FIELDS = [
  'type', 'format', 'title', 'description', 'nullable', 'enum', 'maxItems', 'minItems', 'properties', 'required',
  'minProperties', 'maxProperties', 'minLength', 'maxLength', 'pattern', 'anyOf', 'default', 'items', 'minimum', 'maximum',
]; // prettier-ignore

function schemaViolations(schema: unknown, rule: OpenaiRules['schemas'], found: string[]): void {
  const root = json(schema);
  if (root.type !== 'object') found.push('tools: schema must have type object');
  if (!isJson(root.properties)) found.push('tools: object schema missing properties');
  if (rule === 'object') return;
  for (const key of ['oneOf', 'anyOf', 'allOf', 'enum', 'not']) {
    if (key in root) found.push(`tools: schema has ${key} at the top level`);
  }
  if (rule === 'google') googleViolations(root, found);
}

function googleViolations(schema: Json, found: string[]): void {
  for (const key of Object.keys(schema)) if (!GOOGLE_FIELDS.includes(key)) found.push(`tools: unknown name "${key}"`);
  if (schema.type !== undefined && typeof schema.type !== 'string') found.push('tools: type must be one');
  if (schema.enum !== undefined && schema.type !== 'string') found.push('tools: enum only for STRING');
  const properties = json(schema.properties);
  for (const name of list(schema.required)) {
    if (!Object.hasOwn(properties, text(name))) found.push(`tools: required[${text(name)}]: property is not defined`);
  }
  for (const inner of [
    ...Object.values(properties),
    ...list(schema.anyOf),
    ...('items' in schema ? [schema.items] : []),
  ])
    googleViolations(json(inner), found);
}

interface Strict {
  readonly rules: OpenaiRules;
  readonly demandsReasoning: boolean;
}

function openaiMessages(messages: readonly Json[], strict: Strict, body: Json, found: string[]): void {
  const { rules } = strict;
  let open: string[] = [];
  let before = '';
  const known = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const at = `messages[${i}]`;
    const role = text(message.role);
    for (const field of rules.moreFields ? Object.keys(message) : []) {
      const more = role === 'assistant' ? (rules.moreFields ?? []) : [];
      if (![...(MESSAGE_FIELDS[role] ?? []), ...more].includes(field))
        found.push(`${at}: property '${field}' is unsupported`);
    }
    if (role === 'tool') {
      const id = text(message.tool_call_id);
      if (!open.includes(id)) found.push(`${at}: tool result "${id}" answers no open call`);
      open = open.filter((other) => other !== id);
      if (text(message.content).trim() === '') found.push(`${at}: tool content must be text`);
    } else {
      if (open.length > 0) found.push(`${at}: calls without result: ${open.join()}`);
      open = [];
      if (role === before) found.push(`${at}: roles must alternate`);
      if (role === 'system' && i !== 0) found.push(`${at}: system must come first`);
      if (role === 'assistant' && (before === '' || before === 'system')) found.push(`${at}: assistant before user`);
      if (role === 'user' && before === 'tool' && !rules.userMayFollowTool)
        found.push(`${at}: unexpected role 'user' after role 'tool'`);
      if (role === 'user') openaiUser(message, at, rules, found);
      else if (role === 'assistant') open = openaiAssistant(message, at, { strict, known }, found);
      else if (role !== 'system') found.push(`${at}: role`);
      else if (text(message.content).trim() === '') found.push(`${at}: empty system`);
    }
    if (message.prefix !== undefined && i < messages.length - 1) found.push(`${at}: prefix only at the end`);
    before = role;
  }
  if (open.length > 0) found.push(`end: calls without result: ${open.join()}`);
  if (before === 'assistant') openaiEnd(json(messages.at(-1)), body, rules, found);
}

function openaiEnd(last: Json, body: Json, { lastAssistant }: OpenaiRules, found: string[]): void {
  const isFine: Readonly<Record<OpenaiRules['lastAssistant'], boolean>> = {
    plain: true,
    prefix: last.prefix === true,
    flagged: body.continue_final_message === true && body.add_generation_prompt === false,
    refused: false,
  };
  if (!isFine[lastAssistant]) found.push('end: expected last role user or tool');
}

function openaiUser(message: Json, at: string, rules: OpenaiRules, found: string[]): void {
  if (typeof message.content === 'string') {
    if (message.content.trim() === '') found.push(`${at}: empty user message`);
    return;
  }
  if (list(message.content).length === 0) found.push(`${at}: user content`);
  for (const part of list(message.content).map(json)) {
    const isText = part.type === 'text' && text(part.text).trim() !== '';
    const isImage = part.type === 'image_url' && isImageUrl(text(json(part.image_url).url), rules);
    if (!isText && !isImage) found.push(`${at}: content part ${String(part.type)}`);
  }
}

function isImageUrl(url: string, { images, mediaTypes }: OpenaiRules): boolean {
  if (images === 'none') return false;
  const inline = /^data:([^;]+);base64,([A-Za-z0-9+/]+={0,2})$/.exec(url);
  return inline ? mediaTypes.includes(inline[1] ?? '') : images === 'any' && /^https?:\/\/[^/]/.test(url);
}

function openaiAssistant(
  message: Json,
  at: string,
  { strict, known }: { readonly strict: Strict; readonly known: Set<string> },
  found: string[],
): string[] {
  const { rules } = strict;
  const calls = list(message.tool_calls).map(json);
  if (message.tool_calls !== undefined && calls.length === 0) found.push(`${at}: empty tool_calls`);
  if (message.content !== null && text(message.content).trim() === '') found.push(`${at}: empty assistant content`);
  if (calls.length === 0 && message.content === null) found.push(`${at}: empty assistant message`);
  if (strict.demandsReasoning && text(message.reasoning_content).trim() === '')
    found.push(`${at}: missing reasoning_content`);
  const [first] = calls;
  if (first && rules.demandsCallSignature && text(json(json(first.extra_content).google).thought_signature) === '')
    found.push(`${at}: function call is missing a thought_signature`);
  return calls.map((call) => {
    const id = text(call.id);
    if (!rules.ids.test(id)) found.push(`${at}: id "${id}"`);
    if (known.has(id)) found.push(`${at}: id "${id}" twice`);
    known.add(id);
    if (call.type !== 'function') found.push(`${at}: call type`);
    if ('extra_content' in call && !rules.demandsCallSignature)
      found.push(`${at}: property 'extra_content' is unsupported`);
    const written = json(call.function);
    if (!rules.names.test(text(written.name))) found.push(`${at}: function name "${text(written.name)}"`);
    if (!isObjectText(text(written.arguments))) found.push(`${at}: arguments are no JSON object`);
    return id;
  });
}

function isObjectText(written: string): boolean {
  try {
    return isJson(JSON.parse(written));
  } catch {
    return false;
  }
}
