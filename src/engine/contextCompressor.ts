// L1 for one call: before it is sent when it is near the limit, and after it was refused as too large. First long results are
// shortened, then a cheap model writes a rolling summary of the oldest turns (a helper's call: hedged, within the task's budget
// and the call's time), and where even that does not fit turns are left out. Whatever fails falls back to the next; what is
// decided is core's.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { RequestContext } from '../core/context.ts';
import {
  compressRequest,
  smaller,
  trimRequest,
  withEffectsNamed,
  type CountTokens,
} from '../core/recovery/compress.ts';
import { helperLimitMs } from '../core/recovery/helperTime.ts';
import { isNearLimit, isTooLarge, targetTokens, type WindowUse } from '../core/recovery/nearLimit.ts';
import type { OpenEffect } from '../core/recovery/openEffects.ts';
import { turnsBefore } from '../core/recovery/turns.ts';
import {
  planSummary,
  summaryRequest,
  summaryVersion,
  withSummary,
  type SummaryPlan,
} from '../core/recovery/summary.ts';
import type { CompressionSettings } from '../core/settingsContext.ts';
import { sizeOfRequest, type TextSize } from '../core/textSize.ts';
import type { BudgetBook } from './budgetBook.ts';
import { askHelper, type Complete } from './helperCall.ts';
import type { Ports } from './ports.ts';
import type { SummaryBook } from './summaryBook.ts';

/** The role under which summaries are written; calls of this role are never compressed themselves. */
export const SUMMARY_ROLE = 'summary';

/** Of a summary's window so much is the record; the rest is for its answer and for wrong estimates. */
const RECORD_SHARE = 0.5;
/** Least characters to a token: a record of so many fits wherever as many tokens do. */
const CHARS_PER_TOKEN = 2;
/** Compressions of one call after it was refused: each aims at half of what was refused. */
const MAX_COMPRESSIONS = 3;

/** Stands for the keys of a ledger that cannot be read. */
const UNREAD_LEDGER = 'not-readable';

const SHORTENED = 'long results were shortened';
const SUMMED = `earlier turns were replaced by a summary (form ${summaryVersion})`;
const TRIMMED = 'earlier turns were left out';

/** What compression needs of a call. */
export interface CompressorParts {
  readonly ports: Pick<Ports, 'clock' | 'store'>;
  /** Absent: no summary is ever written. */
  readonly complete?: Complete | undefined;
  readonly summaries: SummaryBook;
  readonly budgets: BudgetBook;
  readonly settings: CompressionSettings;
  /** Its deadline is the call's. */
  readonly context: RequestContext;
  /** Expected duration of the answer that the request is for, ms. */
  readonly stepMs: () => number;
  readonly signal: AbortSignal;
  readonly pool: {
    /** Those that may serve the call now. */
    candidates(): readonly Candidate[];
    /** Tokens as the one of them counts that counts most. */
    tokensOf(size: TextSize): number;
  };
}

/** How a request was made smaller; for the record. */
export interface Compressed {
  readonly request: ChatRequest;
  readonly how: string;
}

/** `mustFit`: turns are left out where nothing else is enough. `isPaid`: a token was taken for it. */
interface Goal {
  readonly target: number;
  readonly mustFit: boolean;
  readonly isPaid?: boolean;
}

interface SummaryGoal {
  readonly target: number;
  readonly isPaid: boolean;
  readonly effects: readonly OpenEffect[];
}

export class ContextCompressor {
  private readonly parts: CompressorParts;
  private readonly tokensOf: CountTokens;
  private compressions = 0;
  /** Of the whole call; one summary is enough. */
  private hasAsked = false;
  private spent = 0;

  constructor(parts: CompressorParts) {
    this.parts = parts;
    this.tokensOf = (size) => parts.pool.tokensOf(size);
  }

  /** What the summaries have cost that were written for this call, used or not. */
  get spentUsd(): number {
    return this.spent;
  }

  /** The request made smaller where it is near the limit of every window; null where nothing is done. */
  async beforeCall(request: ChatRequest): Promise<Compressed | null> {
    const { settings, context } = this.parts;
    if (context.role === SUMMARY_ROLE || settings.nearLimitShare >= 1) return null;
    const use = this.use(request);
    if (!isNearLimit(use, settings.nearLimitShare)) return null;
    return this.compress(request, { target: targetTokens(use, settings.targetShare), mustFit: isTooLarge(use) });
  }

  /**
   * True when a request that was refused as too large could be made smaller once more, by other means than a model and with
   * all that is not settled named: `afterRefusal` then gives something, unless more was left open meanwhile.
   */
  async canCompress(request: ChatRequest): Promise<boolean> {
    if (this.compressions >= MAX_COMPRESSIONS || this.parts.context.role === SUMMARY_ROLE) return false;
    const target = this.half(request);
    const effects = await this.openEffects();
    const { shortened, named } = this.shortened(request, target, effects);
    return named !== null || this.trimmed(shortened ?? request, request, target, effects) !== null;
  }

  /**
   * After a refusal: at most half of it, since providers do not say by how much it was too large. The call has paid for it,
   * summary included. Null: it cannot be made smaller.
   */
  async afterRefusal(request: ChatRequest): Promise<Compressed | null> {
    this.compressions++;
    return this.compress(request, { target: this.half(request), mustFit: true, isPaid: true });
  }

  private async compress(request: ChatRequest, { target, mustFit, isPaid }: Goal): Promise<Compressed | null> {
    const effects = await this.openEffects();
    const { shortened, named } = this.shortened(request, target, effects);
    if (named && this.tokens(named) <= target) return { request: named, how: SHORTENED };
    const base = shortened ?? request;
    const summed = await this.summarised(request, base, { target, isPaid: isPaid === true, effects });
    if (summed && this.tokens(summed) <= target) return { request: summed, how: SUMMED };
    const trimmed = mustFit ? this.trimmed(summed ?? base, request, target, effects) : null;
    if (trimmed) return { request: trimmed, how: TRIMMED };
    if (summed) return { request: summed, how: SUMMED };
    return named ? { request: named, how: SHORTENED } : null;
  }

  /** With shorter results: as it is, and with every open effect named. */
  private shortened(
    request: ChatRequest,
    target: number,
    effects: readonly OpenEffect[],
  ): { readonly shortened: ChatRequest | null; readonly named: ChatRequest | null } {
    const shortened = compressRequest(request, target, this.tokensOf);
    return { shortened, named: shortened && withEffectsNamed(shortened, request, this.tokensOf, effects) };
  }

  /** `base` without turns, where that is smaller than what the call has now. */
  private trimmed(
    base: ChatRequest,
    request: ChatRequest,
    target: number,
    effects: readonly OpenEffect[],
  ): ChatRequest | null {
    const trimmed = trimRequest(base, target, this.tokensOf, effects);
    return trimmed && smaller(trimmed, request, this.tokensOf);
  }

  /** `base` is `original` with shorter results: the same messages in the same places. Null: no summary that makes it smaller. */
  private async summarised(
    original: ChatRequest,
    base: ChatRequest,
    { target, isPaid, effects }: SummaryGoal,
  ): Promise<ChatRequest | null> {
    const { settings, summaries, context } = this.parts;
    const { tokensOf } = this;
    if (!settings.hasSummary) return null;
    const known = summaries.find(context.task, original.messages);
    const used = known && withSummary(base, known, known.text, tokensOf, effects);
    if (used && this.tokens(used) <= target) return used;
    const planned = planSummary(used ?? base, target, tokensOf, settings.summaryMaxTokens);
    // Where what is open fills what would be left out, not even the shortest one helps.
    const plan = planned && withSummary(used ?? base, planned, '.', tokensOf, effects) ? planned : null;
    const text = plan && (await this.write(plan, original.model, isPaid));
    const made = plan && text !== null ? withSummary(used ?? base, plan, text, tokensOf, effects) : null;
    if (!made || !plan || text === null) return used;
    const turns = used ? turnsBefore(known.turns, base.messages.length, plan.turns) : plan.turns;
    summaries.keep(context.task, original.messages, turns, text);
    return made;
  }

  /** Has a summary written; null where there is no budget, no model, no time for it, or no good answer. */
  private async write(plan: SummaryPlan, callModel: string, isPaid: boolean): Promise<string | null> {
    const { ports, context, settings, signal, complete } = this.parts;
    const writer = this.writer(callModel);
    if (this.hasAsked || writer === null || !complete) return null;
    const limitMs = this.limitMs();
    if (limitMs <= 0) return null;
    this.hasAsked = true;
    if (!isPaid && !(await this.pay())) return null;
    const maxOutputTokens = settings.summaryMaxTokens;
    const maxChars = Math.max(2000, (writer.windowTokens * RECORD_SHARE - maxOutputTokens) * CHARS_PER_TOKEN);
    const request = summaryRequest(plan, { model: writer.model, maxOutputTokens, maxChars });
    const asked = { complete, clock: ports.clock, request, context, role: SUMMARY_ROLE, limitMs, signal };
    const answer = await askHelper(asked);
    this.spent += (answer?.ok ? answer.summary : answer?.failure?.summary)?.costUsd ?? 0;
    const isGood = answer?.ok === true && answer.summary.outcome === 'answered' && answer.text.trim() !== '';
    return isGood ? answer.text : null;
  }

  /** A summary that takes the time of the answer is worth nothing. */
  private limitMs(): number {
    const { ports, context, settings, stepMs } = this.parts;
    return helperLimitMs({
      patienceMs: settings.summaryTimeoutMs,
      nowMs: ports.clock.nowMs(),
      deadlineMs: context.deadlineMs,
      stepMs: stepMs(),
      verifyMs: context.verifyMs ?? 0,
    });
  }

  /** From what the task and the tenant have, under a step of its own: the call's step keeps what it may retry with. */
  private async pay(): Promise<boolean> {
    const { ports, budgets, context } = this.parts;
    return budgets.take({ ...context, step: -1 - context.step }, ports.clock.nowMs());
  }

  /**
   * The model that the settings name, else the cheapest of those that may serve (a price that is not known is the dearest). One
   * that takes any model's name cannot be asked for by itself: then whoever serves the call writes the summary.
   */
  private writer(callModel: string): { readonly model: string; readonly windowTokens: number } | null {
    const { settings, pool } = this.parts;
    const able = pool.candidates();
    const windowTokens = Math.min(...able.map((each) => each.contextWindowTokens));
    if (able.length === 0) return null;
    if (settings.summaryModel !== '') return { model: settings.summaryModel, windowTokens };
    const price = (each: Candidate): number =>
      each.priceSource === 'unknown' ? Infinity : each.price.inputUsdPerMTok + each.price.outputUsdPerMTok;
    const cheapest = able.filter(({ model }) => !model.includes('{')).toSorted((a, b) => price(a) - price(b))[0];
    if (!cheapest) return { model: callModel, windowTokens };
    return { model: cheapest.id, windowTokens: cheapest.contextWindowTokens };
  }

  private async openEffects(): Promise<readonly OpenEffect[]> {
    const { ports, context } = this.parts;
    const open = await ports.store.entries({ task: context.task, states: ['PREPARED', 'UNKNOWN'] });
    if (open.ok) return open.value;
    // Nobody knows what is open: that itself must be said.
    const title = 'effects of this task (the ledger cannot be read)';
    return [{ key: UNREAD_LEDGER, title, state: 'UNKNOWN', step: context.step, level: 'R3' }];
  }

  private use(request: ChatRequest): WindowUse {
    return {
      inputTokens: this.tokens(request),
      outputTokens: request.maxOutputTokens ?? 0,
      windowTokens: Math.max(0, ...this.parts.pool.candidates().map(({ contextWindowTokens }) => contextWindowTokens)),
    };
  }

  private half(request: ChatRequest): number {
    return Math.floor(this.tokens(request) / 2);
  }

  private tokens(request: ChatRequest): number {
    return this.tokensOf(sizeOfRequest(request));
  }
}
