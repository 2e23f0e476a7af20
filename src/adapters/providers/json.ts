// Careful reading of parsed JSON from the network: every accessor answers `undefined` where the shape is another one.
// Used instead of a schema on the hot path, where a schema per chunk would cost more than the chunk.
import { isTooDeep } from './jsonText.ts';

/** A JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** No provider counts as many tokens, and no answer has as many parts. */
const COUNT_LIMIT = 1e9;
/** Longest text that is taken as the name or id of something. */
const LABEL_LIMIT_CHARS = 512;

/** Whether `value` is a JSON object (not null, not a list). */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether there is nothing: JSON writers say so in two ways. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** The value itself where it is an object. */
export function recordOf(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}

/** The value itself where it is a string with at least one character. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value itself where it is a text that can be the name or id of something: 1 to 512 characters. */
export function labelOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && text.length <= LABEL_LIMIT_CHARS ? text : undefined;
}

/** The value itself where it is a believable count: a whole number from 0 to below a billion. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < COUNT_LIMIT ? value : undefined;
}

/** Google's compatible endpoints wrap an error into a list of one; the error itself then, any other value as it is. */
export function errorInList(value: unknown): unknown {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : undefined;
  return isRecord(only) && isRecord(only.error) ? only : value;
}

/** The items where the value is a list, else none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The entry of a table that has exactly this name; names come from the network and may be those of every object. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Parsed JSON, or `undefined` where the text is none or nests deeper than anything honest. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
