// The parameters of a tool in the part of JSON Schema that the receiver takes. Only what is known to be refused goes, and
// what goes is said in the description: the model still reads it, and our own validation of arguments still checks it.
// Sources: platform.openai.com and docs.claude.com (root of a tool's schema), ai.google.dev (Schema).
import type { Dialect } from '../../core/providers/dialects.ts';
import type { JsonRecord } from './json.ts';
import { isRecord, listOf, recordOf, textOf } from './json.ts';

type Schema = Record<string, unknown>;

/** `parameters` for a receiver; the root is always an object. */
export function toolSchema(parameters: JsonRecord, rule: Dialect['schemas']): Schema {
  const root = { ...parameters, type: 'object', properties: recordOf(parameters.properties) ?? {} };
  switch (rule) {
    case 'any':
      return root;
    case 'plain-root':
      return plainRoot(root);
    case 'subset':
      return { ...googleSchema(plainRoot(root), { root: parameters, path: [] }), type: 'object' };
  }
}

const ROOT_CHOICES = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'] as const;
/** Constraints are quoted up to this length. */
const QUOTE_CHARS = 400;

/** The root without a choice between schemas; properties that only a branch names are offered all the same. */
function plainRoot(root: JsonRecord): Schema {
  const refused = Object.fromEntries(ROOT_CHOICES.flatMap((key) => (key in root ? [[key, root[key]]] : [])));
  if (Object.keys(refused).length === 0) return { ...root };
  const kept = Object.fromEntries(Object.entries(root).filter(([key]) => !(key in refused)));
  const branches = [refused.allOf, refused.anyOf, refused.oneOf].flatMap((value) => listOf(value).filter(isRecord));
  const properties: Schema = {};
  for (const branch of branches) Object.assign(properties, recordOf(branch.properties));
  const demanded = listOf(refused.allOf).flatMap((branch) => listOf(recordOf(branch)?.required));
  const required = [...new Set([...listOf(root.required), ...demanded])];
  return withNote(
    {
      ...kept,
      properties: { ...properties, ...recordOf(root.properties) },
      ...(required.length === 0 ? {} : { required }),
    },
    refused,
  );
}

function withNote(schema: Schema, removed: JsonRecord): Schema {
  if (Object.keys(removed).length === 0) return schema;
  const note = `Also holds (JSON Schema): ${JSON.stringify(removed).slice(0, QUOTE_CHARS).toWellFormed()}`;
  const told = textOf(schema.description);
  return { ...schema, description: told === undefined ? note : `${told}\n${note}` };
}

/** Fields of Google's Schema that travel as they are. */
const GOOGLE_PLAIN = new Set([
  'title', 'description', 'nullable', 'default', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'minLength',
  'maxLength', 'pattern', 'minimum', 'maximum',
]); // prettier-ignore
/** Fields that say nothing about a value, or nothing that a model must know. */
const SILENT = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
  'additionalProperties',
  'examples',
  '$ref',
]);
const GOOGLE_FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

interface Place {
  readonly root: JsonRecord;
  /** The references that led here; a schema that contains itself ends at the second time. */
  readonly path: readonly string[];
}

function googleSchema(told: JsonRecord, place: Place): Schema {
  const { schema, inner } = resolved(told, place);
  const out: Schema = {};
  const removed: Schema = {};
  const type = typeOf(schema, out);
  for (const [key, value] of Object.entries(schema)) {
    if (GOOGLE_PLAIN.has(key)) out[key] = value;
    else if (!SILENT.has(key) && !readKey(key, value, { schema, type, out, inner })) removed[key] = value;
  }
  if (Array.isArray(out.required)) {
    const known = recordOf(out.properties) ?? {};
    out.required = out.required.filter((name) => typeof name === 'string' && Object.hasOwn(known, name));
  }
  if (Array.isArray(out.required) && out.required.length === 0) delete out.required;
  return withNote(out, removed);
}

function resolved(schema: JsonRecord, place: Place): { schema: JsonRecord; inner: Place } {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return { schema, inner: place };
  if (place.path.includes($ref)) return { schema: { type: 'object', description: 'The same again.' }, inner: place };
  const target = $ref.startsWith('#/') ? at(place.root, $ref) : undefined;
  return resolved(
    { ...(target ?? { type: 'object' }), ...without(schema, '$ref') },
    { ...place, path: [...place.path, $ref] },
  );
}

function without(schema: JsonRecord, key: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key));
}

function at(root: JsonRecord, reference: string): JsonRecord | undefined {
  let value: unknown = root;
  for (const name of reference.slice(2).split('/')) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    const record = recordOf(value);
    value = record && Object.hasOwn(record, key) ? record[key] : undefined;
  }
  return recordOf(value);
}

/** One type, or none; `null` among several becomes `nullable`. */
function typeOf(schema: JsonRecord, out: Schema): string | undefined {
  const types =
    typeof schema.type === 'string' ? [schema.type] : listOf(schema.type).filter((t) => typeof t === 'string');
  const named = types.filter((t) => t !== 'null');
  if (named.length < types.length) out.nullable = true;
  if (named.length > 1) out.anyOf = named.map((type) => ({ type }));
  const only = named.length === 1 ? named[0] : undefined;
  const type = only ?? (named.length === 0 ? guessedType(schema) : undefined);
  if (type !== undefined) out.type = type;
  return type;
}

function guessedType(schema: JsonRecord): string | undefined {
  if (isRecord(schema.properties)) return 'object';
  if ('items' in schema) return 'array';
  const values = 'const' in schema ? [schema.const] : listOf(schema.enum);
  return values.length > 0 && values.every((value) => typeof value === 'string') ? 'string' : undefined;
}

interface Reading {
  readonly schema: JsonRecord;
  readonly type: string | undefined;
  readonly out: Schema;
  readonly inner: Place;
}

/** Keywords that are there in another form; false where there is none. */
function readKey(key: string, value: unknown, { type, out, inner }: Reading): boolean {
  switch (key) {
    case 'type':
      return true;
    case 'properties':
      out.properties = Object.fromEntries(
        Object.entries(recordOf(value) ?? {}).map(([name, inside]) => [
          name,
          googleSchema(recordOf(inside) ?? {}, inner),
        ]),
      );
      return true;
    case 'required':
      out.required = listOf(value);
      return true;
    case 'items':
      out.items = googleSchema(recordOf(value) ?? {}, inner);
      return true;
    case 'anyOf':
    case 'oneOf':
      out.anyOf = listOf(value).map((inside) => googleSchema(recordOf(inside) ?? {}, inner));
      return true;
    case 'enum':
      return readEnum(listOf(value), type, out);
    case 'const':
      return readEnum([value], type, out);
    case 'format':
      if (GOOGLE_FORMATS[type ?? '']?.includes(String(value)) !== true) return false;
      out.format = value;
      return true;
    case 'exclusiveMinimum':
      return readBound('minimum', value, 1, { type, out });
    case 'exclusiveMaximum':
      return readBound('maximum', value, -1, { type, out });
    default:
      return false;
  }
}

/** Only texts may be listed. */
function readEnum(values: readonly unknown[], type: string | undefined, out: Schema): boolean {
  if (type !== 'string' || !values.every((value) => typeof value === 'string' && value !== '')) return false;
  out.enum = values;
  return true;
}

/** A whole number above n is one from n + 1 on. */
function readBound(key: string, value: unknown, step: number, { type, out }: Pick<Reading, 'type' | 'out'>): boolean {
  if (type !== 'integer' || typeof value !== 'number' || !Number.isInteger(value) || key in out) return false;
  out[key] = value + step;
  return true;
}
