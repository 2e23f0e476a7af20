// Small parts of the agent loop for its tests: a route that nobody is in, and the watch over its states.
import type { ResolvedRoute } from '../../src/core/routes.ts';
import type { TaskStateName } from '../../src/core/recovery/taskStates.ts';

/** Nobody else may serve. */
export const noRoute: ResolvedRoute = { candidates: [], tier: 'large', pinned: false, order: 'ranked', name: 'any' };

/** In tests a way that table 9 does not have is an error. */
export function illegalMove(from: TaskStateName, to: TaskStateName): void {
  throw new Error(`no way from ${from} to ${to}`);
}
