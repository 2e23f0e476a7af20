// Small readers of untrusted values: they look and never throw. Shared by the parts that read bodies.

/** A JSON object whose fields are not known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a plain object (not null, not an array, not bytes). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** More elements than this tell nothing new about a failure. */
const MAX_ELEMENTS = 4000;

/** The elements of an array (the first few thousand of a longer one), or none. */
export function elements(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const all: readonly unknown[] = value;
  return all.length > MAX_ELEMENTS ? all.slice(0, MAX_ELEMENTS) : all;
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

const JSON_START = /^\s{0,1000}[[{"]/;

/** Whether it is worth trying to parse the text as JSON. */
export function looksLikeJson(text: string): boolean {
  return JSON_START.test(text);
}
