// Decides which fault, if any, meets a model request: the schedule's for its place in its step, a loss of its region, an overflow.
// It counts the requests of each step over all servers, and remembers the first size of a step; nothing else has a memory here.
import { draw } from './draw.ts';
import type { FaultKind } from './faults.ts';
import { PACES, type WallVendor } from './places.ts';
import type { Environment } from '../../core/candidate.ts';
import type { WallSchedule } from './schedule.ts';
import { OTHER_STEP } from './script/steps.ts';

/** What the desk says to one request. */
export interface Verdict {
  /** From 1, within the step. */
  readonly requestNumber: number;
  readonly fault: FaultKind | null;
  /** Why, where the kind alone does not say it. */
  readonly detail: string | null;
  /** Tokens that are let through, for an overflow. */
  readonly windowTokens: number;
}

export interface FaultDesk {
  /** Called once for each accepted request, in order of arrival. */
  judge(request: {
    readonly step: string;
    readonly vendor: WallVendor;
    readonly region: Environment;
    readonly promptTokens: number;
    /** The model's own window minus the answer that was asked for. */
    readonly roomTokens: number;
    readonly isRefusal: boolean;
  }): Verdict;
}

/** A desk that follows `schedule`. */
export function faultDesk(schedule: WallSchedule): FaultDesk {
  const counts = new Map<string, number>();
  const firstSizes = new Map<string, number>();

  return {
    judge: ({ step, vendor, region, promptTokens, roomTokens, isRefusal }) => {
      const requestNumber = (counts.get(step) ?? 0) + 1;
      counts.set(step, requestNumber);
      const firstSize = firstSizes.get(step) ?? promptTokens;
      firstSizes.set(step, firstSize);
      const verdict = (fault: FaultKind | null, detail: string | null = null, windowTokens = roomTokens): Verdict => ({
        requestNumber,
        fault,
        detail,
        windowTokens,
      });

      const list = schedule.steps[step] ?? [];
      const scheduled = list[requestNumber - 1] ?? null;
      const chance = PACES[vendor][region].lossProbability * schedule.lossScale;
      if (
        scheduled === null &&
        step !== OTHER_STEP &&
        draw(schedule.seed, vendor, region, step, requestNumber, 'loss') < chance
      ) {
        return verdict('reset-before-headers', 'loss');
      }
      if (scheduled !== null && scheduled !== 'context-overflow' && scheduled !== 'refusal') return verdict(scheduled);
      if (promptTokens > roomTokens) return verdict('context-overflow', 'window');
      const isOverflowing = list.slice(0, requestNumber).includes('context-overflow');
      const admitted = Math.floor(firstSize * schedule.overflowShare);
      if (isOverflowing && promptTokens > admitted) return verdict('context-overflow', null, admitted);
      return verdict(isRefusal ? 'refusal' : null);
    },
  };
}
