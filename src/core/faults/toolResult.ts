// What the result of a tool says by its shape: nothing at all, or that what was found is not what was asked for. Looks at a
// result's own top level only; what lies deeper is the tool's business.
import { field, isObject } from './json.ts';

/** A result whose content is an empty list, as MCP allows, with nothing beside it. */
export function isEmptyResult(body: unknown): boolean {
  const result = field(body, 'result') ?? body;
  if (!isObject(result) || !Array.isArray(result.content) || result.content.length > 0) return false;
  return result.structuredContent === undefined || result.structuredContent === null;
}

const CLAIMS = ['verified', 'matches', 'match', 'consistent', 'accepted', 'confirmed'];
const VERDICTS = /^(?:reject|rejected|fail|failed|mismatch|inconsistent)$/i;

/** A result that says of itself that it was not confirmed, or that carries an expected and an actual value that differ. */
export function isUnverifiedResult(body: unknown): boolean {
  const result = field(field(body, 'result'), 'structuredContent') ?? field(body, 'result') ?? body;
  if (!isObject(result)) return false;
  if (CLAIMS.some((name) => result[name] === false)) return true;
  if (typeof result.verdict === 'string' && VERDICTS.test(result.verdict)) return true;
  if (typeof result.verification === 'string' && VERDICTS.test(result.verification)) return true;
  return differs(result);
}

// `sha256_expected` beside `sha256_actual`, `expectedHash` beside `actualHash`, `expected` beside `actual`.
function differs(result: Readonly<Record<string, unknown>>): boolean {
  for (const name of Object.keys(result).slice(0, 100)) {
    const other =
      name.length < 60 ? name.replace(/expected/i, (word) => (word === 'expected' ? 'actual' : 'Actual')) : name;
    if (other === name || !Object.hasOwn(result, other)) continue;
    const [one, two] = [result[name], result[other]];
    if (isPlain(one) && isPlain(two) && one !== two) return true;
  }
  return false;
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
