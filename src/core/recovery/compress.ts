// L1: a request made strictly smaller without a model: long tool results are shortened, oldest first (HFR 4.4, table 5).
// Keeps the system prompt, every message and tool pairing, the first and the last request of the person, and the newest results.
import type { ChatMessage, ChatRequest, ToolResultPart } from '../chat.ts';

/** Characters of the neutral request that a provider would count: text, tool arguments, results, tool schemas. */
export function requestChars(request: ChatRequest): number {
  const system = request.system.reduce((sum, part) => sum + part.text.length, 0);
  const tools = request.tools.reduce(
    (sum, tool) => sum + tool.name.length + (tool.description?.length ?? 0) + JSON.stringify(tool.parameters).length,
    0,
  );
  return system + tools + request.messages.reduce((sum, message) => sum + messageChars(message), 0);
}

function messageChars(message: ChatMessage): number {
  let chars = 0;
  for (const part of message.content) {
    if (part.type === 'text' || part.type === 'thinking') chars += part.text.length;
    else if (part.type === 'tool-call') chars += part.name.length + part.argsText.length;
    else if (part.type === 'tool-result') chars += resultChars(part);
  }
  return chars;
}

function resultChars(part: ToolResultPart): number {
  return part.content.reduce((sum, piece) => sum + (piece.type === 'text' ? piece.text.length : 0), 0);
}

/** Of a shortened result so much of its head and of its tail stays. */
const KEPT_CHARS = 400;

/**
 * Shortens tool results from the oldest on until the request has at most `targetChars`, or as far as it goes.
 * Null when nothing could be shortened: a request is never returned unchanged. `raw` is dropped: its bytes no longer fit.
 */
export function compressRequest(request: ChatRequest, targetChars: number): ChatRequest | null {
  const requested = requestChars(request) - targetChars;
  let excess = requested;
  const messages = request.messages.map((message): ChatMessage => {
    if (message.role !== 'tool' || excess <= 0) return message;
    const content = message.content.map((part) => {
      if (excess <= 0) return part;
      const shorter = shortenResult(part);
      const saved = resultChars(part) - resultChars(shorter);
      if (saved <= 0) return part;
      excess -= saved;
      return shorter;
    });
    return { ...message, content };
  });
  if (excess === requested) return null;
  const { raw: _raw, ...rest } = request;
  return { ...rest, messages };
}

function shortenResult(part: ToolResultPart): ToolResultPart {
  return {
    ...part,
    content: part.content.map((piece) => (piece.type === 'text' ? { ...piece, text: shorten(piece.text) } : piece)),
  };
}

function shorten(text: string): string {
  const marker = (left: number): string => `\n[... ${left} characters left out to fit the context ...]\n`;
  const left = text.length - 2 * KEPT_CHARS;
  const isWorthIt = left > 2 * marker(left).length;
  return isWorthIt ? text.slice(0, KEPT_CHARS) + marker(left) + text.slice(-KEPT_CHARS) : text;
}
