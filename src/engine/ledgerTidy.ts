// Keeps the ledger bounded: at most once a day, while nothing is going on, what is old and settled is forgotten, and then the
// before-images that no kept entry names. What may go is core's rule (core/ledger/retention.ts). Unsure means keeping: on
// trouble, after a jump of the clock, or when another window is at it, it is put off.
import * as z from 'zod';
import type { LedgerEntry } from '../core/ledger/entry.ts';
import type { AdvancedSettings } from '../core/settings.ts';
import type { Ports, PruneReport, Result, StoreFault, StorePort } from './ports.ts';

type TidyPorts = Pick<Ports, 'store' | 'files' | 'random'>;
type LedgerSettings = AdvancedSettings['ledger'];

/** What a run removed. */
export interface TidyReport extends Pick<PruneReport, 'entries' | 'events'> {
  readonly imageBytes: number;
}

const DOCUMENT = 'ledger-tidy';
const LEASE_KEY = 'ledger-tidy';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Longer than any run takes; a process that dies in between delays the next one by so much. */
const LEASE_MS = 30 * MINUTE_MS;
/** Nothing was changed for so long: then nobody is kept waiting. */
const IDLE_MS = 5 * MINUTE_MS;
/** A ledger that is never idle is tidied all the same after so long. */
const OVERDUE_MS = 3 * DAY_MS;
const FIRST_CHECK_MS = 2 * MINUTE_MS;
const CHECK_EACH_MS = 60 * MINUTE_MS;
const PAGE_ENTRIES = 500;

const keptSchema = z.object({ keepDays: z.number(), keepEntries: z.number(), keepEvents: z.number() });
/** `kept`: by whose settings it was done, where somebody with settings did it. */
const lastRunSchema = z.object({ version: z.literal(1), atMs: z.number(), kept: keptSchema.optional() });
type LastRun = z.infer<typeof lastRunSchema>;

/** How a caller that lives for one answer tidies up (`belay exec`). */
export interface TidyOptions {
  /** From then on it is done although something was changed just now, ms since the last time. Default: three days. */
  readonly overdueMs?: number;
  /** True: `settings` are only defaults. Those that the ledger was last tidied by go before. Default false. */
  readonly isGuest?: boolean;
}

/** Tidies up where it is due. Null: it is not, or somebody else is at it. */
export async function tidyLedger(
  ports: TidyPorts,
  settings: LedgerSettings,
  nowMs: number,
  { overdueMs = OVERDUE_MS, isGuest = false }: TidyOptions = {},
): Promise<Result<TidyReport | null, StoreFault>> {
  const { store, random } = ports;
  const document = await store.document(DOCUMENT);
  if (!document.ok) return document;
  const last = lastRunOf(document.value);
  const kept = isGuest ? last?.kept : settings;
  const limits = kept ?? settings;
  const due = await isDue(store, { last, kept, limits, nowMs, overdueMs });
  if (!due.ok || !due.value.isDue) return due.ok ? { ok: true, value: null } : due;
  const holder = `tidying ${nowMs}-${random.next()}`;
  const lease = await store.lease({ key: LEASE_KEY, holder, nowMs, ttlMs: LEASE_MS });
  if (!lease.ok || !lease.value.granted) return lease.ok ? { ok: true, value: null } : lease;
  try {
    return await tidyNow(ports, { kept, limits, nowMs }, due.value.mayJudgeAge);
  } finally {
    await store.releaseLease(LEASE_KEY, lease.value.token);
  }
}

interface TidyRun {
  /** Settings of somebody who has them; to be stored with the run. */
  readonly kept: LedgerSettings | undefined;
  readonly limits: LedgerSettings;
  readonly nowMs: number;
}

async function tidyNow(
  { store, files }: TidyPorts,
  { kept, limits, nowMs }: TidyRun,
  mayJudgeAge: boolean,
): Promise<Result<TidyReport, StoreFault>> {
  const { keepDays, keepEntries, keepEvents } = limits;
  const byAge = mayJudgeAge ? { olderThanMs: nowMs - keepDays * DAY_MS } : {};
  const pruned = await store.prune({ ...byAge, keepAtMost: keepEntries, keepEvents });
  if (!pruned.ok) return pruned;
  const saved = await saveRun(store, nowMs, kept);
  if (!saved.ok) return saved;
  const { entries, events } = pruned.value;
  const needed = await neededImages(store);
  if (!needed.ok) return needed;
  const swept = await files.sweepImages(needed.value);
  const imageBytes = swept.ok ? swept.value.freedBytes : 0;
  return { ok: true, value: { entries, events, imageBytes } };
}

interface Due {
  readonly isDue: boolean;
  readonly mayJudgeAge: boolean;
}

interface DueInput extends TidyRun {
  readonly last: LastRun | null;
  readonly overdueMs: number;
}

/** Within a day of the last time this reads nothing. */
async function isDue(
  store: StorePort,
  { last, kept, limits: { keepDays }, nowMs, overdueMs }: DueInput,
): Promise<Result<Due, StoreFault>> {
  const notDue: Result<Due, StoreFault> = { ok: true, value: { isDue: false, mayJudgeAge: false } };
  if (last === null) {
    // From here the days are counted.
    const saved = await saveRun(store, nowMs, kept);
    return saved.ok ? notDue : saved;
  }
  const sinceMs = Math.abs(nowMs - last.atMs);
  if (sinceMs < DAY_MS) return notDue;
  // After a long break the clock may have been set: then nothing is judged by its age this time.
  const mayJudgeAge = sinceMs <= Math.max(7, keepDays / 2) * DAY_MS;
  if (sinceMs >= overdueMs) return { ok: true, value: { isDue: true, mayJudgeAge } };
  const recent = await store.entries({ updatedSinceMs: nowMs - IDLE_MS, limit: 1 });
  return recent.ok ? { ok: true, value: { isDue: recent.value.length === 0, mayJudgeAge } } : recent;
}

function saveRun(store: StorePort, atMs: number, kept: LedgerSettings | undefined): Promise<Result<null, StoreFault>> {
  const run: LastRun = { version: 1, atMs, ...(kept ? { kept } : {}) };
  return store.saveDocument(DOCUMENT, JSON.stringify(run));
}

/** When it was last done, and by which settings; null: never, or it cannot be read. */
function lastRunOf(text: string | null): LastRun | null {
  if (text === null) return null;
  try {
    const parsed = lastRunSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    // Not JSON: as if it were not there.
    return null;
  }
}

const HASH = /[0-9a-f]{64}/g;

/** Every hash that a kept entry names in its evidence or baseline: undo and redo need the bytes behind them. */
async function neededImages(store: StorePort): Promise<Result<ReadonlySet<string>, StoreFault>> {
  const needed = new Set<string>();
  let last: LedgerEntry | undefined;
  do {
    const page = await store.entries({ limit: PAGE_ENTRIES, ...(last ? { beforeKey: last.key } : {}) });
    if (!page.ok) return page;
    for (const { evidence, probe } of page.value) {
      for (const hash of JSON.stringify([evidence, probe]).match(HASH) ?? []) needed.add(hash);
    }
    last = page.value.at(-1);
  } while (last);
  return { ok: true, value: needed };
}

/**
 * The same ports, with a ledger that is tidied from time to time until its store is closed. `tell` gets trouble in words;
 * it is tried again an hour later.
 */
export function withTidyLedger(ports: Ports, settings: () => LedgerSettings, tell: (message: string) => void): Ports {
  const { store, clock } = ports;
  const over = new AbortController();
  const tidyForever = async (): Promise<void> => {
    await clock.sleep(FIRST_CHECK_MS, over.signal);
    for (;;) {
      const done = await tidyLedger(ports, settings(), clock.nowMs());
      if (!done.ok && !over.signal.aborted) tell(`the ledger was not tidied up: ${done.error.message}`);
      await clock.sleep(CHECK_EACH_MS, over.signal);
    }
  };
  void tidyForever().catch((error: unknown) => {
    if (!over.signal.aborted)
      tell(`the ledger is not tidied up any more: ${error instanceof Error ? error.name : 'bug'}`);
  });
  const close = async (): Promise<void> => {
    over.abort();
    await store.close();
  };
  return { ...ports, store: { ...store, close } };
}
