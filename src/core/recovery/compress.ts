// L1: a request made strictly smaller without a model (HFR 4.4, table 5): long tool results are shortened, oldest first; where
// that is not enough, whole turns are left out, oldest first. Keeps the system prompt, tool pairing, the person's first and
// last request byte for byte, the newest turn, and a mention of every effect that is not settled.
import type { ChatMessage, ChatRequest, ToolResultPart } from '../chat.ts';
import { sizeOfMessage, sizeOfRequest, type TextSize } from '../textSize.ts';
import { namesAll, noteMessage, type OpenEffect } from './openEffects.ts';
import { isNote, turnsOf, withoutTurns, type Turn } from './turns.ts';

/** How tokens of a size are counted. */
export type CountTokens = (size: TextSize) => number;

/** Of a shortened result so much of its head and of its tail stays. */
const KEPT_CHARS = 400;

/**
 * Shortens tool results from the oldest on until the request has at most `targetTokens`, or as far as it goes; `tokensOf` says
 * how tokens are counted. Null when nothing could be shortened: a request is never returned unchanged. `raw` is dropped: its
 * bytes no longer fit.
 */
export function compressRequest(request: ChatRequest, targetTokens: number, tokensOf: CountTokens): ChatRequest | null {
  let excess = tokensOf(sizeOfRequest(request)) - targetTokens;
  const partTokens = (part: ToolResultPart): number => tokensOf(sizeOfMessage({ role: 'tool', content: [part] }));
  const messages = request.messages.map((message): ChatMessage => {
    if (message.role !== 'tool' || excess <= 0) return message;
    const content = message.content.map((part) => {
      const shorter = excess > 0 ? shortenResult(part) : part;
      if (shorter === part) return part;
      excess -= partTokens(part) - partTokens(shorter);
      return shorter;
    });
    return content.every((part, index) => part === message.content[index]) ? message : { ...message, content };
  });
  if (messages.every((message, index) => message === request.messages[index])) return null;
  const { raw: _raw, ...rest } = request;
  return { ...rest, messages };
}

/**
 * Leaves out turns until the request has at most `targetTokens`, or as far as it goes: the oldest first, an earlier summary
 * last. A note says so and names what is not settled. Null when that would not make it strictly smaller.
 */
export function trimRequest(
  request: ChatRequest,
  targetTokens: number,
  tokensOf: CountTokens,
  effects: readonly OpenEffect[],
): ChatRequest | null {
  const removable = turnsOf(request.messages).filter(({ isKept }) => !isKept);
  const isSummary = ({ from, to }: Turn): boolean => request.messages.slice(from, to).every(isNote);
  const ordered = [...removable.filter((turn) => !isSummary(turn)), ...removable.filter(isSummary)];
  const note = noteMessage('Earlier messages were left out to fit.', effects);
  const without = (count: number): ChatRequest => {
    const left = ordered.slice(0, count).toSorted((a, b) => a.from - b.from);
    return withTurnsReplaced(request, left, note);
  };
  let [few, many] = [1, ordered.length];
  while (few < many) {
    const middle = Math.floor((few + many) / 2);
    if (tokensOf(sizeOfRequest(without(middle))) <= targetTokens) many = middle;
    else few = middle + 1;
  }
  return ordered.length === 0 ? null : smaller(without(few), request, tokensOf);
}

/** The same request with a note in place of turns. `raw` is dropped: its bytes no longer fit. */
export function withTurnsReplaced(request: ChatRequest, left: readonly Turn[], note: ChatMessage): ChatRequest {
  const { raw: _raw, ...rest } = request;
  return { ...rest, messages: withoutTurns(request.messages, left, note) };
}

/**
 * A shortened request in which every effect that is not settled is named: where shortening may have cut its mention, a note
 * behind the person's first request names it. Null when it is then not strictly smaller than `before`.
 */
export function withEffectsNamed(
  request: ChatRequest,
  before: ChatRequest,
  tokensOf: CountTokens,
  effects: readonly OpenEffect[],
): ChatRequest | null {
  if (namesAll(request.messages, effects)) return request;
  const first = request.messages.findIndex((message) => message.role === 'user');
  const note = noteMessage('Long results of tools were shortened to fit.', effects);
  const messages = request.messages.toSpliced(first + 1, 0, note);
  return smaller({ ...request, messages }, before, tokensOf);
}

/** `now`, where it is strictly smaller. */
export function smaller(now: ChatRequest, before: ChatRequest, tokensOf: CountTokens): ChatRequest | null {
  return tokensOf(sizeOfRequest(now)) < tokensOf(sizeOfRequest(before)) ? now : null;
}

/** The same part where nothing can be shortened. */
function shortenResult(part: ToolResultPart): ToolResultPart {
  const content = part.content.map((piece) => {
    const text = piece.type === 'text' ? shorten(piece.text) : '';
    return piece.type === 'text' && text !== piece.text ? { ...piece, text } : piece;
  });
  return content.every((piece, index) => piece === part.content[index]) ? part : { ...part, content };
}

function shorten(text: string): string {
  const marker = (left: number): string => `\n[... ${left} characters left out to fit the context ...]\n`;
  const left = text.length - 2 * KEPT_CHARS;
  const isWorthIt = left > 2 * marker(left).length;
  // A cut may go through the middle of a character.
  return isWorthIt ? (text.slice(0, KEPT_CHARS) + marker(left) + text.slice(-KEPT_CHARS)).toWellFormed() : text;
}
