// V0, the check of every call (HFR document, table 8): status, an end, a content, and the types of each tool call against the
// schema that the tool declares. Pure; it says nothing of whether the answer is right.
import { schemaProblem } from '../argumentSchema.ts';
import type { FinishReason, ToolCallPart, ToolChoice, ToolSpec } from '../chat.ts';
import { parseArguments } from '../toolCalls.ts';
import { checksVersion, type CheckReason, type CheckResult } from './checks.ts';

/** An answer as it came. */
export interface AnswerToCheck {
  /** Null: the answer came by a way without a status. */
  readonly httpStatus: number | null;
  /** Null: the answer has no end. */
  readonly finish: FinishReason | null;
  readonly text: string;
  readonly toolCalls: readonly ToolCallPart[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  /** Absent: any text will do. Else the text must be JSON that fits this schema (structured output). */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** What V0 says of an answer. A refusal is no fault of transport and passes: it is T8 and surfaced as such. */
export function checkAnswer(answer: AnswerToCheck): CheckResult {
  const reasons = [
    ...transportReasons(answer),
    ...choiceReasons(answer),
    ...answer.toolCalls.flatMap((call) => callReasons(call, answer.tools)),
  ];
  const said =
    reasons.length === 0 ? 'status, end, content and types hold' : `things that do not hold: ${reasons.length}`;
  return {
    check: 'V0',
    verifier: 'answer',
    version: checksVersion,
    passed: reasons.length === 0,
    quality: null,
    reasons,
    evidence: said,
    durationMs: 0,
  };
}

const transport = (name: string, message: string): CheckReason => ({
  kind: 'transport',
  name,
  file: null,
  line: null,
  message,
});

function transportReasons({ httpStatus, finish, text, toolCalls, schema }: AnswerToCheck): readonly CheckReason[] {
  const isRefused = finish === 'refusal' || finish === 'content-filter';
  const reasons: CheckReason[] = [];
  if (httpStatus !== null && (httpStatus < 200 || httpStatus > 299))
    reasons.push(transport('status', `the status is ${httpStatus}`));
  if (finish === null) reasons.push(transport('end', 'the answer has no end'));
  // Cut off before it said anything it is cut off, which its end tells, and not empty.
  if (text.trim() === '' && toolCalls.length === 0 && !isRefused && finish !== 'truncated')
    reasons.push(transport('empty', 'the answer has neither text nor a tool call'));
  const isWhole = !isRefused && finish !== 'truncated' && toolCalls.length === 0;
  const problem = schema && isWhole ? structureProblem(text, schema) : null;
  if (problem !== null) reasons.push({ ...transport('structure', problem), kind: 'field' });
  return reasons;
}

function structureProblem(text: string, schema: Readonly<Record<string, unknown>>): string | null {
  try {
    return schemaProblem(JSON.parse(text), schema);
  } catch {
    return 'the text is no JSON';
  }
}

function choiceReasons({ toolChoice, toolCalls, finish }: AnswerToCheck): readonly CheckReason[] {
  const wanted = toolChoice.type;
  if (wanted === 'none' && toolCalls.length > 0) return [transport('tool-choice', 'no tool was to be called')];
  // Cut off before its call was complete, it is cut off and not disobedient.
  if (finish === 'truncated' || finish === 'refusal' || finish === 'content-filter') return [];
  if (wanted === 'required' && toolCalls.length === 0) return [transport('tool-choice', 'a tool was to be called')];
  if (wanted !== 'tool' || toolCalls.some(({ name }) => name === toolChoice.name)) return [];
  return [transport('tool-choice', `the tool ${toolChoice.name} was to be called`)];
}

/** The first thing wrong with a call, or nothing; values are never quoted. */
export function callReasons({ id, name, argsText }: ToolCallPart, tools: readonly ToolSpec[]): readonly CheckReason[] {
  const field = (message: string): readonly CheckReason[] => [
    { kind: 'field', name: name.slice(0, 80).toWellFormed(), file: null, line: null, message },
  ];
  const tool = tools.find((each) => each.name === name);
  if (id === '') return field('the call has no id');
  if (!tool) return field('there is no such tool');
  const args = parseArguments(argsText);
  if (!args) return field('the arguments are not a JSON object');
  const problem = schemaProblem(args, tool.parameters);
  return problem === null ? [] : field(problem);
}
