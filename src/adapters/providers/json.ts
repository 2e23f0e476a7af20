// Careful reading of parsed JSON from the network: every accessor answers `undefined` where the shape is another one.
// Used instead of a schema on the hot path, where a schema per chunk would cost more than the chunk.

/** A JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether `value` is a JSON object (not null, not a list). */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value itself where it is an object. */
export function recordOf(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}

/** The value itself where it is a string with at least one character. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value itself where it is a finite number. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The items where the value is a list, else none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Parsed JSON, or `undefined` where the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
