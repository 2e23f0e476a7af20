// What is configured of a candidate as text holds it: in the saved document and in the input of `belay plan`.
import * as z from 'zod';
import type { CandidateFacts, SourceName } from './types.ts';

/** A source of failure by kind and label. */
export const sourceSchema = z.templateLiteral([z.enum(['own', 'region', 'vendor', 'backbone']), ':', z.string()]);

const usd = z.number().min(0);

/** Dollars per million tokens, a multiple of the reference price, or null. */
export const priceSchema = z
  .union([
    z.object({
      inputUsdPerMTok: usd,
      outputUsdPerMTok: usd,
      cachedInputUsdPerMTok: usd.nullable().default(null),
    }),
    z.object({ relative: usd }),
  ])
  .nullable();

/** One candidate's facts; an absent tier, price, window or capacity is not known, and an absent source list is its own alone. */
export const candidateFactsSchema = z
  .object({
    id: z.string().min(1),
    tier: z.enum(['S', 'M', 'L', 'unknown']).default('unknown'),
    sources: z.array(sourceSchema).optional(),
    price: priceSchema.default(null),
    contextWindowTokens: z.number().positive().nullable().default(null),
    capacity: z.number().positive().nullable().default(null),
    isLocalCompute: z.boolean().default(false),
  })
  .transform(({ sources, isLocalCompute, ...facts }): CandidateFacts => {
    const own: SourceName = `own:${facts.id}`;
    return {
      ...facts,
      sources: sources && sources.length > 0 ? sources : [own],
      ...(isLocalCompute ? { isLocalCompute } : {}),
    };
  });
