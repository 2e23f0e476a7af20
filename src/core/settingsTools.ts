// The part of `belay.advanced` that says what tools promise and which one may stand in for which (HFR 4.4, compatibility
// layer). It is only ever proposed to an agent: what the agent then asks for goes through guard and ledger like everything.
import * as z from 'zod';

const name = z.string().min(1).max(100);

const field = z.object({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']),
  unit: z.string().max(50).nullable().default(null),
  isRequired: z.boolean().default(true),
});
const names = z.record(z.string(), z.string()).default({});

/** `belay.advanced.tools`. */
export const toolsSchema = z.object({
  contracts: z
    .record(
      name,
      z.object({
        takes: z.record(z.string(), field).default({}),
        gives: z.record(z.string(), field).default({}),
        errors: z.record(z.string(), z.enum(['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7', 'T8', 'V1'])).default({}),
        level: z.enum(['R0', 'R1', 'R2', 'R3']),
        effect: z.string().max(100).nullable().default(null),
        equivalents: z
          .array(z.object({ tool: name, takes: names, gives: names, hint: z.string().max(300).default('') }))
          .max(10)
          .default([]),
      }),
    )
    .default({})
    .describe(
      'What a tool or program takes, gives, reports and does to the world, by its name, and which others may stand in for it. Where both contracts fit, the other one is proposed when the first fails; never for an irreversible write.',
    ),
});

/** What tools promise, by name. */
export type ToolContracts = z.infer<typeof toolsSchema>['contracts'];
