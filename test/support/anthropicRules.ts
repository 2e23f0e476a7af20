// Strict rules of the Anthropic Messages wire, as Anthropic enforces them or stricter (docs.claude.com: Messages, tool use,
// extended thinking, vision), written without the translators. An empty list means the body would be accepted.

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const json = (value: unknown): Json => (isJson(value) ? value : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What an endpoint accepts. */
export interface AnthropicRules {
  /** Whether the endpoint made this signature (or encrypted reasoning). */
  readonly isOwnSignature: (signature: string) => boolean;
  readonly takesPrefill: boolean;
  /** Whether it fetches images by their address. */
  readonly takesImageUrls: boolean;
  readonly takesSampling: boolean;
  readonly takesImages: boolean;
  /** Whether it knows more fields than the wire's. */
  readonly takesMoreFields: boolean;
}

/** Anthropic's own API with a model of 2025. */
export const plainAnthropic: AnthropicRules = {
  isOwnSignature: () => true,
  takesPrefill: true,
  takesImageUrls: true,
  takesSampling: true,
  takesImages: true,
  takesMoreFields: true,
};

const BODY_FIELDS = [
  'model', 'max_tokens', 'system', 'messages', 'stream', 'tools', 'tool_choice', 'temperature', 'top_p', 'top_k',
  'stop_sequences', 'metadata', 'thinking', 'anthropic_version', 'service_tier',
]; // prettier-ignore

/** Which rules of the Anthropic Messages wire a body breaks. */
export function anthropicViolations(body: unknown, changed: Partial<AnthropicRules> = {}): string[] {
  const rules = { ...plainAnthropic, ...changed };
  const found: string[] = [];
  const { model, messages, system, max_tokens, temperature, top_p, stop_sequences, tools } = json(body);
  for (const field of Object.keys(json(body)))
    if (!rules.takesMoreFields && !BODY_FIELDS.includes(field)) found.push(`${field}: extra inputs are not permitted`);
  if (text(model) === '' || text(model).includes('{model}')) found.push('model: must be a name');
  if (!Number.isInteger(max_tokens) || Number(max_tokens) < 1) found.push('max_tokens: required');
  if (temperature !== undefined && !(Number(temperature) >= 0 && Number(temperature) <= 1))
    found.push('temperature: 0 to 1');
  if (temperature !== undefined && top_p !== undefined) found.push('temperature and top_p: only one');
  if ((temperature !== undefined || top_p !== undefined) && !rules.takesSampling)
    found.push('temperature: deprecated for this model');
  if (list(stop_sequences).some((s) => text(s).trim() === '')) found.push('stop_sequences: white space');
  for (const block of list(system).map(json)) {
    if (block.type !== 'text' || text(block.text).trim() === '') found.push('system: text blocks must be non-empty');
  }
  if (system !== undefined && typeof system !== 'string' && list(system).length === 0) found.push('system: empty');
  anthropicTools(json(body), found);
  anthropicMessages(list(messages).map(json), rules, { hasTools: list(tools).length > 0, body: json(body) }, found);
  return found;
}

function anthropicTools({ tools, tool_choice: choice }: Json, found: string[]): void {
  const names = list(tools).map((tool) => text(json(tool).name));
  for (const tool of list(tools).map(json)) {
    const schema = json(tool.input_schema);
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(text(tool.name))) found.push(`tools: name "${text(tool.name)}"`);
    if (schema.type !== 'object') found.push('tools: input_schema.type must be object');
    for (const key of ['oneOf', 'anyOf', 'allOf']) if (key in schema) found.push(`tools: ${key} at the top level`);
  }
  if (new Set(names).size < names.length) found.push('tools: names must be unique');
  if (choice !== undefined && names.length === 0) found.push('tool_choice: only with tools');
  if (json(choice).type === 'tool' && !names.includes(text(json(choice).name)))
    found.push('tool_choice: names no tool');
}

function anthropicMessages(
  messages: readonly Json[],
  rules: AnthropicRules,
  { hasTools, body }: { readonly hasTools: boolean; readonly body: Json },
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
    for (const block of blocks) anthropicBlock(block, { at, rules, role: text(message.role) }, found);
    if (message.role === 'user') {
      anthropicResults(blocks, open, at, found);
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
    if (isThinking(blocks.at(-1))) found.push(`${at}: the final block cannot be thinking`);
    const isOn = json(body.thinking).type === 'enabled';
    if (isOn && uses.length > 0 && !isThinking(blocks[0])) found.push(`${at}: expected thinking, found tool_use`);
  }
  if (open.length > 0) found.push(`end: calls without result: ${open.join()}`);
  const last = messages.at(-1);
  if (last?.role === 'assistant') anthropicEnd(list(last.content).map(json), rules, found);
}

function isThinking(block: Json | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

function anthropicResults(blocks: readonly Json[], open: readonly string[], at: string, found: string[]): void {
  const ids = blocks.filter((b) => b.type === 'tool_result').map((b) => text(b.tool_use_id));
  const lastResult = blocks.findLastIndex((b) => b.type === 'tool_result');
  if (lastResult >= ids.length) found.push(`${at}: tool results must come first`);
  if (ids.toSorted().join() !== open.toSorted().join())
    found.push(`${at}: results ${ids.join()} for calls ${open.join()}`);
}

function anthropicEnd(blocks: readonly Json[], rules: AnthropicRules, found: string[]): void {
  const end = blocks.at(-1);
  if (!rules.takesPrefill) found.push('end: this model does not support assistant message prefill');
  if (end?.type === 'text' && /\s$/.test(text(end.text))) found.push('end: ends in white space');
}

interface Where {
  readonly at: string;
  readonly rules: AnthropicRules;
  readonly role: string;
}

function anthropicBlock(block: Json, { at, rules, role }: Where, found: string[]): void {
  const source = json(block.source);
  const type = text(block.type);
  const isUrl = source.type === 'url' && text(source.url).startsWith('https://') && rules.takesImageUrls;
  const isData =
    source.type === 'base64' &&
    /^image\/(jpeg|png|gif|webp)$/.test(text(source.media_type)) &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(text(source.data));
  const broken: Readonly<Record<string, boolean>> = {
    text: text(block.text).trim() === '',
    image: !rules.takesImages || !(isUrl || isData) || role !== 'user',
    tool_use: !isJson(block.input) || !/^[a-zA-Z0-9_-]{1,128}$/.test(text(block.name)) || role !== 'assistant',
    tool_result: (block.content !== undefined && list(block.content).length === 0) || role !== 'user',
    thinking:
      typeof block.thinking !== 'string' || !rules.isOwnSignature(text(block.signature)) || role !== 'assistant',
    redacted_thinking: !rules.isOwnSignature(text(block.data)) || role !== 'assistant',
  };
  if (!Object.hasOwn(broken, type) || broken[type] === true) found.push(`${at}: block ${type}`);
  if (type !== 'tool_result') return;
  for (const inner of list(block.content).map(json)) {
    if (inner.type !== 'text' && inner.type !== 'image') found.push(`${at}: ${text(inner.type)} in a tool result`);
    anthropicBlock(inner, { at, rules, role }, found);
  }
}
