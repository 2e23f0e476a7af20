// One form for answers that say the same in different words of JSON or white space. What it cannot be sure of it takes for different
// or leaves uncompared: it must never call two answers equal that are not. Source: seed 004, 5.2; RFC 8785.
import type { ToolCallPart } from '../../chat.ts';
import { canonicalText } from '../../ledger/key.ts';
import { parseArguments } from '../../toolCalls.ts';

/** What one replica answered: the result of a read tool, or a model's message. */
export type ReplicaAnswer =
  | { readonly kind: 'tool-result'; readonly text: string; readonly isError: boolean }
  | { readonly kind: 'model-answer'; readonly text: string; readonly toolCalls: readonly ToolCallPart[] };

/**
 * The form in which equal answers are equal texts; null: not comparable. A tool result is canonical JSON where it is JSON, else its
 * text with white space folded. A model's answer is its tool calls with canonical arguments, in any order and without their
 * ids; the words around them are not compared, and an answer of words alone is not comparable.
 */
export function normalisedAnswer(answer: ReplicaAnswer): string | null {
  if (answer.kind === 'tool-result') return `${answer.isError ? 'error' : 'result'}:${normalisedText(answer.text)}`;
  if (answer.toolCalls.length === 0) return null;
  return `calls:${answer.toolCalls.map(normalisedCall).sort().join('\n')}`;
}

function normalisedText(text: string): string {
  const json = canonicalOrNull(text);
  return json === null ? `text:${folded(text)}` : `json:${json}`;
}

function normalisedCall({ name, argsText }: ToolCallPart): string {
  const json = parseArguments(argsText) === null ? null : canonicalOrNull(argsText.trim() === '' ? '{}' : argsText);
  return JSON.stringify([name, json ?? `text:${folded(argsText)}`]);
}

/** Whole numbers of so many digits (ids) are not exact in JavaScript: two that differ could come out the same. */
const INEXACT_NUMBER = /(?<![\d.])\d{16}/;

/** Null: no JSON, or none that can be compared exactly. */
function canonicalOrNull(text: string): string | null {
  if (INEXACT_NUMBER.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return canonicalText(value);
  } catch {
    // Untrusted text: no JSON, nested beyond the stack, or with half a character. Then it is compared as it is.
    return null;
  }
}

const folded = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ');
