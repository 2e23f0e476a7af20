// What calls, tasks and the day have cost, from the events that tell it, so that nothing is counted that nobody is told; and what
// running attempts may still cost, pledged from the moment they are decided on. The day's sum is shared by all windows: each keeps
// its own figure in one document and adds up what the others wrote there. It decides nothing: core/scheduler/spending does.
import type { EventIds } from '../core/context.ts';
import type { DecisionEvent } from '../core/events.ts';
import {
  dayOf,
  spendingRefusal,
  type AskedAttempt,
  type SpendingLimits,
  type SpendingRefusal,
  type Spent,
} from '../core/scheduler/spending.ts';
import {
  readSpendingDocument,
  SPENDING_DOCUMENT,
  spendingDocument,
  type DayFigure,
  type SpendingDocument,
} from '../core/scheduler/spendingDocument.ts';
import type { ClockPort, StorePort } from './ports.ts';

/** At most one save in so many ms, and one at the end; what others wrote is at most so old when a call asks. */
const SHARE_EVERY_MS = 2000;
/** Calls, tasks and ended attempts that are kept; whoever is forgotten begins anew. */
const MOST_NAMES = 1000;

interface Account {
  usd: number;
  /** Worst case of attempts that run, by attempt. */
  readonly pledged: Map<string, number>;
}

const nothing: DayFigure = { usd: 0, extraUsd: 0 };
const nothingSpent: Spent = { usd: 0, pledgedUsd: 0 };

export class SpendingBook {
  private readonly clock: ClockPort;
  /** This window's name in the document. */
  private readonly window: string;
  private readonly calls = new Map<string, Account>();
  private readonly tasks = new Map<string, Account>();
  private readonly running = new Map<string, number>();
  /** Dollars of attempts that have ended today, and attempts whose answer went out. */
  private readonly ended = new Map<string, number>();
  private readonly served = new Map<string, true>();
  private day = -Infinity;
  private own: DayFigure = nothing;
  private elsewhere: DayFigure = nothing;
  /** The document does not say what this window knows. */
  private isChanged = false;
  /** It was written, and not read since: another window may have written over it. */
  private isUnconfirmed = false;
  private isSaving = false;
  private readAtMs = -Infinity;

  /** `window`: a name that no other window has. */
  constructor(clock: ClockPort, window: string) {
    this.clock = clock;
    this.window = window;
  }

  /** Today's spending over all windows. */
  get today(): DayFigure {
    this.turnDay();
    return { usd: this.own.usd + this.elsewhere.usd, extraUsd: this.own.extraUsd + this.elsewhere.extraUsd };
  }

  /** Counts what an event says of money. */
  readonly hear = ({ body, ids }: DecisionEvent): void => {
    switch (body.type) {
      case 'attempt-succeeded':
      case 'attempt-failed':
      case 'attempt-cancelled':
        this.release(ids);
        this.bookEnded(ids, body.costUsd);
        return;
      case 'call-committed':
        this.noteServed(ids.attempt ?? '');
        return;
      case 'cost-corrected':
        this.correct(ids, body.changeUsd);
        return;
      case 'breaker-probed':
        this.bookDay(body.costUsd, true);
        return;
      default:
    }
  };

  /** An attempt may cost so much until it has ended. Gives what takes that back where it never began. */
  pledge(ids: EventIds, worstUsd: number): () => void {
    const attempt = ids.attempt ?? '';
    for (const account of this.accountsOf(ids)) account.pledged.set(attempt, worstUsd);
    this.running.set(attempt, worstUsd);
    return () => this.release(ids);
  }

  /** A task goes on that has cost so much before, in this window or another. */
  resume(task: string, usd: number): void {
    const account = accountIn(this.tasks, task);
    account.usd = Math.max(account.usd, usd);
  }

  /** Why an attempt of this call may not start; null: it may. */
  refusal(ids: EventIds, limits: SpendingLimits, asked: AskedAttempt): SpendingRefusal | null {
    const day = { usd: this.today.usd, pledgedUsd: sum(this.running) };
    const call = spentOf(this.calls.get(ids.call ?? ''));
    return spendingRefusal({ call, task: spentOf(this.tasks.get(ids.task)), day }, limits, asked);
  }

  /** Whether so many dollars were spent today; a limit of 0 is none. */
  isDaySpent(perDayUsd: number): boolean {
    const asked = { isExtra: false, worstUsd: null };
    const day = { usd: this.today.usd, pledgedUsd: 0 };
    const limits = { perCallUsd: 0, perTaskUsd: 0, perDayUsd };
    return spendingRefusal({ call: nothingSpent, task: nothingSpent, day }, limits, asked) !== null;
  }

  /** Reads what was spent today before and elsewhere. An unreadable document counts nothing and is written anew. */
  async load(store: StorePort): Promise<void> {
    await this.read(store);
  }

  /** The same where the last look was some seconds ago. */
  async refresh(store: StorePort): Promise<void> {
    if (Math.abs(this.clock.nowMs() - this.readAtMs) >= SHARE_EVERY_MS) await this.read(store);
  }

  /** Saves within a few seconds, and looks some seconds later whether that has stood. */
  saveSoon(store: StorePort, shutdown: AbortSignal): void {
    if (this.isSaving || shutdown.aborted || !(this.isChanged || this.isUnconfirmed)) return;
    this.isSaving = true;
    this.shareUntilSaved(store, shutdown)
      // Aborted by the shutdown, which saves itself.
      .catch(() => undefined)
      .finally(() => {
        this.isSaving = false;
      });
  }

  private async shareUntilSaved(store: StorePort, shutdown: AbortSignal): Promise<void> {
    while (this.isChanged || this.isUnconfirmed) {
      await this.clock.sleep(SHARE_EVERY_MS, shutdown);
      // A store that fails leaves the figure in memory: the next event tries again.
      if (!(await this.save(store))) return;
    }
  }

  /** Adds this window's figure to the document unless that says it already; false: the store failed. */
  async save(store: StorePort): Promise<boolean> {
    if (!this.isChanged && !this.isUnconfirmed) return true;
    const before = await this.read(store);
    if (!before) return false;
    if (!this.isChanged) return true;
    this.isChanged = false;
    const windows = { ...before.windows, [this.window]: this.own };
    const saved = await store.saveDocument(SPENDING_DOCUMENT, spendingDocument({ day: this.day, windows }));
    if (saved.ok) this.isUnconfirmed = true;
    else this.isChanged = true;
    return saved.ok;
  }

  /** The last save: looked at once, and done again where another window wrote over it. */
  async saveLast(store: StorePort): Promise<void> {
    await this.save(store);
    await this.save(store);
  }

  /** What the document says of today; null: the store failed, and nothing may be written over what it holds. */
  private async read(store: StorePort): Promise<SpendingDocument | null> {
    const answer = await store.document(SPENDING_DOCUMENT);
    if (!answer.ok) return null;
    this.readAtMs = this.clock.nowMs();
    const saved = answer.value === null ? null : readSpendingDocument(answer.value);
    this.turnDay(saved?.day);
    // A day that lies further ahead than clocks differ is a mistake: what it says counts today.
    const isToday = saved !== null && (saved.day === this.day || saved.day > dayOf(this.clock.nowMs()) + 1);
    const { [this.window]: own = nothing, ...others } = isToday ? saved.windows : {};
    if (isToday) this.elsewhere = total(Object.values(others));
    this.isUnconfirmed = false;
    this.isChanged = own.usd !== this.own.usd || own.extraUsd !== this.own.extraUsd;
    return { day: this.day, windows: others };
  }

  private bookEnded(ids: EventIds, usd: number): void {
    const attempt = ids.attempt ?? '';
    this.turnDay();
    for (const account of this.accountsOf(ids)) account.usd += usd;
    keepLast(this.ended, attempt, usd);
    this.bookDay(usd, !this.served.has(attempt));
  }

  /** What went out when it was whole had ended before. */
  private noteServed(attempt: string): void {
    keepLast(this.served, attempt, true);
    const usd = this.ended.get(attempt) ?? 0;
    this.own = { ...this.own, extraUsd: Math.max(0, this.own.extraUsd - usd) };
    this.isChanged ||= usd !== 0;
  }

  /** Only of what is still known: a correction frees no money that was not counted here, or not today. */
  private correct({ call, task, attempt = '' }: EventIds, changeUsd: number): void {
    this.turnDay();
    for (const account of [this.calls.get(call ?? ''), this.tasks.get(task)])
      if (account) account.usd = Math.max(0, account.usd + changeUsd);
    const before = this.ended.get(attempt);
    if (before === undefined) return;
    keepLast(this.ended, attempt, before + changeUsd);
    this.bookDay(changeUsd, !this.served.has(attempt));
  }

  private bookDay(usd: number, isExtra: boolean): void {
    this.turnDay();
    const extraUsd = Math.max(0, this.own.extraUsd + (isExtra ? usd : 0));
    this.own = { usd: Math.max(0, this.own.usd + usd), extraUsd };
    this.isChanged ||= usd !== 0;
  }

  /**
   * A new day begins with nothing; `seen`: a day that another window has reached. A clock that was set back stays on the day that
   * was reached, so that nothing is spent twice; more than a day back, the day itself was the mistake, and the sum stays.
   */
  private turnDay(seen = -Infinity): void {
    const today = dayOf(this.clock.nowMs());
    if (this.day > today + 1) this.day = today;
    const reached = seen === today + 1 ? seen : today;
    if (reached <= this.day) return;
    this.day = reached;
    this.own = nothing;
    this.elsewhere = nothing;
    this.ended.clear();
  }

  private release({ call, task, attempt = '' }: EventIds): void {
    this.calls.get(call ?? '')?.pledged.delete(attempt);
    this.tasks.get(task)?.pledged.delete(attempt);
    this.running.delete(attempt);
  }

  private accountsOf({ call, task }: EventIds): readonly Account[] {
    const own = accountIn(this.tasks, task);
    return call === undefined ? [own] : [accountIn(this.calls, call), own];
  }
}

function accountIn(accounts: Map<string, Account>, name: string): Account {
  const account = accounts.get(name) ?? { usd: 0, pledged: new Map<string, number>() };
  keepLast(accounts, name, account);
  return account;
}

/** Sets an entry as the newest; the oldest is forgotten beyond the limit. */
function keepLast<V>(map: Map<string, V>, name: string, value: V): void {
  map.delete(name);
  map.set(name, value);
  const oldest = map.keys().next();
  if (map.size > MOST_NAMES && !oldest.done) map.delete(oldest.value);
}

const sum = (amounts: ReadonlyMap<string, number>): number => [...amounts.values()].reduce((a, b) => a + b, 0);

function spentOf(account: Account | undefined): Spent {
  return account ? { usd: account.usd, pledgedUsd: sum(account.pledged) } : nothingSpent;
}

function total(figures: readonly DayFigure[]): DayFigure {
  return figures.reduce(
    (all, { usd, extraUsd }) => ({ usd: all.usd + usd, extraUsd: all.extraUsd + extraUsd }),
    nothing,
  );
}
