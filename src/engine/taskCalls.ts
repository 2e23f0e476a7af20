// What the agent loop tells its model, and what it asks of a single tool call before it is made: is it whole, does it fit its
// tool, may it be made again. It makes nothing.
import type { ChatMessage, ToolCallPart } from '../core/chat.ts';
import { callReasons } from '../core/recovery/answerCheck.ts';
import { reasonText } from '../core/recovery/checks.ts';
import { agentToolSpecs } from './agentToolSpecs.ts';
import type { ToolOutcome } from './agentTools.ts';

/** What the model is told of its part. */
export const SYSTEM = [
  'You are a careful software engineer working in one repository through the tools you are given.',
  'Look before you change anything. Change as little as needed. Run the tests after every change.',
  'When the goal is reached and the tests pass, call finish with a short summary.',
].join(' ');

/** Of one answer. */
export const MAX_OUTPUT_TOKENS = 4096;

/** What the model is told of a call that was cut off: the cause, what stands, and another way. */
export const CUT_CALL = [
  `Your last tool call was cut off: an answer may have at most ${MAX_OUTPUT_TOKENS} tokens and reached that inside the call.`,
  'It was not made, and every file is as it was. Do not send the same call again; send less at once.',
  'For a long file, write its first part with write_file (about 150 lines), then add the rest with edit_file, part by part.',
].join(' ');

/** What the model is told of an answer that called no tool. */
export const NO_TOOL = 'Use a tool to go on, or call finish when the goal is reached.';

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
  return line.length > 100 ? `${line.slice(0, 99).toWellFormed()}…` : line;
}
