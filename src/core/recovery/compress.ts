// L1: a request made strictly smaller without a model: long tool results are shortened, oldest first (HFR 4.4, table 5).
// Keeps the system prompt, every message and tool pairing, the first and the last request of the person, and the newest results.
import type { ChatMessage, ChatRequest, ToolResultPart } from '../chat.ts';
import { sizeOfMessage, sizeOfRequest, type TextSize } from '../textSize.ts';

/** Of a shortened result so much of its head and of its tail stays. */
const KEPT_CHARS = 400;

/**
 * Shortens tool results from the oldest on until the request has at most `targetTokens`, or as far as it goes; `tokensOf` says
 * how tokens are counted. Null when nothing could be shortened: a request is never returned unchanged. `raw` is dropped: its
 * bytes no longer fit.
 */
export function compressRequest(
  request: ChatRequest,
  targetTokens: number,
  tokensOf: (size: TextSize) => number,
): ChatRequest | null {
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
  return isWorthIt ? text.slice(0, KEPT_CHARS) + marker(left) + text.slice(-KEPT_CHARS) : text;
}
