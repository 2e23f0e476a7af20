// The part of `belay.advanced` that says when and how a context that grows too large is made smaller (HFR 4.4, L1; 5.4).
import * as z from 'zod';

/** `belay.advanced.compression`. */
export const compressionSchema = z.object({
  nearLimitShare: z
    .number()
    .min(0.1)
    .max(1)
    .default(0.9)
    .describe(
      'A request that fills more than this share of the largest window is compressed before it is sent; 1: never.',
    ),
  targetShare: z
    .number()
    .min(0.05)
    .max(0.95)
    .default(0.5)
    .describe('Share of the window that a request may fill after it was compressed near the limit.'),
  summaryModel: z
    .string()
    .default('')
    .describe(
      'Model name or route that writes summaries of earlier turns. Empty: the cheapest candidate of the same route.',
    ),
  hasSummary: z
    .boolean()
    .default(true)
    .describe('Earlier turns may be replaced by a summary that a model writes; false: they are left out.'),
  summaryMaxTokens: z.int().min(100).max(8000).default(1200).describe('Longest summary, in tokens.'),
  summaryTimeoutMs: z.number().positive().max(600_000).default(30_000).describe('A summary is waited for so many ms.'),
});

export type CompressionSettings = z.infer<typeof compressionSchema>;
