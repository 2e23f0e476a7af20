// Is a model's tool call fit to be handed on? Its name must be offered, its arguments a JSON object that fits the tool's schema.
import { schemaProblem } from './argumentSchema.ts';
import type { ToolCallPart, ToolSpec } from './chat.ts';

/** The first thing wrong with `calls`, in words for the log and the model, or null. Never quotes argument values. */
export function toolCallProblem(calls: readonly ToolCallPart[], tools: readonly ToolSpec[]): string | null {
  for (const call of calls) {
    const problem = oneProblem(call, tools);
    if (problem) return problem;
  }
  return null;
}

function oneProblem(call: ToolCallPart, tools: readonly ToolSpec[]): string | null {
  const tool = tools.find((candidate) => candidate.name === call.name);
  if (!tool) return `tool call names "${call.name.slice(0, 80).toWellFormed()}", which was not offered`;
  const args = parseArguments(call.argsText);
  if (!args) return `arguments of "${call.name}" are not a JSON object`;
  const problem = schemaProblem(args, tool.parameters);
  return problem === null ? null : `arguments of "${call.name}": ${problem}`;
}

/** The arguments as an object; an empty text counts as no arguments; null when it is anything else. */
export function parseArguments(argsText: string): Readonly<Record<string, unknown>> | null {
  if (argsText.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(argsText);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
