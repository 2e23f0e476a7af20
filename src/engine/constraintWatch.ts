// Warns a person once for each constraint of HFR 3.4 that the session's figures do not keep. It changes nothing else.
import type { EventIds } from '../core/context.ts';
import type { DecisionEvent } from '../core/events.ts';
import { violatedConstraints, type ConstraintLimits, type ConstraintName } from '../core/recovery/constraints.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { Emit } from './eventLog.ts';

const IDS: EventIds = { tenant: 'local', client: 'belay', task: 'constraints', step: 0 };

const WORDS: Readonly<Record<ConstraintName, readonly [message: string, remedy: string]>> = {
  cost: [
    'Tasks cost more on average than belay.advanced.constraints.costBudgetUsd.',
    'Use cheaper models in your routes, lower the retry budgets, or raise the budget.',
  ],
  tail: [
    'More tasks end after their deadline than belay.advanced.constraints.tailTolerance allows.',
    'Raise belay.callDeadlineSeconds, or add a faster provider.',
  ],
  duplicates: [
    'An effect was committed twice. This must not happen.',
    'Look at it with "belay ledger list", and please report it with the exported run.',
  ],
};

/** Looks at the figures after each call and effect. The result is an event listener. */
export function constraintWatch(
  snapshot: () => Snapshot,
  limits: () => ConstraintLimits,
  emit: Emit,
): (event: DecisionEvent) => void {
  const told = new Set<ConstraintName>();
  return ({ body }) => {
    if (body.type !== 'call-finished' && body.type !== 'effect-changed') return;
    for (const name of violatedConstraints(snapshot().constraints, limits())) {
      if (told.has(name)) continue;
      told.add(name);
      const [message, remedy] = WORDS[name];
      emit(IDS, { type: 'notice', severity: name === 'duplicates' ? 'error' : 'warning', message, remedy });
    }
  };
}
