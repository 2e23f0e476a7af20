// Safe HTML by construction: every value put into a template is escaped unless it is HTML that was made here.
// No library: the whole need is one function, and a report must stand alone as one file.

/** A piece of HTML that is safe to put into another. */
export interface Html {
  readonly html: string;
}

type Value = Html | string | number | null | undefined | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Tagged template: strings and numbers are escaped, Html and lists of Html are put in as they are, null becomes nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const body = strings.reduce(
    (text, piece, index) => text + piece + (index < values.length ? render(values[index]) : ''),
    '',
  );
  return { html: body };
}

function render(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  if ('html' in value) return value.html;
  return value.map((piece) => piece.html).join('');
}
