// What the faults of a task say while it lasts: how often each target (a model, a tool) was overloaded or did not fit (T4, T5),
// which is the task-local breaker of preset `plus`, and how often an action has failed in the same way (HFR 4.3, first and
// second stop condition). Kept in memory: a new session looks anew.
import type { FaultClass } from '../core/faults/fault.ts';
import type { BreakerTarget } from '../core/recovery/breakerTargets.ts';

/** Tasks, and actions of one task, that are kept. */
const MAX_NAMES = 1000;

interface Failing {
  readonly class: FaultClass;
  /** What it answered, as a digest: another answer is new evidence. */
  readonly answer: string;
  readonly count: number;
}

interface TaskNotes {
  readonly targets: Map<BreakerTarget, number>;
  readonly failing: Map<string, Failing>;
}

export class TaskFaults {
  private readonly tasks = new Map<string, TaskNotes>();

  /** A target of the task has failed. Only T4 and T5 say something of the target. */
  note(task: string, target: BreakerTarget, faultClass: FaultClass): void {
    if (faultClass !== 'T4' && faultClass !== 'T5') return;
    const { targets } = this.notes(task);
    keepLast(targets, target, (targets.get(target) ?? 0) + 1);
  }

  /** T4 and T5 of a target in the task. */
  count(task: string, target: BreakerTarget): number {
    return this.tasks.get(task)?.targets.get(target) ?? 0;
  }

  /** Of several that may serve: the count of the one that has failed least; 0 for none. */
  least(task: string, targets: readonly BreakerTarget[]): number {
    return targets.length === 0 ? 0 : Math.min(...targets.map((target) => this.count(task, target)));
  }

  /** An action has failed: how often in a row in this way now. */
  failed(task: string, action: string, faultClass: FaultClass, answer: string): number {
    const { failing } = this.notes(task);
    const last = failing.get(action);
    const isSame = last?.class === faultClass && last.answer === answer;
    const count = isSame ? last.count + 1 : 1;
    keepLast(failing, action, { class: faultClass, answer, count });
    return count;
  }

  /** An action was done: what it failed with before is over. */
  succeeded(task: string, action: string): void {
    this.tasks.get(task)?.failing.delete(action);
  }

  private notes(task: string): TaskNotes {
    const notes = this.tasks.get(task) ?? { targets: new Map(), failing: new Map() };
    keepLast(this.tasks, task, notes);
    return notes;
  }
}

function keepLast<V>(map: Map<string, V>, name: string, value: V): void {
  map.delete(name);
  map.set(name, value);
  const oldest = map.keys().next();
  if (map.size > MAX_NAMES && !oldest.done) map.delete(oldest.value);
}
