// Strict rules of both request wires, as the vendors enforce them: every rule that a translated body may break is here,
// and each broken one is named. An empty list means the body would be accepted.

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const json = (value: unknown): Json => (isJson(value) ? value : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Which rules of the OpenAI Chat wire a body breaks. */
export function openaiViolations(body: unknown): string[] {
  const found: string[] = [];
  const { model, messages, tools, tool_choice, stop } = json(body);
  if (text(model) === '' || text(model).includes('{model}')) found.push('model: must be a name');
  if (list(messages).length === 0) found.push('messages: must not be empty');
  if (tool_choice !== undefined && list(tools).length === 0) found.push('tool_choice: only with tools');
  if (Array.isArray(stop) && stop.length > 4) found.push('stop: at most 4');
  for (const tool of list(tools)) {
    const name = text(json(json(tool).function).name);
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) found.push(`tools: name "${name}"`);
  }
  openaiMessages(list(messages).map(json), found);
  return found;
}

function openaiMessages(messages: readonly Json[], found: string[]): void {
  let open: string[] = [];
  const known = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const at = `messages[${i}]`;
    if (message.role === 'tool') {
      const id = text(message.tool_call_id);
      if (!open.includes(id)) found.push(`${at}: tool result "${id}" answers no open call`);
      open = open.filter((other) => other !== id);
      if (text(message.content) === '') found.push(`${at}: tool content must be text`);
      continue;
    }
    if (open.length > 0) found.push(`${at}: calls without result: ${open.join()}`);
    open = [];
    if (message.role === 'system' && i !== 0) found.push(`${at}: system must come first`);
    if (message.role === 'user') openaiUser(message, at, found);
    else if (message.role === 'assistant') open = openaiAssistant(message, at, known, found);
    else if (message.role !== 'system') found.push(`${at}: role`);
    else if (text(message.content) === '') found.push(`${at}: empty system`);
  }
  if (open.length > 0) found.push(`end: calls without result: ${open.join()}`);
}

function openaiUser(message: Json, at: string, found: string[]): void {
  if (typeof message.content === 'string') {
    if (message.content.trim() === '') found.push(`${at}: empty user message`);
    return;
  }
  if (list(message.content).length === 0) found.push(`${at}: user content`);
  for (const part of list(message.content).map(json)) {
    const url = text(json(part.image_url).url);
    const isText = part.type === 'text' && text(part.text).trim() !== '';
    const isImage = part.type === 'image_url' && /^(https?:\/\/|data:[^;]+;base64,)/.test(url);
    if (!isText && !isImage) found.push(`${at}: content part ${String(part.type)}`);
  }
}

function openaiAssistant(message: Json, at: string, known: Set<string>, found: string[]): string[] {
  const calls = list(message.tool_calls).map(json);
  if (message.tool_calls !== undefined && calls.length === 0) found.push(`${at}: empty tool_calls`);
  if (calls.length === 0 && text(message.content).trim() === '') found.push(`${at}: empty assistant message`);
  return calls.map((call) => {
    const id = text(call.id);
    if (id === '' || id.length > 64) found.push(`${at}: id "${id}"`);
    if (known.has(id)) found.push(`${at}: id "${id}" twice`);
    known.add(id);
    const written = json(call.function);
    if (text(written.name) === '') found.push(`${at}: call without name`);
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

/** Which rules of the Anthropic Messages wire a body breaks. `issuer` signs the thinking this endpoint accepts. */
export function anthropicViolations(
  body: unknown,
  isOwnSignature: (signature: string) => boolean = () => true,
): string[] {
  const found: string[] = [];
  const { model, messages, system, max_tokens, temperature, top_p, tools, tool_choice } = json(body);
  if (text(model) === '' || text(model).includes('{model}')) found.push('model: must be a name');
  if (!Number.isInteger(max_tokens) || Number(max_tokens) < 1) found.push('max_tokens: required');
  if (temperature !== undefined && (Number(temperature) < 0 || Number(temperature) > 1))
    found.push('temperature: 0 to 1');
  if (temperature !== undefined && top_p !== undefined) found.push('temperature and top_p: only one');
  for (const block of list(system).map(json)) {
    if (block.type !== 'text' || text(block.text).trim() === '') found.push('system: text blocks must be non-empty');
  }
  for (const tool of list(tools).map(json)) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(text(tool.name))) found.push(`tools: name "${text(tool.name)}"`);
    if (json(tool.input_schema).type !== 'object') found.push('tools: input_schema.type must be object');
  }
  if (tool_choice !== undefined && list(tools).length === 0) found.push('tool_choice: only with tools');
  anthropicMessages(list(messages).map(json), list(tools).length > 0, isOwnSignature, found);
  return found;
}

function anthropicMessages(
  messages: readonly Json[],
  hasTools: boolean,
  isOwnSignature: (signature: string) => boolean,
  found: string[],
): void {
  let open: string[] = [];
  const known = new Set<string>();
  if (messages[0]?.role !== 'user') found.push('messages: the first must be of the user');
  for (const [i, message] of messages.entries()) {
    const at = `messages[${i}]`;
    if (message.role !== (i % 2 === 0 ? 'user' : 'assistant')) found.push(`${at}: roles must alternate`);
    const blocks = list(message.content).map(json);
    if (blocks.length === 0) found.push(`${at}: empty content`);
    for (const block of blocks) anthropicBlock(block, at, isOwnSignature, found);
    if (message.role === 'user') {
      const ids = blocks.filter((b) => b.type === 'tool_result').map((b) => text(b.tool_use_id));
      const lastResult = blocks.findLastIndex((b) => b.type === 'tool_result');
      if (lastResult >= ids.length) found.push(`${at}: tool results must come first`);
      if (ids.toSorted().join() !== open.toSorted().join())
        found.push(`${at}: results ${ids.join()} for calls ${open.join()}`);
      open = [];
      continue;
    }
    const uses = blocks.filter((b) => b.type === 'tool_use');
    if (uses.length > 0 && !hasTools) found.push(`${at}: tool_use without declared tools`);
    open = uses.map((use) => text(use.id));
    for (const id of open) {
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) found.push(`${at}: id "${id}"`);
      if (known.has(id)) found.push(`${at}: id "${id}" twice`);
      known.add(id);
    }
    const end = blocks.at(-1);
    const isPrefill = i === messages.length - 1;
    if (isPrefill && end?.type === 'text' && /\s$/.test(text(end.text))) found.push(`${at}: ends in white space`);
  }
  if (open.length > 0) found.push(`end: calls without result: ${open.join()}`);
}

function anthropicBlock(
  block: Json,
  at: string,
  isOwnSignature: (signature: string) => boolean,
  found: string[],
): void {
  const source = json(block.source);
  const broken: Readonly<Record<string, boolean>> = {
    text: text(block.text).trim() === '',
    image: !(
      (source.type === 'url' && text(source.url).startsWith('https://')) ||
      (source.type === 'base64' &&
        /^image\/(jpeg|png|gif|webp)$/.test(text(source.media_type)) &&
        text(source.data) !== '')
    ),
    tool_use: !isJson(block.input) || text(block.name) === '',
    tool_result: block.content !== undefined && list(block.content).length === 0,
    thinking: typeof block.thinking !== 'string' || !isOwnSignature(text(block.signature)),
    redacted_thinking: !isOwnSignature(text(block.data)),
  };
  if (broken[text(block.type)] ?? true) found.push(`${at}: block ${text(block.type)}`);
  if (block.type !== 'tool_result') return;
  for (const inner of list(block.content).map(json)) anthropicBlock(inner, at, isOwnSignature, found);
}
