// Results of tool calls that name a path which .belayignore keeps: found by their call's arguments and by the file names
// that searches print, and replaced by one sentence. Which paths are kept is the caller's to say; nothing is read here.
import type { ChatMessage, ChatRequest, ToolCallPart, ToolResultPart } from '../chat.ts';
import { jsonStrings, mapJsonStrings } from './jsonStrings.ts';
import { outputPaths } from './outputPaths.ts';
import { foldersOfCall, pathWords } from './pathWords.ts';

/** What the model reads in place of a result. It names no path: the call above it does. */
export const WITHHELD =
  'Belay withheld this result: the call or its output names a file that .belayignore keeps from every provider. Go on without that file and do not try to read it another way.';

/** One tool result and the words of its call and output that could name a file. */
interface NamedResult {
  readonly result: ToolResultPart;
  readonly words: ReadonlySet<string>;
}

/** Every tool result of the request with its words. Folders that earlier calls changed to count for later ones. */
export function namedResults(request: ChatRequest, read: CallWords): readonly NamedResult[] {
  const calls = new Map<string, ReadCall>();
  const named: NamedResult[] = [];
  let bases: readonly string[] = [];
  for (const message of request.messages) {
    if (message.role === 'assistant') {
      for (const part of message.content) {
        if (part.type !== 'tool-call') continue;
        const call = read.of(part, bases);
        calls.set(part.id, call);
        ({ bases } = call);
      }
    } else if (message.role === 'tool') {
      for (const result of message.content)
        named.push({ result, words: read.ofResult(result, calls.get(result.callId) ?? NO_CALL, bases) });
    }
  }
  return named;
}

/** The words of one call, and the folders that it leaves later calls in. */
interface ReadCall {
  readonly words: ReadonlySet<string>;
  readonly bases: readonly string[];
}

const NO_CALL: ReadCall = { words: new Set(), bases: [] };
const MAX_CALLS = 2000;

/** Remembers what was read of calls and results: a conversation comes again with each of its turns. */
export class CallWords {
  private readonly calls = new Map<string, ReadCall>();
  private readonly results = new Map<string, ReadonlySet<string>>();
  private readonly ids = new WeakMap<ReadCall, number>();
  private lastId = 0;

  of(part: ToolCallPart, bases: readonly string[]): ReadCall {
    return remembered(this.calls, `${JSON.stringify(bases)}${part.argsText}`, () => readCall(part, bases));
  }

  /** The words of a result and its call; the very same set each time it comes. */
  ofResult(result: ToolResultPart, call: ReadCall, bases: readonly string[]): ReadonlySet<string> {
    const texts = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const key = `${this.idOf(call)}${JSON.stringify(bases)}${texts.join('\n')}`;
    return remembered(this.results, key, () => readResult(texts, call, bases));
  }

  private idOf(call: ReadCall): number {
    const id = this.ids.get(call) ?? ++this.lastId;
    this.ids.set(call, id);
    return id;
  }
}

function remembered<T>(memory: Map<string, T>, key: string, make: () => T): T {
  const value = memory.get(key) ?? make();
  memory.delete(key);
  memory.set(key, value);
  const [oldest] = memory.keys();
  if (memory.size > MAX_CALLS && oldest !== undefined) memory.delete(oldest);
  return value;
}

function readResult(texts: readonly string[], call: ReadCall, bases: readonly string[]): ReadonlySet<string> {
  const words = new Set(call.words);
  for (const text of texts) {
    for (const path of outputPaths(text)) {
      words.add(path);
      for (const base of bases) words.add(`${base}/${path}`);
    }
  }
  return words;
}

function readCall({ argsText }: ToolCallPart, bases: readonly string[]): ReadCall {
  const texts = [...jsonStrings(argsText)];
  const members: (readonly [string, string])[] = [];
  mapJsonStrings(argsText, (value, name) => {
    if (name !== null) members.push([name, value]);
    // A name of a member may be a path too.
    else if (/[./\\]/.test(value)) texts.push(value);
    return value;
  });
  const { own, changedTo } = foldersOfCall(texts, members, bases);
  return { words: pathWords(texts, own), bases: changedTo };
}

/** The request with these results withheld. Their pairing with calls stays; the caller's own bytes do not go along. */
export function withhold(request: ChatRequest, results: ReadonlySet<ToolResultPart>): ChatRequest {
  if (results.size === 0) return request;
  const { raw: _raw, ...rest } = request;
  return { ...rest, messages: request.messages.map((message) => withheldMessage(message, results)) };
}

function withheldMessage(message: ChatMessage, results: ReadonlySet<ToolResultPart>): ChatMessage {
  if (message.role !== 'tool') return message;
  return {
    role: 'tool',
    content: message.content.map((part) =>
      results.has(part) ? { ...part, content: [{ type: 'text', text: WITHHELD }] } : part,
    ),
  };
}
