// A request without its secrets: every text that goes out, with a placeholder wherever a secret stood. A secret that was
// found anywhere in the request is replaced everywhere in it. Texts without secrets stay as they are, byte for byte.
import type { AssistantMessage, ChatMessage, ChatRequest, ToolSpec } from '../chat.ts';
import { mapJsonStrings } from './jsonStrings.ts';
import { isPlaceholder } from './placeholders.ts';
import type { KnownSecrets, ScrubMemory } from './scrubMemory.ts';
import { isSecretMember, united, type Span } from './secrets.ts';

/** The session's secrets and their placeholders. */
export interface SecretNames {
  /** The placeholder of a secret, always the same one; makes it known. */
  placeholderFor(secret: string): string;
  /** Secrets to be replaced wherever they stand as a whole word, marked as one or not. */
  readonly known: KnownSecrets;
  /** What a model wrote and the caller was shown with secrets in clear, as the model wrote it; null: nothing was shown so. */
  writtenAs(shown: string): string | null;
  readonly memory: ScrubMemory;
}

type Change = (text: string) => string;
type Member = (value: string, name: string | null) => string;

/** The request with placeholders; the very same object where there was nothing to replace. Without the raw body otherwise. */
export function scrubRequest(request: ChatRequest, names: SecretNames): ChatRequest {
  // First all texts are looked at, so that a secret is known before the first text is written.
  eachText(request, (text) => (learn(text, names), text), memberLearner(names));
  const change = { isMade: false };
  const note = (before: string, after: string): string => {
    if (before !== after) change.isMade = true;
    return after;
  };
  const split = splitSecrets(request, names);
  const write: Change = (text) => note(text, rewritten(text, names, split.get(text)));
  const writeMember: Member = (value, name) =>
    name !== null && isSecretMember(name, value) && !isPlaceholder(value)
      ? note(value, names.placeholderFor(value))
      : write(value);
  const clean = eachText(request, write, writeMember);
  const { raw, ...rest } = clean;
  if (change.isMade) return rest;
  // The caller's bytes may hold fields that the neutral request has no word for.
  return raw && hasSecret(raw.body, names) ? rest : request;
}

function memberLearner(names: SecretNames): Member {
  return (value, name) => {
    if (name !== null && isSecretMember(name, value) && !isPlaceholder(value)) names.placeholderFor(value);
    learn(value, names);
    return value;
  };
}

function learn(text: string, names: SecretNames): void {
  for (const { start, end } of names.memory.marked(text)) {
    const secret = text.slice(start, end);
    if (!isPlaceholder(secret)) names.placeholderFor(secret);
  }
}

/** The text as it may leave: what a model wrote itself goes back as it wrote it, to the letter. */
function rewritten(text: string, names: SecretNames, split: readonly Span[] = []): string {
  const written = names.writtenAs(text);
  return written === null ? replaced(text, names, split) : replaced(written, names);
}

/** Secrets that begin in one part of a message and end in another: what of each text belongs to one. */
function splitSecrets(request: ChatRequest, names: SecretNames): ReadonlyMap<string, readonly Span[]> {
  const found = new Map<string, readonly Span[]>();
  const look = (parts: readonly { readonly type: string }[]): void => {
    const texts = parts.flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : []));
    if (texts.length < 2) return;
    const marked = names.memory.marked(texts.join(''));
    let from = 0;
    for (const text of texts) {
      const to = from + text.length;
      const crossing = marked.filter(({ start, end }) => start < to && end > from && (start < from || end > to));
      const own = crossing.map(({ start, end }) => ({
        start: Math.max(start - from, 0),
        end: Math.min(end - from, text.length),
      }));
      if (own.length > 0) found.set(text, [...(found.get(text) ?? []), ...own]);
      from = to;
    }
  };
  look(request.system);
  for (const { role, content } of request.messages) {
    if (role === 'tool') content.forEach((part) => look(part.content));
    else look(content);
  }
  return found;
}

/** The text with every secret in it replaced. */
function replaced(text: string, names: SecretNames, more: readonly Span[] = []): string {
  const spans = [...names.memory.spans(text, names.known), ...more];
  if (spans.length === 0) return text;
  let result = '';
  let done = 0;
  for (const { start, end } of united(spans)) {
    const secret = text.slice(start, end);
    if (isPlaceholder(secret)) continue;
    result += text.slice(done, start) + names.placeholderFor(secret);
    done = end;
  }
  return done === 0 ? text : result + text.slice(done);
}

function hasSecret(value: unknown, names: SecretNames): boolean {
  if (typeof value === 'string') return replaced(value, names) !== value;
  if (Array.isArray(value)) return value.some((each) => hasSecret(each, names));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, each]: [string, unknown]) =>
      (typeof each === 'string' && isSecretMember(name, each)) || hasSecret(each, names),
  );
}

/** The request with each of its texts changed. Images and the raw body are left alone. */
function eachText(request: ChatRequest, change: Change, changeMember: Member): ChatRequest {
  const content = <T extends { readonly type: string }>(parts: readonly T[]): readonly T[] =>
    parts.map((part) =>
      'text' in part && typeof part.text === 'string' ? { ...part, text: change(part.text) } : part,
    );
  const assistant = (parts: AssistantMessage['content']): AssistantMessage['content'] =>
    content(parts).map((part) =>
      part.type === 'tool-call' ? { ...part, argsText: mapJsonStrings(part.argsText, changeMember) } : part,
    );
  const message = (each: ChatMessage): ChatMessage => {
    switch (each.role) {
      case 'user':
        return { role: 'user', content: content(each.content) };
      case 'assistant':
        return { role: 'assistant', content: assistant(each.content) };
      case 'tool':
        return {
          role: 'tool',
          content: each.content.map((part) => ({ ...part, content: content(part.content) })),
        };
    }
  };
  return {
    ...request,
    system: content(request.system),
    messages: request.messages.map(message),
    tools: request.tools.map((tool) => changedTool(tool, change)),
  };
}

function changedTool(tool: ToolSpec, change: Change): ToolSpec {
  const parameters = Object.fromEntries(
    Object.entries(tool.parameters).map(([name, value]) => [name, changedValue(value, change)]),
  );
  return {
    ...tool,
    parameters,
    ...(tool.description === undefined ? {} : { description: change(tool.description) }),
  };
}

/** A JSON value with its strings changed, but for names. */
function changedValue(value: unknown, change: Change): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => changedValue(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, changedValue(each, change)]));
}
