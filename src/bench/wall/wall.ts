// The wall: local fault providers for the drill. Two vendors in three regions, each a real HTTP server on loopback with its own
// latency, loss and bill, speaking its vendor's wire strictly, and failing by a seeded schedule that can be exported and replayed.
import type { Environment } from '../../core/candidate.ts';
import type { ClockPort } from '../../engine/ports.ts';
import { realClock } from '../../adapters/time/realClock.ts';
import { anthropicVendor } from './anthropic/vendor.ts';
import { billOf, faultsOf, type OpenLine, type ServedFault, type WallBill, type WallLine } from './books.ts';
import { drawId } from './draw.ts';
import { faultDesk } from './faultDesk.ts';
import { openaiVendor } from './openai/vendor.ts';
import { modelsAt, WALL_REGIONS, type WallModel, type WallVendor } from './places.ts';
import type { WallSchedule } from './schedule.ts';
import { startWallServer, type WallServer } from './wallServer.ts';
import type { WallVendorRules } from './wire.ts';

export interface WallOptions {
  /** Fixes keys, ids, latencies and which answers are right. */
  readonly seed: number;
  readonly schedule: WallSchedule;
  /** The machine's clock if absent. */
  readonly clock?: ClockPort;
}

/** One server. */
export interface WallEndpoint {
  readonly vendor: WallVendor;
  readonly region: Environment;
  readonly environment: Environment;
  /** What the vendor's official client takes as its base URL. */
  readonly baseUrl: string;
  /** The one key this server accepts. */
  readonly apiKey: string;
  readonly models: readonly WallModel[];
}

export interface Wall {
  readonly endpoints: readonly WallEndpoint[];
  /** The bill so far; an answer that is still leaving counts with what has left. */
  bill(): WallBill;
  /** Faults that a client could see, in order of arrival of their requests. */
  faultsServed(): readonly ServedFault[];
  /** Model requests so far. */
  requests(): number;
  /** One line for each model request, in order of arrival. */
  log(): readonly WallLine[];
  /** Ends all servers and every open answer. */
  close(): Promise<void>;
}

const VENDORS: readonly WallVendorRules[] = [openaiVendor, anthropicVendor];

/** Starts all servers. Rejects, with none left running, when one cannot start. */
export async function startWall({ seed, schedule, clock = realClock() }: WallOptions): Promise<Wall> {
  const lines: OpenLine[] = [];
  const desk = faultDesk(schedule);
  const places = VENDORS.flatMap((rules) => WALL_REGIONS.map((region) => ({ rules, region })));
  const started = await Promise.allSettled(
    places.map(async ({ rules, region }) => {
      const apiKey = `wall-${rules.vendor}-${region}-${drawId(12, seed, rules.vendor, region, 'key')}`;
      const models = modelsAt(rules.vendor, region);
      const openLine = (attempt: string | null): OpenLine => {
        const line = blankLine(lines.length + 1, rules.vendor, region, attempt, clock.nowMs());
        lines.push(line);
        return line;
      };
      const server = await startWallServer({ rules, region, models, apiKey, seed, clock, desk, openLine });
      const endpoint: WallEndpoint = {
        vendor: rules.vendor,
        region,
        environment: region,
        baseUrl: server.baseUrl,
        apiKey,
        models,
      };
      return { server, endpoint };
    }),
  );
  const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = started.find((each) => each.status === 'rejected');
  if (failed) {
    await closeAll(running);
    throw new Error(`the wall could not start a server on 127.0.0.1: ${String(failed.reason)}`);
  }
  const log = (): readonly WallLine[] => lines.map((line) => ({ ...line }));
  return {
    endpoints: running.map(({ endpoint }) => endpoint),
    bill: () => billOf(lines),
    faultsServed: () => faultsOf(lines),
    requests: () => lines.length,
    log,
    close: () => closeAll(running),
  };
}

async function closeAll(running: readonly { readonly server: WallServer }[]): Promise<void> {
  await Promise.all(running.map(({ server }) => server.close()));
}

function blankLine(
  number: number,
  vendor: WallVendor,
  region: Environment,
  attempt: string | null,
  startedAtMs: number,
): OpenLine {
  return {
    number,
    vendor,
    region,
    model: null,
    step: null,
    requestNumber: 0,
    attempt,
    isStreaming: false,
    startedAtMs,
    endedAtMs: null,
    status: null,
    fault: null,
    faultDetail: null,
    isFaultShown: false,
    outcome: 'open',
    promptTokens: 0,
    billedInputTokens: 0,
    billedOutputTokens: 0,
    costUsd: 0,
  };
}
