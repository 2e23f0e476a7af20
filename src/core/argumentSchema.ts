// Do a tool call's arguments fit the tool's own JSON Schema? The part of the schema that says what a value is: type, enum,
// required, properties, items. Keywords it does not know are passed over, so that an odd schema never refuses a good call.

type Schema = Readonly<Record<string, unknown>>;

/** Deeper than this nothing is looked at. */
const MAX_DEPTH = 12;

/** The path of the first value that does not fit, with what was expected; null when all fit. Never quotes a value. */
export function schemaProblem(value: unknown, schema: unknown, path = '', depth = 0): string | null {
  if (!isRecord(schema) || depth > MAX_DEPTH) return null;
  const expected = typesOf(schema);
  if (expected.length > 0 && !expected.some((type) => isOfType(value, type)))
    return `${path || 'the arguments'} must be ${expected.join(' or ')}`;
  if (Array.isArray(schema.enum) && !isAmong(value, schema.enum))
    return `${path || 'the arguments'} is not one of the allowed values`;
  if (isRecord(value)) return objectProblem(value, schema, path, depth);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const problem = schemaProblem(item, schema.items, `${path}[${index}]`, depth + 1);
      if (problem) return problem;
    }
  }
  return null;
}

function objectProblem(value: Schema, schema: Schema, path: string, depth: number): string | null {
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  for (const name of required)
    if (typeof name === 'string' && !Object.hasOwn(value, name)) return `${inside(name)} is missing`;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  for (const [name, item] of Object.entries(value)) {
    const problem = Object.hasOwn(properties, name)
      ? schemaProblem(item, properties[name], inside(name), depth + 1)
      : null;
    if (problem) return problem;
  }
  return null;
}

function typesOf({ type }: Schema): readonly string[] {
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  return names.filter((name) => typeof name === 'string');
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

/** Only values without parts are compared; an enum of objects says nothing here. */
function isAmong(value: unknown, allowed: readonly unknown[]): boolean {
  return allowed.some((each) => each === value || (typeof each === 'object' && each !== null));
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
