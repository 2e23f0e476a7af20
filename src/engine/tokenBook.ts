// How each model counts tokens, learned from every count a provider tells, and the attempts whose cost stands on an estimate:
// those are booked careful first and put right once their model has counted something. Estimators are shared by all
// candidates of one model; callers may name models, so only the latest ones are kept.
import type { Candidate } from '../core/candidate.ts';
import type { EventIds } from '../core/context.ts';
import { billedUsage, costUsd, type BillBasis } from '../core/cost.ts';
import type { EventBody } from '../core/events.ts';
import { plainName } from '../core/modelNames.ts';
import type { TextSize } from '../core/textSize.ts';
import {
  borrowed,
  carefulEstimator,
  estimateTokens,
  isSettled,
  learnTokens,
  type TokenEstimator,
} from '../core/tokens.ts';
import type { AttemptFigures, TokenEstimates } from './attemptTally.ts';

/** An attempt that has ended, whichever way. */
export interface EndedAttempt {
  readonly ids: EventIds;
  readonly candidate: Candidate;
  readonly ending: 'succeeded' | 'failed' | 'cancelled';
  readonly figures: AttemptFigures;
}

/** An event about an earlier attempt, under its ids. */
export interface Correction {
  readonly ids: EventIds;
  readonly body: EventBody;
}

/** An estimate that may still be put right. */
interface OpenEstimate {
  readonly attempt: EndedAttempt;
  readonly model: string;
  basis: BillBasis;
  costUsd: number;
  billedTokens: number;
  /** Counts of its own model since. */
  looks: number;
}

const MOST_MODELS = 200;
const MOST_OPEN = 64;
/** Smaller corrections (share of the tokens) are not worth an event. */
const WORTH_TELLING = 0.0002;
/** After so many counts of its model an estimate is as good as it gets. */
const MOST_LOOKS = 24;

export class TokenBook implements TokenEstimates {
  /** By plain model name, least recently learned first. */
  private readonly estimators = new Map<string, TokenEstimator>();
  private open: readonly OpenEstimate[] = [];

  get all(): Readonly<Record<string, TokenEstimator>> {
    return Object.fromEntries(this.estimators);
  }

  /** What an earlier session learned; what is known already stays. */
  restore(saved: Readonly<Record<string, TokenEstimator>>): void {
    for (const [model, estimator] of Object.entries(saved))
      if (!this.estimators.has(model)) this.estimators.set(model, estimator);
    this.trim();
  }

  /** Careful for a model that has never counted, whatever others do. */
  estimate(model: string, size: TextSize): number {
    const hasCounted = this.of(model).samples.length > 0;
    return hasCounted ? this.bestGuess(model, size) : estimateTokens(carefulEstimator, size);
  }

  /** Another model answers to this name: its tokenizer may be another, too. */
  forget(model: string): void {
    this.estimators.delete(plainName(model));
  }

  /** Learns from an ended attempt. Returns what has become of the costs of earlier ones. */
  ended(attempt: EndedAttempt): readonly Correction[] {
    const { basis, askedModel, costUsd, billedTokens } = attempt.figures;
    if (!basis) return [];
    const model = plainName(askedModel);
    const corrections = basis.usage ? this.learn(model, basis.sent, basis.usage.inputTokens) : [];
    if (basis.kind === 'estimated')
      this.open = [...this.open, { attempt, model, basis, costUsd, billedTokens, looks: 0 }].slice(-MOST_OPEN);
    return corrections;
  }

  private learn(model: string, sent: TextSize, inputTokens: number): readonly Correction[] {
    const before = this.of(model);
    const estimator = learnTokens(before, sent, inputTokens);
    if (estimator !== before) {
      // Deleted and set again: the map's order is the order of last use.
      this.estimators.delete(model);
      this.estimators.set(model, estimator);
      this.trim();
    }
    const corrections = this.open.flatMap((entry) => {
      const isOwn = entry.model === model;
      // The very same prompt: no estimate is needed any more.
      if (isOwn) entry.looks++;
      if (isOwn && entry.basis.sent === sent && !entry.basis.usage)
        entry.basis = { ...entry.basis, usage: { inputTokens, outputTokens: 0 } };
      return corrected(entry, (size) => this.bestGuess(entry.model, size)) ?? [];
    });
    this.open = this.open.filter(({ looks }) => looks < MOST_LOOKS);
    return corrections;
  }

  /** How the model counts: by itself, or while it has counted little by the settled one that counts most. */
  private bestGuess(model: string, size: TextSize): number {
    const own = this.of(model);
    const others = isSettled(own) ? [] : [...this.estimators.values()].filter(isSettled);
    const known = others.length > 0 ? others.map((other) => borrowed(own, other)) : [own];
    return Math.max(...known.map((estimator) => estimateTokens(estimator, size)));
  }

  private of(model: string): TokenEstimator {
    return this.estimators.get(model) ?? carefulEstimator;
  }

  private trim(): void {
    for (const model of this.estimators.keys()) {
      if (this.estimators.size <= MOST_MODELS) return;
      this.estimators.delete(model);
    }
  }
}

/** Values an estimate anew; null where that makes no difference worth telling. */
function corrected(entry: OpenEstimate, estimate: (size: TextSize) => number): Correction | null {
  const { ids, candidate, ending } = entry.attempt;
  const billed = billedUsage(entry.basis, estimate);
  const newUsd = costUsd(billed, candidate.price);
  const newTokens = billed.inputTokens + billed.outputTokens;
  const changeTokens = newTokens - entry.billedTokens;
  if (Math.abs(changeTokens) <= entry.billedTokens * WORTH_TELLING) return null;
  const changeUsd = newUsd - entry.costUsd;
  entry.costUsd = newUsd;
  entry.billedTokens = newTokens;
  const body = { costUsd: newUsd, billedTokens: newTokens, changeUsd, changeTokens };
  return { ids, body: { type: 'cost-corrected', candidate: candidate.id, ending, ...body } };
}
