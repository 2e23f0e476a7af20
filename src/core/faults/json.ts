// Small readers of untrusted values: they look and never throw. Shared by the parts that read bodies.

/** A JSON object whose fields are not known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a plain object (not null, not an array, not bytes). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** The elements of an array, or none. */
export function elements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A field of a value that may not be an object. */
export function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

/** The value when it is a non-empty string, else null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Parses a text that is JSON as a whole; `undefined` when it is not (JSON has no undefined). */
export function parseWhole(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    return undefined; // not JSON: the caller reads it as prose
  }
}

const JSON_START = /^\s*[[{"]/;

/** Whether it is worth trying to parse the text as JSON. */
export function looksLikeJson(text: string): boolean {
  return JSON_START.test(text);
}
