// The real catalogue: generated prices and windows (catalogueData.json), and the hand-made traits. Loaded lazily by those
// who build a controller (about 50 kB); each family's rows are read when it is first asked for. Prices are those of the day
// in the file, the base of tiers: a very long prompt may cost more.
import type { Catalogue, ModelFacts } from '../catalogue.ts';
import data from './catalogueData.json' with { type: 'json' };
import { isFree, lookupsOf } from './names.ts';
import { parseRow, type CatalogueData, type CatalogueRow } from './rows.ts';
import { capabilitiesOf, tierOf, windowOf } from './traits.ts';

const FREE_PRICE = { inputUsdPerMTok: 0, outputUsdPerMTok: 0 } as const;

/** A catalogue over generated rows; traits are the built-in ones. */
export function catalogueFrom(generated: CatalogueData): Catalogue {
  const parsed = new Map<string, readonly CatalogueRow[]>();
  const rowsOf = (family: string): readonly CatalogueRow[] => {
    const known = parsed.get(family);
    if (known) return known;
    const rows = (Object.hasOwn(generated.families, family) ? (generated.families[family] ?? []) : []).map(parseRow);
    parsed.set(family, rows);
    return rows;
  };
  const factsIn = (family: string, name: string): CatalogueRow['facts'] | undefined => {
    const rows = rowsOf(family);
    const found = rows.find((row) => row.matches(name));
    if (found) return found.facts;
    const dashed = withDashedDate(name);
    return dashed === name ? undefined : rows.find((row) => row.matches(dashed))?.facts;
  };
  return {
    find: (family, model) => {
      const name = model.trim().toLowerCase();
      // `{model}` stands for whatever will be asked for.
      if (name === '' || name.includes('{')) return {};
      const found = lookupsOf(family, name).map((lookup) => ({
        takes: lookup.takes,
        facts: factsIn(lookup.family, lookup.name) ?? {},
      }));
      const price = isFree(family, name)
        ? FREE_PRICE
        : found.find(({ takes, facts }) => takes === 'all' && facts.price !== undefined)?.facts.price;
      const contextWindowTokens =
        found.find(({ facts }) => facts.contextWindowTokens !== undefined)?.facts.contextWindowTokens ?? windowOf(name);
      const tier = tierOf(name);
      return defined({ contextWindowTokens, price, tier, capabilities: capabilitiesOf(family, name) });
    },
  };
}

/** What is known of the models of all vendors. */
export const modelCatalogue: Catalogue = catalogueFrom(data);

/** `-20250929` is also listed as `-2025-09-29`. */
function withDashedDate(name: string): string {
  return name.replace(/-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g, '-$1-$2-$3');
}

type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };

function defined(facts: Loose<ModelFacts>): ModelFacts {
  const { contextWindowTokens, price, tier, capabilities } = facts;
  return {
    ...(contextWindowTokens === undefined ? {} : { contextWindowTokens }),
    ...(price === undefined ? {} : { price }),
    ...(tier === undefined ? {} : { tier }),
    ...(capabilities === undefined ? {} : { capabilities }),
  };
}
