// What the agent loop asks of a single tool call before it is made: is it whole, does it fit its tool, may it be made again.
// It makes nothing.
import type { ChatMessage, ToolCallPart } from '../core/chat.ts';
import { callReasons } from '../core/recovery/answerCheck.ts';
import { reasonText } from '../core/recovery/checks.ts';
import { agentToolSpecs } from './agentToolSpecs.ts';
import type { ToolOutcome } from './agentTools.ts';

/** A call whose arguments held a secret: the saved text has it masked, so nobody can say which effect it was. */
export const maskedOutcome: ToolOutcome = {
  text: 'This call was interrupted and may have happened. Its arguments held a secret that was not saved, so it is not made again: look first, then decide.',
  isError: true,
  isFinish: false,
};

/** V0 of one call: what does not fit its tool's schema is not made, and the model is told why. */
export function malformed(call: ToolCallPart): ToolOutcome | null {
  const reasons = callReasons(call, agentToolSpecs);
  if (reasons.length === 0) return null;
  return { text: `Not made: ${reasons.map(reasonText).join('; ')}`, isError: true, isFinish: false };
}

/** The tool calls of an answer; none of any other message. */
export function callsOf(message: ChatMessage | undefined): readonly ToolCallPart[] {
  return message?.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : [];
}

/** The model says that the goal is reached. */
export const isFinish = ({ name }: ToolCallPart): boolean => name === 'finish';

/** The first line of a text, at most 100 characters of it. */
export function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
