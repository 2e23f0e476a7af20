// Names of tools in the grammar of the provider that receives them, and back in its answer. Names that fit travel
// unchanged; in others each refused character becomes `_`, and a hash of the whole keeps them apart.
import { createHash } from 'node:crypto';
import type { ChatRequest } from '../../core/chat.ts';
import type { NameGrammar } from '../../core/providers/dialects.ts';

const HASH_CHARS = 8;

/** Names of one request, both ways. */
export interface PortableNames {
  /** Whether any name is another one on the wire. */
  readonly isChanged: boolean;
  /** The name as sent. */
  outgoing(name: string): string;
  /** The caller's name of a tool that the model called; `wireName` itself where it is not one of ours. */
  original(wireName: string): string;
}

/** The names of the request's tools and of the calls in its history; the tools' come first, so that they keep theirs. */
export function portableNames(request: Pick<ChatRequest, 'tools' | 'messages'>, grammar: NameGrammar): PortableNames {
  const called = request.messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.name] : []))
      : [],
  );
  const names = [...new Set([...request.tools.map(({ name }) => name), ...called])];
  const fitting = names.filter((name) => grammar.shape.test(name));
  const sent = new Map(fitting.map((name) => [name, name]));
  const taken = new Map(fitting.map((name) => [name, name]));
  for (const name of names) {
    if (sent.has(name)) continue;
    let text = '';
    for (let round = 0; text === '' || taken.has(text); round++) text = rewritten(name, round, grammar.maxChars);
    sent.set(name, text);
    taken.set(text, name);
  }
  return {
    isChanged: sent.size > fitting.length,
    outgoing: (name) => sent.get(name) ?? rewritten(name, 0, grammar.maxChars),
    original: (wireName) => taken.get(wireName) ?? wireName,
  };
}

function rewritten(name: string, round: number, maxChars: number): string {
  const hash = createHash('sha256').update(`${name}\u0000${round}`, 'utf16le').digest('hex').slice(0, HASH_CHARS);
  const words = name.replaceAll(/[^a-zA-Z0-9_-]+/g, '_').replace(/^[^a-zA-Z_]/, (first) => `_${first}`);
  return `${(words === '' ? 'tool' : words).slice(0, maxChars - HASH_CHARS - 1)}_${hash}`;
}
