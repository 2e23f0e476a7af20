// Puts a neutral history into the shape every wire accepts: user and assistant turns alternate, the results of a turn's
// tool calls open the next user turn in the order of the calls, ids fit and are unique, nothing is empty.
// Whatever cannot stand there as it is (a result without its call, a call without its result) is said in words, not dropped.
import type {
  AssistantMessage,
  ChatMessage,
  ImagePart,
  TextPart,
  ThinkingPart,
  ToolResultPart,
} from '../../core/chat.ts';
import type { Dialect } from '../../core/providers/dialects.ts';
import { isRecord, parseJson } from './json.ts';
import type { PortableIds } from './portableIds.ts';
import { portableIds } from './portableIds.ts';
import type { PortableNames } from './portableNames.ts';

/** A tool call with an id and a name that fit the receiver. */
export interface PortableCall {
  readonly type: 'tool-call';
  readonly wireId: string;
  readonly name: string;
  readonly argsText: string;
}

/** A result paired with a call of the turn before. */
export interface PortableResult {
  readonly type: 'tool-result';
  readonly wireId: string;
  readonly content: readonly (TextPart | ImagePart)[];
  readonly isError: boolean;
}

export interface PortableUserTurn {
  readonly role: 'user';
  /** One for every call of the assistant turn before, in its order. */
  readonly results: readonly PortableResult[];
  readonly content: readonly (TextPart | ImagePart)[];
}
export interface PortableAssistantTurn {
  readonly role: 'assistant';
  readonly content: readonly (TextPart | ThinkingPart | PortableCall)[];
}
export type PortableTurn = PortableUserTurn | PortableAssistantTurn;

/** A history ready for translation, and the ids it was given. */
export interface PortableHistory {
  readonly turns: readonly PortableTurn[];
  readonly ids: PortableIds;
}

/** Stands for the result of a call that has none (the run was interrupted). */
const NO_RESULT = 'No result of this call was recorded. Whether it had an effect is not known.';
/** Opens a history that would otherwise begin with the assistant. */
const OPENING = '(start of the conversation)';
/** Asks for the rest of an answer where the receiver takes no beginning of it. */
export const CONTINUE =
  'Continue your last message from exactly where it stopped. Repeat nothing of it and write no introduction.';

/** What the receiver accepts of a history. */
export interface HistoryRules {
  readonly callIds: Dialect['callIds'];
  readonly names: Pick<PortableNames, 'outgoing'>;
  /** Which reasoning it may see. */
  readonly keepThinking: (part: ThinkingPart) => boolean;
  /** Whether it continues an answer whose beginning is the last message. */
  readonly takesPrefill: boolean;
}

/** Normalises `messages` for one receiver. */
export function portableHistory(messages: readonly ChatMessage[], rules: HistoryRules): PortableHistory {
  const ids = portableIds(rules.callIds);
  const book: Book = { ids, names: rules.names, seen: new Map() };
  const turns: PortableTurn[] = [];
  for (const group of groupByRole(messages, rules.keepThinking)) {
    if (group.role === 'assistant') turns.push(assistantTurn(group.content, book));
    else turns.push(userTurn(group, turns.at(-1), book));
  }
  const last = turns.at(-1);
  if (last?.role === 'assistant') {
    if (callsOf(last).length > 0) turns.push(userTurn({ role: 'user', results: [], content: [] }, last, book));
    else if (!rules.takesPrefill)
      turns.push({ role: 'user', results: [], content: [{ type: 'text', text: CONTINUE }] });
  }
  if (turns[0]?.role !== 'user') {
    turns.unshift({ role: 'user', results: [], content: [{ type: 'text', text: OPENING }] });
  }
  return { turns, ids };
}

/** What is known of the calls so far. */
interface Book {
  readonly ids: PortableIds;
  readonly names: HistoryRules['names'];
  /** How many calls each id has had. */
  readonly seen: Map<string, number>;
}

interface UserGroup {
  readonly role: 'user';
  readonly results: ToolResultPart[];
  readonly content: (TextPart | ImagePart)[];
}
interface AssistantGroup {
  readonly role: 'assistant';
  readonly content: AssistantMessage['content'][number][];
}

/** Joins neighbours of the same side after dropping what is empty or not for this receiver. */
function groupByRole(
  messages: readonly ChatMessage[],
  keepThinking: (part: ThinkingPart) => boolean,
): (UserGroup | AssistantGroup)[] {
  const groups: (UserGroup | AssistantGroup)[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      const content = message.content.filter((p) => (p.type === 'thinking' ? keepThinking(p) : !isBlank(p)));
      // Reasoning alone is no turn: the call it belonged to was cut.
      if (!content.some((p) => p.type !== 'thinking')) continue;
      const last = groups.at(-1);
      if (last?.role === 'assistant') last.content.push(...content);
      else groups.push({ role: 'assistant', content });
      continue;
    }
    const results = message.role === 'tool' ? message.content : [];
    const content = message.role === 'user' ? message.content.filter((p) => !isBlank(p)) : [];
    if (results.length === 0 && content.length === 0) continue;
    const last = groups.at(-1);
    if (last?.role === 'user') {
      last.results.push(...results);
      last.content.push(...content);
    } else {
      groups.push({ role: 'user', results: [...results], content });
    }
  }
  return groups;
}

function assistantTurn(content: AssistantGroup['content'], { ids, names, seen }: Book): PortableAssistantTurn {
  return {
    role: 'assistant',
    content: content.map((part) => {
      if (part.type !== 'tool-call') return part;
      const occurrence = seen.get(part.id) ?? 0;
      seen.set(part.id, occurrence + 1);
      const wireId = ids.outgoing(part.id, occurrence);
      return { type: 'tool-call', wireId, name: names.outgoing(part.name), argsText: part.argsText };
    }),
  };
}

function userTurn(group: UserGroup, before: PortableTurn | undefined, book: Book): PortableUserTurn {
  const calls = before?.role === 'assistant' ? callsOf(before) : [];
  const { paired, orphans } = pair(group.results, calls, book.ids);
  const results = calls.map(({ wireId }): PortableResult => {
    const result = paired.get(wireId);
    if (!result) return { type: 'tool-result', wireId, content: [{ type: 'text', text: NO_RESULT }], isError: true };
    return { type: 'tool-result', wireId, content: result.content.filter((p) => !isBlank(p)), isError: result.isError };
  });
  return { role: 'user', results, content: [...orphans.flatMap(inWords), ...group.content] };
}

/**
 * Results belong to calls of the same id, in order. Where there are fewer results than calls, the first calls are those
 * that were interrupted before the model was asked again.
 */
function pair(
  results: readonly ToolResultPart[],
  calls: readonly PortableCall[],
  ids: PortableIds,
): { readonly paired: ReadonlyMap<string, ToolResultPart>; readonly orphans: readonly ToolResultPart[] } {
  const paired = new Map<string, ToolResultPart>();
  const orphans: ToolResultPart[] = [];
  const open = Map.groupBy(calls, ({ wireId }) => ids.original(wireId)?.id ?? '');
  const told = Map.groupBy(results, ({ callId }) => callId);
  const next = new Map(
    [...told].map(([id, all]) => [id, Math.max(0, (open.get(id)?.length ?? 0) - all.length)] as const),
  );
  for (const result of results) {
    const at = next.get(result.callId) ?? 0;
    const call = open.get(result.callId)?.[at];
    if (call) paired.set(call.wireId, result);
    else orphans.push(result);
    next.set(result.callId, at + 1);
  }
  return { paired, orphans };
}

function inWords(result: ToolResultPart): (TextPart | ImagePart)[] {
  const label = result.isError ? 'Error of an earlier tool call' : 'Result of an earlier tool call';
  return [
    { type: 'text', text: `[${label} that is no longer in this conversation]` },
    ...result.content.filter((p) => !isBlank(p)),
  ];
}

function callsOf(turn: PortableAssistantTurn): PortableCall[] {
  return turn.content.filter((p) => p.type === 'tool-call');
}

function isBlank(part: { readonly type: string; readonly text?: string }): boolean {
  return part.type === 'text' && (part.text ?? '').trim() === '';
}

/** The arguments of a call as a JSON object; text that is none is kept under one key, so that no receiver refuses it. */
export function argsObject(argsText: string): Record<string, unknown> {
  if (argsText.trim() === '') return {};
  const parsed = parseJson(argsText);
  // Otherwise the model wrote no JSON, and the next model should see what it wrote.
  return isRecord(parsed) ? { ...parsed } : { malformed_arguments: argsText };
}
