// The string values inside a JSON text, each looked at and replaced where it stands: every other byte stays as it was,
// also numbers that a parser would round. What is no JSON is one plain text.

/** A string literal, or a piece of JSON between two of them. */
const LITERAL = /"(?:[^"\\]|\\.)*"/gs;

/** `change` gets each decoded value with the name of its member (null: it has none, or it is itself such a name). */
export function mapJsonStrings(text: string, change: (value: string, name: string | null) => string): string {
  if (!isJson(text)) return change(text, null);
  let name: string | null = null;
  let nameEnd = -1;
  return text.replace(LITERAL, (literal, at: number) => {
    const value = decoded(literal);
    const before = text.slice(nameEnd, at);
    const isMember = nameEnd !== -1 && /^\s*:\s*$/.test(before);
    const changed = change(value, isMember ? name : null);
    name = value;
    nameEnd = at + literal.length;
    return changed === value ? literal : JSON.stringify(changed);
  });
}

function decoded(literal: string): string {
  const value: unknown = JSON.parse(literal);
  return typeof value === 'string' ? value : '';
}

/** The string values of a JSON text, names left out; the text itself where it is no JSON. */
export function jsonStrings(text: string): readonly string[] {
  if (!isJson(text)) return [text];
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === 'string') found.push(value);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(JSON.parse(text));
  return found;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
