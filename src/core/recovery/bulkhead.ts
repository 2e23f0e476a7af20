// Bulkheads (HFR 4.7): a number of places per pool (provider, tool, tenant), some kept for what is critical, and one queue in
// front of them. Pure: a message gives the next state, who may go in and who is turned away.
//
// Order of the queue: criticality, raised by one class for every `agingMs` of waiting, then age. So a waiter that is older
// than 2 * agingMs is never passed by a later one with the same pools, and nobody waits longer than its own limit: those are
// the bounds on starvation. Nobody holds a place while waiting for another one, so waits cannot lock each other.
// A `give-up` of somebody who does not wait is ignored. That a place is given back once is the caller's part.
import { adaptPlaces, placesNow, type AdaptedPlaces, type LoadSignal } from './adaptivePlaces.ts';
import type { Criticality } from '../context.ts';
import type { AdvancedSettings } from '../settings.ts';

/** `belay.advanced.bulkhead`. */
export type BulkheadLimits = AdvancedSettings['bulkhead'];

export type PoolScope = 'provider' | 'model' | 'tool' | 'tenant';

/** Name of a pool, `scope:name`. */
export type PoolName = `${PoolScope}:${string}`;

/** Somebody who wants a place in each of `pools`, or has one. */
export interface Visitor {
  readonly id: number;
  readonly pools: readonly PoolName[];
  readonly criticality: Criticality;
  readonly atMs: number;
  /** Waits no longer than this. */
  readonly untilMs: number;
}

interface PoolUse {
  readonly all: number;
  readonly critical: number;
}

export interface BulkheadState {
  /** Places taken, and how many of them by high criticality. Pools without any are absent. */
  readonly used: ReadonlyMap<PoolName, PoolUse>;
  /** In order of arrival. */
  readonly queue: readonly Visitor[];
  /** Pools that have fewer places for now. */
  readonly adapted: ReadonlyMap<PoolName, AdaptedPlaces>;
}

export type BulkheadMessage =
  | { readonly type: 'enter'; readonly visitor: Visitor }
  /** Of one that was admitted, once. */
  | { readonly type: 'leave'; readonly visitor: Visitor }
  /** The caller has gone while waiting. */
  | { readonly type: 'give-up'; readonly id: number }
  /** The timer of one that waits has ended, whatever the time is by then. */
  | { readonly type: 'wait-over'; readonly id: number }
  /** What an attempt said of the load of a pool, before it left. */
  | { readonly type: 'load'; readonly pool: PoolName; readonly signal: LoadSignal; readonly startedAtMs: number }
  | { readonly type: 'time-passed' };

export type BulkheadRefusal = 'queue-full' | 'waited-too-long';

export interface BulkheadStep {
  readonly state: BulkheadState;
  readonly admitted: readonly Visitor[];
  readonly refused: readonly { readonly visitor: Visitor; readonly why: BulkheadRefusal }[];
}

/** Nobody is there. */
export const emptyBulkhead: BulkheadState = { used: new Map(), queue: [], adapted: new Map() };

const NO_USE: PoolUse = { all: 0, critical: 0 };
const CLASS: Readonly<Record<Criticality, number>> = { low: 0, medium: 1, high: 2 };

/** Places of a pool that no overload was seen of. */
function mostPlaces(pool: PoolName, limits: BulkheadLimits): number {
  if (pool.startsWith('tenant:')) return limits.perTenant;
  // A model has as many as its provider, until an overload of its own is seen.
  return pool.startsWith('tool:') ? limits.perTool : limits.perProvider;
}

/** Places of a pool now: all of them, and those of them that only high criticality may take (rounded up, never all). */
export function placesOf(
  pool: PoolName,
  limits: BulkheadLimits,
  adapted: BulkheadState['adapted'],
  nowMs: number,
): { readonly all: number; readonly reserved: number } {
  const all = placesNow(adapted.get(pool), mostPlaces(pool, limits), nowMs, limits);
  return { all, reserved: Math.min(all - 1, Math.ceil(all * limits.reservedShare)) };
}

/** How long somebody of this criticality may wait, in ms: the less it matters, the earlier it goes elsewhere or degrades. */
export function waitLimitMs(criticality: Criticality, limits: BulkheadLimits): number {
  return { low: limits.waitLowMs, medium: limits.waitMediumMs, high: limits.waitHighMs }[criticality];
}

/** The only way a bulkhead changes. */
export function stepBulkhead(
  state: BulkheadState,
  message: BulkheadMessage,
  limits: BulkheadLimits,
  nowMs: number,
): BulkheadStep {
  switch (message.type) {
    case 'enter':
      return enter(state, message.visitor, limits, nowMs);
    case 'leave':
      return drain({ ...state, used: withUse(state.used, message.visitor, -1) }, limits, nowMs);
    case 'give-up':
      return drain({ ...state, queue: state.queue.filter(({ id }) => id !== message.id) }, limits, nowMs);
    case 'wait-over': {
      const queue = state.queue.map((each) => (each.id === message.id ? { ...each, untilMs: nowMs } : each));
      return drain({ ...state, queue }, limits, nowMs);
    }
    case 'load':
      return drain(withLoad(state, message, limits, nowMs), limits, nowMs);
    case 'time-passed':
      return drain(state, limits, nowMs);
  }
}

function withLoad(
  state: BulkheadState,
  { pool, signal, startedAtMs }: Extract<BulkheadMessage, { type: 'load' }>,
  limits: BulkheadLimits,
  nowMs: number,
): BulkheadState {
  const before = state.adapted.get(pool) ?? null;
  if (!limits.isAdaptive || (before === null && signal === 'served')) return state;
  const inUse = state.used.get(pool)?.all ?? 0;
  const after = adaptPlaces(before, signal, { inUse, most: mostPlaces(pool, limits), startedAtMs, nowMs }, limits);
  if (after === before) return state;
  const adapted = new Map(state.adapted);
  if (after) adapted.set(pool, after);
  else adapted.delete(pool);
  return { ...state, adapted };
}

function enter(state: BulkheadState, visitor: Visitor, limits: BulkheadLimits, nowMs: number): BulkheadStep {
  if (state.queue.length === 0 && hasRoom(state, visitor, limits, nowMs))
    return { state: { ...state, used: withUse(state.used, visitor, 1) }, admitted: [visitor], refused: [] };
  const step = drain({ ...state, queue: [...state.queue, visitor] }, limits, nowMs);
  if (step.state.queue.length <= limits.queueLength) return step;
  // The one that matters least goes, the youngest of those; it is told at once.
  const last = inOrder(mostWaiting(step.state.queue), limits, nowMs).at(-1);
  if (!last) return step;
  const queue = step.state.queue.filter((each) => each !== last);
  return {
    state: { ...step.state, queue },
    admitted: step.admitted,
    refused: [...step.refused, { visitor: last, why: 'queue-full' }],
  };
}

/** Turns away who has waited long enough and lets in, in order, everybody whose pools all have room. */
function drain(state: BulkheadState, limits: BulkheadLimits, nowMs: number): BulkheadStep {
  if (state.queue.length === 0) return { state, admitted: [], refused: [] };
  let { used } = state;
  const admitted = new Set<Visitor>();
  for (const visitor of inOrder(state.queue, limits, nowMs)) {
    if (!hasRoom({ used, adapted: state.adapted }, visitor, limits, nowMs)) continue;
    used = withUse(used, visitor, 1);
    admitted.add(visitor);
  }
  const left = state.queue.filter((visitor) => !admitted.has(visitor));
  const late = left.filter(({ untilMs }) => untilMs <= nowMs);
  return {
    state: { ...state, used, queue: left.filter(({ untilMs }) => untilMs > nowMs) },
    admitted: [...admitted],
    refused: late.map((visitor) => ({ visitor, why: 'waited-too-long' })),
  };
}

/** Those of the tenants with most in the queue, so that one that sends too much turns nobody else away. */
function mostWaiting(queue: readonly Visitor[]): readonly Visitor[] {
  const tenantOf = ({ pools }: Visitor): string => pools.find((pool) => pool.startsWith('tenant:')) ?? '';
  const counts = new Map<string, number>();
  for (const each of queue) counts.set(tenantOf(each), (counts.get(tenantOf(each)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return queue.filter((each) => counts.get(tenantOf(each)) === most);
}

function inOrder(queue: readonly Visitor[], limits: BulkheadLimits, nowMs: number): readonly Visitor[] {
  const rank = ({ criticality, atMs }: Visitor): number =>
    Math.min(CLASS.high, CLASS[criticality] + Math.floor(Math.max(0, nowMs - atMs) / limits.agingMs));
  return [...queue].sort((a, b) => rank(b) - rank(a) || a.atMs - b.atMs || a.id - b.id);
}

/** What is critical fills the reserved places first, so that it never starves the others of theirs. */
function hasRoom(
  { used, adapted }: Pick<BulkheadState, 'used' | 'adapted'>,
  visitor: Visitor,
  limits: BulkheadLimits,
  nowMs: number,
): boolean {
  return visitor.pools.every((pool) => {
    const { all, critical } = used.get(pool) ?? NO_USE;
    const places = placesOf(pool, limits, adapted, nowMs);
    const general = all - Math.min(critical, places.reserved);
    if (visitor.criticality === 'high' && critical < places.reserved) return all < places.all;
    return general < places.all - places.reserved;
  });
}

function withUse(used: BulkheadState['used'], { pools, criticality }: Visitor, change: 1 | -1): BulkheadState['used'] {
  const next = new Map(used);
  for (const pool of pools) {
    const before = next.get(pool) ?? NO_USE;
    const all = before.all + change;
    if (all === 0) next.delete(pool);
    else next.set(pool, { all, critical: before.critical + (criticality === 'high' ? change : 0) });
  }
  return next;
}
