// The control state of a running task: it moves only as table 9 of HFR 4.9 lets it (core/recovery/taskStates). A way that is
// not there is a bug: it is handed to whoever watches for it and not taken. It decides nothing.
import { isLegalMove, type TaskStateName } from '../core/recovery/taskStates.ts';

export class TaskWalk {
  private current: TaskStateName = 'INIT';
  private readonly onIllegalMove: (from: TaskStateName, to: TaskStateName) => void;

  constructor(onIllegalMove: (from: TaskStateName, to: TaskStateName) => void) {
    this.onIllegalMove = onIllegalMove;
  }

  get state(): TaskStateName {
    return this.current;
  }

  /** Moves through these states, one after the other; stops before the first that may not follow. */
  to(...states: readonly TaskStateName[]): void {
    for (const next of states) {
      if (!isLegalMove(this.current, next)) {
        this.onIllegalMove(this.current, next);
        return;
      }
      this.current = next;
    }
  }
}
