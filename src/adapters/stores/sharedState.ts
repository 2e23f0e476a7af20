// What windows share through the store beside the ledger: budgets and breakers. The decisions are core's; each store only
// makes them atomic.
import { mergeBreakerTexts } from '../../core/recovery/breaker.ts';
import { forgettableBreakers } from '../../core/recovery/breakerAge.ts';
import {
  addTaskBudget,
  emptyTaskBudget,
  fullTenantBudget,
  mergeTaskBudgets,
  takeRetry,
  type BudgetAnswer,
  type TaskBudget,
  type TenantBudget,
} from '../../core/recovery/budget.ts';
import type { BudgetTake, SharedBreaker } from '../../engine/ports.ts';

/** Decides a take from what is saved (null: nothing is). What a window counted and could not save counts on top. */
export function planTake(take: BudgetTake, saved: TaskBudget | null, bucket: TenantBudget | null): BudgetAnswer {
  const { step, limits, nowMs, share, known, unsaved = emptyTaskBudget } = take;
  const task = addTaskBudget(mergeTaskBudgets(saved ?? emptyTaskBudget, known), unsaved);
  return takeRetry(task, bucket ?? fullTenantBudget(limits, nowMs), step, limits, nowMs, share);
}

/** What comes of a merge: the breakers that have to be saved, those that are to be forgotten, and all that are left. */
interface MergedBreakers {
  readonly changed: readonly SharedBreaker[];
  readonly forgotten: readonly string[];
  readonly result: readonly SharedBreaker[];
}

/** All breakers after `own` were merged into `saved`. Closed ones that were silent for two hours are forgotten on the way. */
export function mergedBreakers(saved: readonly SharedBreaker[], own: readonly SharedBreaker[]): MergedBreakers {
  const states = new Map(saved.map(({ target, state }) => [target, state]));
  const changed = own.flatMap(({ target, state }): readonly SharedBreaker[] => {
    const before = states.get(target) ?? null;
    const merged = mergeBreakerTexts(before, state);
    states.set(target, merged);
    return merged === before ? [] : [{ target, state: merged }];
  });
  const all = [...states].map(([target, state]) => ({ target, state }));
  // Whoever only reads changes nothing.
  const old = changed.length === 0 ? new Set<string>() : forgettableBreakers(all);
  const isKept = ({ target }: SharedBreaker): boolean => !old.has(target);
  return { changed: changed.filter(isKept), forgotten: [...old], result: all.filter(isKept) };
}
