// The first thing a schema found wrong, in neutral terms, so that each vendor can say it in its own words.
import type * as z from 'zod';

export interface Complaint {
  readonly kind: 'missing' | 'type' | 'unknown-field' | 'choice' | 'too-small' | 'too-big' | 'pattern' | 'other';
  /** Where: object keys and array indexes from the root. */
  readonly path: readonly (string | number)[];
  /** Expected JSON type for `type`; the bound for sizes; the pattern; else empty. */
  readonly expected: string;
  /** JSON type (or, for `choice`, the value) that was sent. */
  readonly actual: string;
  /** Allowed values of a `choice`. */
  readonly options: readonly string[];
  /** What a size bound counts: string, number or array. */
  readonly origin: string;
  /** Size that was sent, for a size bound. */
  readonly size: number;
}

type Issue = z.core.$ZodIssue;
type Path = readonly (string | number)[];

/** The complaint to report for a failed parse made with `reportInput: true`. */
export function complaintOf(error: z.ZodError): Complaint {
  const issue = error.issues[0];
  if (!issue) throw new Error('a failed parse without an issue');
  return fromIssue(issue, []);
}

/** JSON name of a value's type. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function fromIssue(issue: Issue, base: Path): Complaint {
  const path: Path = [...base, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
  const blank: Complaint = {
    kind: 'other',
    path,
    expected: '',
    actual: jsonType(issue.input),
    options: [],
    origin: '',
    size: 0,
  };
  switch (issue.code) {
    case 'invalid_type':
      return { ...blank, kind: issue.input === undefined ? 'missing' : 'type', expected: issue.expected };
    case 'unrecognized_keys':
      return { ...blank, kind: 'unknown-field', path: [...path, issue.keys[0] ?? ''] };
    case 'invalid_value':
      return {
        ...blank,
        kind: issue.input === undefined ? 'missing' : 'choice',
        actual: shown(issue.input),
        options: issue.values.map(shown),
      };
    case 'too_small':
      return {
        ...blank,
        kind: 'too-small',
        expected: String(issue.minimum),
        origin: issue.origin,
        size: sizeOf(issue.input),
      };
    case 'too_big':
      return {
        ...blank,
        kind: 'too-big',
        expected: String(issue.maximum),
        origin: issue.origin,
        size: sizeOf(issue.input),
      };
    case 'invalid_format':
      return { ...blank, kind: 'pattern', expected: (issue.pattern ?? issue.format).replace(/^\/|\/[a-z]*$/g, '') };
    case 'invalid_union':
      return fromUnion(issue, path, blank);
    default:
      return blank;
  }
}

/** Of a union, the branch that got furthest; of a tagged union, the tag. */
function fromUnion(issue: Extract<Issue, { code: 'invalid_union' }>, path: Path, blank: Complaint): Complaint {
  const branches = issue.errors.flatMap((branch) => branch.slice(0, 1)).sort((a, b) => b.path.length - a.path.length);
  const deepest = branches[0];
  if (deepest) return fromIssue(deepest, path);
  const tag = path.at(-1);
  const input: unknown = issue.input;
  const sent: unknown =
    typeof input === 'object' && input !== null && tag !== undefined ? Reflect.get(input, tag) : undefined;
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options.map(shown) : [];
  return { ...blank, kind: sent === undefined ? 'missing' : 'choice', actual: shown(sent), options };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function sizeOf(input: unknown): number {
  if (typeof input === 'string' || Array.isArray(input)) return input.length;
  return typeof input === 'number' ? input : 0;
}
