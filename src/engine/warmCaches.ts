// Who served a task's last call, and how much of it: that provider still has this prefix in its cache, which makes it cheaper than
// the others for a while (issue, Cost-true). Only where a price for cached tokens says that there is such a cache.
import type { Candidate, CandidateId } from '../core/candidate.ts';

interface Served {
  readonly candidate: CandidateId;
  readonly promptTokens: number;
  readonly atMs: number;
}

/** Vendors keep a prefix for five minutes from its last use. */
const KEPT_MS = 300_000;
const MOST_TASKS = 200;

export class WarmCaches {
  private readonly tasks = new Map<string, Served>();

  served(task: string, served: Served): void {
    this.tasks.delete(task);
    this.tasks.set(task, served);
    for (const oldest of this.tasks.keys()) {
      if (this.tasks.size <= MOST_TASKS) return;
      this.tasks.delete(oldest);
    }
  }

  /** Share of a prompt that the candidate has in its cache, 0-1. */
  shareOf(task: string, candidate: Candidate, promptTokens: number, nowMs: number): number {
    const last = this.tasks.get(task);
    const hasCache = candidate.price.cachedInputUsdPerMTok !== undefined;
    if (!hasCache || last?.candidate !== candidate.id || Math.abs(nowMs - last.atMs) > KEPT_MS) return 0;
    return promptTokens > 0 ? Math.min(1, last.promptTokens / promptTokens) : 0;
  }
}
