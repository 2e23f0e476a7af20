// The wall's estimate of a prompt's tokens: characters / 4 over everything the model would read, the same on every wire.
// An estimate, not a tokenizer: it is what the wall bills, enforces windows by, and reports as usage.
import type { ChatMessage } from '../../core/chat.ts';
import { tokensOf } from './answer.ts';
import type { WallRequest } from './wire.ts';

/** Characters an image counts for. */
const IMAGE_CHARS = 4000;

/** Tokens of the whole prompt: system, messages and tool definitions. */
export function promptTokens(request: Pick<WallRequest, 'system' | 'messages' | 'tools'>): number {
  const system = request.system.reduce((sum, text) => sum + text.length, 0);
  const messages = request.messages.reduce((sum, message) => sum + messageChars(message), 0);
  const tools = request.tools.reduce(
    (sum, tool) => sum + tool.name.length + (tool.description?.length ?? 0) + JSON.stringify(tool.parameters).length,
    0,
  );
  return tokensOf(system + messages + tools);
}

function messageChars(message: ChatMessage): number {
  return message.content.reduce((sum, part) => sum + partChars(part), 0);
}

function partChars(part: ChatMessage['content'][number]): number {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return part.text.length;
    case 'image':
      return IMAGE_CHARS;
    case 'tool-call':
      return part.name.length + part.argsText.length;
    case 'tool-result':
      return part.content.reduce((sum, inner) => sum + partChars(inner), 0);
  }
}
