// `belay plan`: candidates and parameters in (one JSON document), ranking and hedge set out (CONTRACTS, plan).
import * as z from 'zod';
import { planLiteral } from '../core/scheduler/literal.ts';
import type { CommandIo } from './io.ts';
import { planBalancedDocument } from './planBalanced.ts';

const share = z.number().min(0).max(1);
/** Beyond it products would leave the range of numbers. */
const GREATEST = 1e100;
const nonNegative = z.number().min(0).max(GREATEST);
const positive = z
  .number()
  .positive()
  .min(1 / GREATEST)
  .max(GREATEST);

const literalSchema = z.object({
  mode: z.literal('literal'),
  params: z.object({
    lambda: nonNegative,
    gamma: nonNegative,
    eta: nonNegative,
    kappa: nonNegative,
    epsB: positive,
    epsR: share,
    rhoCap: share,
    tau: share,
    t0Ms: positive.nullable(),
  }),
  role: z.string().optional(),
  candidates: z.array(
    z.object({
      id: z.string().min(1),
      alpha: positive,
      beta: positive,
      fInt: share,
      lossNet: share,
      procMs: nonNegative,
      bytes: nonNegative,
      bandwidth: nonNegative,
      jitter: nonNegative,
    }),
  ),
});

/** Reads one document from standard input and prints the plan; exit code 2 names what is wrong with the input. */
export async function planCommand(io: CommandIo): Promise<number> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.stdin) chunks.push(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
  const text = new TextDecoder().decode(concat(chunks)).replace(/^\uFEFF/, '');
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    io.err(`plan: standard input is not one JSON document: ${cause instanceof Error ? cause.message : 'unreadable'}`);
    return 2;
  }
  const mode = z.object({ mode: z.enum(['literal', 'balanced', 'fast']) }).safeParse(document);
  if (mode.success && mode.data.mode !== 'literal') {
    const planned = planBalancedDocument(document);
    if (planned.ok) io.out(planned.text);
    else for (const error of planned.errors) io.err(`plan: ${error}`);
    return planned.ok ? 0 : 2;
  }
  const parsed = literalSchema.safeParse(document);
  if (!parsed.success) {
    for (const issue of parsed.error.issues.slice(0, 10))
      io.err(`plan: ${issue.path.map(String).join('.') || 'document'}: ${issue.message}`);
    return 2;
  }
  const { order: _places, ...told } = planLiteral(parsed.data.candidates, parsed.data.params);
  io.out(JSON.stringify(told));
  return 0;
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
