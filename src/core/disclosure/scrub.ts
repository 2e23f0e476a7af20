// A request without its secrets: every text that goes out, with a placeholder wherever a secret stood. A secret that was
// found anywhere in the request is replaced everywhere in it. Texts without secrets stay as they are, byte for byte.
import type { AssistantMessage, ChatMessage, ChatRequest, ToolSpec } from '../chat.ts';
import { mapJsonStrings } from './jsonStrings.ts';
import { isPlaceholder } from './placeholders.ts';
import { findSecrets, isSecretMember, united } from './secrets.ts';

/** The session's secrets and their placeholders. */
export interface SecretNames {
  /** The placeholder of a secret, always the same one; makes it known. */
  placeholderFor(secret: string): string;
  /** Secrets to be replaced wherever they stand as a whole word, marked as one or not. */
  known(): readonly string[];
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
  const write: Change = (text) => note(text, replaced(text, names));
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
  for (const { start, end } of findSecrets(text)) {
    const secret = text.slice(start, end);
    if (!isPlaceholder(secret)) names.placeholderFor(secret);
  }
}

/** The text with every secret in it replaced. */
function replaced(text: string, names: SecretNames): string {
  const spans = [...findSecrets(text)];
  for (const secret of names.known()) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
      if (isWhole(text, at, at + secret.length)) spans.push({ start: at, end: at + secret.length });
    }
  }
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

/** Not the middle of a longer word. */
function isWhole(text: string, start: number, end: number): boolean {
  const isWord = (at: number): boolean => /\w/.test(text.charAt(at));
  return !(isWord(start) && isWord(start - 1)) && !(isWord(end - 1) && isWord(end));
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
