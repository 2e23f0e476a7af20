// Which task and step a foreign agent's request belongs to, when it does not say (DESIGN, fixed semantics 2):
// task = hash of client, system prompt and first user message; step = number of the turn. Hashing is the caller's.
import type { ChatRequest } from './chat.ts';

/** The text whose SHA-256 names the task: the same for every turn of one conversation. Well-formed Unicode. */
export function foreignTaskText(client: string, request: ChatRequest): string {
  const firstUser = request.messages.find((message) => message.role === 'user');
  return JSON.stringify([client, request.system.map((part) => part.text), firstUser?.content ?? []]).toWellFormed();
}

/** Number of the turn, from 1: every answer the model already gave is one before it. */
export function foreignStep(request: ChatRequest): number {
  return 1 + request.messages.filter((message) => message.role === 'assistant').length;
}
