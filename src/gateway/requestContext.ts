// Who asks, for what, and how much it matters: from x-belay-* headers, else from the defaults of DESIGN, fixed semantics 2.
// A header that cannot be understood is refused by name; none is dropped.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { foreignStep, foreignTaskText } from '../core/foreignTask.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { RequestContext } from '../core/context.ts';
import type { Settings } from '../core/settings.ts';
import type { CommitPolicy } from '../engine/controller.ts';
import type { Result } from '../engine/ports.ts';
import { badRequest } from './wires/problem.ts';
import type { WireProblem } from './wires/wire.ts';

/** Ids that may stand in a header, a path and a log line without any escaping. */
export const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

const name = z.string().regex(idPattern, 'expected letters, digits, dot, dash, colon and underscore, at most 128');
const number = (from: number, to: number): z.ZodType<number> =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, `expected a number from ${from} to ${to}`)
    .transform(Number)
    .refine((value) => value >= from && value <= to, `expected a number from ${from} to ${to}`);
const whole = (from: number, to: number): z.ZodType<number> =>
  number(from, to).refine((value) => Number.isInteger(value), `expected a whole number from ${from} to ${to}`);
const flags: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

const headerSchema = z.strictObject({
  tenant: name.optional(),
  client: name.optional(),
  task: name.optional(),
  step: whole(1, 1_000_000).optional(),
  role: name.optional(),
  criticality: z.enum(['low', 'medium', 'high'], { error: 'expected low, medium or high' }).optional(),
  'quality-floor': number(0, 1).optional(),
  /** Ms from now; a client does not know our clock. */
  'deadline-ms': whole(1, 3_600_000).optional(),
  hold: z
    .enum(['true', 'false', '1', '0'], { error: 'expected true or false' })
    .transform((value) => flags[value] === true)
    .optional(),
  'request-id': name.optional(),
});

const PREFIX = 'x-belay-';

/** What the headers said, by the part of their name after `x-belay-`. */
export type BelayHeaders = z.infer<typeof headerSchema>;

/** Reads the x-belay-* headers; a problem names the header. */
export function parseBelayHeaders(headers: Readonly<Record<string, string>>): Result<BelayHeaders, WireProblem> {
  const own = Object.entries(headers).filter(([header]) => header.startsWith(PREFIX));
  const parsed = headerSchema.safeParse(
    Object.fromEntries(own.map(([header, value]) => [header.slice(PREFIX.length), value])),
  );
  if (parsed.success) return { ok: true, value: parsed.data };
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const known = Object.keys(headerSchema.shape).map((key) => PREFIX + key);
    const header = PREFIX + (issue.keys[0] ?? '').slice(0, 64);
    return {
      ok: false,
      error: badRequest(header, `${header}: unknown header; known are ${known.join(', ')}.`, 'invalid_header'),
    };
  }
  const header = PREFIX + String(issue?.path[0] ?? '');
  return { ok: false, error: badRequest(header, `${header}: ${issue?.message ?? 'not valid'}.`, 'invalid_header') };
}

/** Names used where a caller says nothing. */
export interface ContextNames {
  readonly tenant: string;
  /** Absent: taken from the User-Agent. */
  readonly client?: string;
}

interface ContextSources {
  readonly belay: BelayHeaders;
  readonly userAgent: string | undefined;
  readonly request: ChatRequest;
  readonly settings: Settings;
  readonly names: ContextNames;
  /** Bounds the different roles that callers may invent: quality is learned and shown for each. */
  readonly roleLabel?: (role: string) => string;
  readonly nowMs: number;
}

/** The context of one call. */
export function requestContext(sources: ContextSources): RequestContext {
  const { belay, request, settings, names, nowMs } = sources;
  const client = belay.client ?? names.client ?? clientOf(sources.userAgent);
  const criticality = belay.criticality ?? settings.criticality;
  return {
    tenant: belay.tenant ?? names.tenant,
    client,
    task: belay.task ?? taskOf(client, request),
    step: belay.step ?? foreignStep(request),
    role: sources.roleLabel?.(belay.role ?? 'chat') ?? belay.role ?? 'chat',
    criticality,
    qualityFloor: belay['quality-floor'] ?? settings.advanced.qualityFloor[criticality],
    deadlineMs: nowMs + (belay['deadline-ms'] ?? settings.callDeadlineSeconds * 1000),
  };
}

/** The commit policy the headers ask for. */
export function policyOf(belay: BelayHeaders): CommitPolicy {
  return belay.hold === true ? 'hold' : 'stream';
}

/** `claude-cli/2.1 (external)` -> `claude-cli`: enough to tell agents apart, never trusted for more. */
function clientOf(userAgent: string | undefined): string {
  return /^[A-Za-z][A-Za-z0-9._-]{0,63}/.exec(userAgent ?? '')?.[0].toLowerCase() ?? 'unknown';
}

function taskOf(client: string, request: ChatRequest): string {
  const digest = createHash('sha256').update(foreignTaskText(client, request), 'utf8').digest('hex');
  return `auto-${digest.slice(0, 32)}`;
}
