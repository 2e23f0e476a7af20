// `belay classify`: observations in, faults out, one JSON line each (CONTRACTS.md). It translates names between the file
// format and the core and decides nothing.
import * as z from 'zod';
import { classify } from '../core/faults/classify.ts';
import type { Fault, Observation } from '../core/faults/fault.ts';
import type { CommandIo, ExitCode } from './io.ts';
import { runJsonLines } from './jsonLines.ts';

const headerValue = z.union([z.string(), z.number(), z.array(z.string())]);

const clientError = z.object({
  name: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  message: z.string().nullish(),
});

const recent = z.object({
  requests: z.number().nonnegative(),
  errors: z.number().nonnegative(),
  rate_limited: z.number().nonnegative(),
  p95_ms: z.number().nonnegative(),
});

const observationLine = z.object({
  id: z.union([z.string(), z.number()]),
  provider: z.string().nullish(),
  http_status: z.int().nullable(),
  headers: z.record(z.string(), headerValue.nullable()).nullish(),
  body: z.unknown().optional(),
  client_error: clientError.nullish(),
  stream_phase: z.enum(['before_headers', 'before_first_token', 'mid_stream', 'after_finish']).nullish(),
  finish_reason: z.string().nullish(),
  operation: z.enum(['model_read', 'tool_read', 'tool_write']),
  elapsed_ms: z.number().nonnegative().nullish(),
  recent: recent.nullish(),
});

type ObservationLine = z.infer<typeof observationLine>;

/**
 * Runs the command over standard input.
 * @param nowMs the time (ms since 1970) against which waits given as dates are measured; absent: such waits are reported
 *   only where the response carries its own `date`
 * @returns 0, or 2 when a line was bad
 */
export async function classifyCommand(io: CommandIo, nowMs?: number): Promise<ExitCode> {
  return runJsonLines(
    io.stdin,
    (line) => io.out(line),
    observationLine,
    (line) => toAnswer(line.id, classify(toObservation(line), nowMs)),
  );
}

function toObservation(line: ObservationLine): Observation {
  return {
    ...(typeof line.provider === 'string' ? { provider: line.provider } : {}),
    httpStatus: line.http_status,
    headers: toHeaders(line.headers ?? {}),
    body: line.body ?? null,
    clientError: toClientError(line.client_error ?? null),
    streamPhase: line.stream_phase ?? null,
    finishReason: line.finish_reason ?? null,
    operation: line.operation,
    ...(typeof line.elapsed_ms === 'number' ? { elapsedMs: line.elapsed_ms } : {}),
    ...(line.recent == null ? {} : { recent: toRecent(line.recent) }),
  };
}

function toHeaders(
  headers: Readonly<Record<string, z.infer<typeof headerValue> | null>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : String(value)]),
  );
}

function toClientError(error: z.infer<typeof clientError> | null): Observation['clientError'] {
  if (error === null) return null;
  return {
    ...(typeof error.name === 'string' ? { name: error.name } : {}),
    ...(error.code == null ? {} : { code: String(error.code) }),
    ...(typeof error.message === 'string' ? { message: error.message } : {}),
  };
}

function toRecent(line: z.infer<typeof recent>): NonNullable<Observation['recent']> {
  return { requests: line.requests, errors: line.errors, rateLimited: line.rate_limited, p95Ms: line.p95_ms };
}

function toAnswer(id: string | number, fault: Fault): object {
  return {
    id,
    class: fault.class,
    confidence: fault.confidence,
    secondary: fault.secondary,
    detail: fault.detail,
    retryable: fault.retryable,
    explicit: fault.explicit,
    action: fault.action,
    retry_after_ms: fault.retryAfterMs,
    evidence: fault.evidence,
  };
}
