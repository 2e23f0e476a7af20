// The rows of the generated price list: how one is read, and which of them a model's name matches. Each row is
// `window input output cached matcher` (tokens, then dollars per million tokens, `-` where unknown), as src/catalogueSource.ts
// writes it; the first row that matches decides, as in the package the rows are made from.
import type { ModelFacts } from '../catalogue.ts';

/** The generated file. */
export interface CatalogueData {
  /** The package and its version. */
  readonly source: string;
  /** The day whose prices these are, `2026-11-30`. */
  readonly asOf: string;
  readonly families: Readonly<Record<string, readonly string[]>>;
}

/** Price and window of one row, and whether a name (in lower case) is one of its names. */
export interface CatalogueRow {
  readonly facts: Pick<ModelFacts, 'price' | 'contextWindowTokens'>;
  readonly matches: (name: string) => boolean;
}

/** Reads one row. A row that cannot be read matches nothing: an unknown price is better than a wrong one. */
export function parseRow(row: string): CatalogueRow {
  const [window, input, output, cached, ...rest] = row.split(' ');
  const windowTokens = figure(window);
  const inputUsd = figure(input);
  const outputUsd = figure(output);
  const cachedUsd = figure(cached);
  const price =
    inputUsd === undefined || outputUsd === undefined
      ? {}
      : {
          price: {
            inputUsdPerMTok: inputUsd,
            outputUsdPerMTok: outputUsd,
            ...(cachedUsd === undefined ? {} : { cachedInputUsdPerMTok: cachedUsd }),
          },
        };
  return {
    facts: { ...price, ...(windowTokens === undefined ? {} : { contextWindowTokens: windowTokens }) },
    matches: parseMatcher(rest.join(' ')),
  };
}

/** `=x`, `^x` (begins), `$x` (ends), `*x` (contains) or `~regex`; ` & ` binds closer than ` | `. */
export function parseMatcher(text: string): (name: string) => boolean {
  const alternatives = text.split(' | ').map((alternative) => alternative.split(' & ').map(condition));
  return (name) => alternatives.some((parts) => parts.every((holds) => holds(name)));
}

const conditions: Readonly<Record<string, (value: string) => (name: string) => boolean>> = {
  '=': (value) => (name) => name === value,
  '^': (value) => (name) => name.startsWith(value),
  $: (value) => (name) => name.endsWith(value),
  '*': (value) => (name) => name.includes(value),
  '~': (value) => {
    const pattern = new RegExp(value);
    return (name) => pattern.test(name);
  },
};

function condition(text: string): (name: string) => boolean {
  const value = text.slice(1);
  const make = Object.hasOwn(conditions, text.charAt(0)) ? conditions[text.charAt(0)] : undefined;
  return make === undefined || value === '' ? () => false : make(value);
}

function figure(text: string | undefined): number | undefined {
  const value = text === undefined || text === '-' || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
