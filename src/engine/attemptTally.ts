// What one attempt has sent and received, and what that costs: the provider's own figures where it told them, else the worst
// case. A request that cannot have left this machine, or that was turned away, costs nothing.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest, FinishReason, StreamEvent, StreamPart, Usage } from '../core/chat.ts';
import { believableUsage, billedUsage, costUsd, type BillBasis } from '../core/cost.ts';
import type { Observation } from '../core/faults/fault.ts';
import { askedName, plainName } from '../core/modelNames.ts';
import type { LinkFigures } from '../core/scheduler/profile.ts';
import {
  addSizes,
  noSize,
  scaleSize,
  sizeOfArguments,
  sizeOfRequest,
  sizeOfText,
  totalChars,
  type TextSize,
} from '../core/textSize.ts';
import { LinkMeter } from './linkMeter.ts';

/** Figures of an ended attempt. */
export interface AttemptFigures {
  readonly elapsedMs: number;
  readonly firstTokenMs: number | null;
  readonly sentChars: number;
  readonly receivedChars: number;
  readonly usage: Usage | null;
  readonly costUsd: number;
  /** Input and output tokens behind `costUsd`, estimated where the provider did not count. */
  readonly billedTokens: number;
  /** What the candidate was asked for, and what the answer says of who served it. */
  readonly askedModel: string;
  readonly servedModel: string | null;
  readonly fingerprint: string | null;
  /** Behind `costUsd`; null where no request was made at all. */
  readonly basis: BillBasis | null;
  /** Round trip to the first hop, measured where this attempt made a connection; null: it found one, or nobody told. */
  readonly rttMs: number | null;
  /** How fast the answer came; null: in too few pieces to tell. */
  readonly link: LinkFigures | null;
}

/** Estimates tokens as a model counts them, by its plain name. */
export interface TokenEstimates {
  estimate(model: string, size: TextSize): number;
}

/** Parts that are the answer itself; the others are start-up, accounting or proof of life. */
function isAnswer(part: StreamPart): boolean {
  return (
    part.type === 'text-delta' ||
    part.type === 'tool-call' ||
    part.type === 'thinking-delta' ||
    part.type === 'refusal-delta'
  );
}

/** A whole event of the provider's that is no JSON (src/adapters/providers/trouble). */
const MALFORMED_CHUNK = 'belay_malformed_chunk';
/** An error that a provider reports inside a 200 answer. */
const IN_BAND_ERROR = 'belay_in_band_error';

/**
 * A connection that breaks without an answer within so many ms of sending (a round trip round the world and some work at the
 * door) was turned away there, where nothing is billed; later the model may have been at work.
 */
const DOOR_MS = 500;
/** Output under way to us when an attempt is cut off is counted for so many ms at most, and for none after longer silence. */
const IN_FLIGHT_MS = 50;
const SILENT_MS = 250;

/** Counts what an attempt received. */
export class Tally {
  readonly startedAtMs: number;
  finish: FinishReason | null = null;
  hasContent = false;
  private readonly request: ChatRequest;
  private readonly candidate: Candidate;
  private readonly tokens: TokenEstimates;
  private readonly askedModel: string;
  /** Since when the request can have left this machine; null: it cannot. */
  private sentAtMs: number | null;
  private hasAnything = false;
  /** The provider has said no before it answered anything: it bills nothing. */
  private isTurnedAway = false;
  private firstTokenMs: number | null = null;
  private lastContentMs = 0;
  private received = noSize;
  /** Arguments of tool calls that are still being written. */
  private pendingChars = 0;
  private lastEvent = noSize;
  private usage: Usage | null = null;
  private leastOutputTokens = 0;
  private servedModel: string | null = null;
  private fingerprint: string | null = null;
  private rttMs: number | null = null;
  private readonly link = new LinkMeter();

  constructor(startedAtMs: number, request: ChatRequest, candidate: Candidate, tokens: TokenEstimates) {
    this.startedAtMs = startedAtMs;
    this.sentAtMs = startedAtMs;
    this.request = request;
    this.candidate = candidate;
    this.tokens = tokens;
    this.askedModel = askedName(candidate.model, request.model);
  }

  /** Takes one event in; true when it carries some of the answer (or of a tool call being written). */
  take(event: StreamEvent, nowMs: number): boolean {
    this.hasAnything = true;
    let isContent = false;
    for (const part of event.parts) {
      if (isAnswer(part)) this.hasContent = true;
      if (isAnswer(part) || part.type === 'tool-call-progress') isContent = true;
      this.count(part);
    }
    if (isContent) {
      this.firstTokenMs ??= nowMs - this.startedAtMs;
      this.lastContentMs = nowMs - this.startedAtMs;
      this.link.take(totalChars(this.receivedSize()), nowMs);
    }
    return isContent;
  }

  /** `rttMs`: where a connection was made for it. */
  tellSent(isSent: boolean, nowMs: number, rttMs?: number): void {
    this.sentAtMs = isSent ? nowMs : null;
    if (rttMs !== undefined && rttMs >= 0) this.rttMs = rttMs;
  }

  /** The provider, or the way to it, has failed. */
  failed({ httpStatus, clientError }: Observation, nowMs: number): void {
    const hasBegun = httpStatus !== null && httpStatus >= 200 && httpStatus <= 299;
    const isLate = httpStatus === null && nowMs - (this.sentAtMs ?? nowMs) >= DOOR_MS;
    const hasWorked = (hasBegun && clientError?.code !== IN_BAND_ERROR) || isLate;
    this.isTurnedAway = !this.hasAnything && !hasWorked;
    // A piece that came broken was written all the same: it counts like the one before it.
    if (clientError?.code === MALFORMED_CHUNK) this.received = addSizes(this.received, this.lastEvent);
  }

  private count(part: StreamPart): void {
    if (part.type === 'text-delta' || part.type === 'thinking-delta' || part.type === 'refusal-delta')
      this.receive(sizeOfText(part.text));
    else if (part.type === 'tool-call-progress') {
      this.pendingChars += part.chars;
      this.lastEvent = sizeOfArguments(part.chars);
    } else if (part.type === 'tool-call') {
      this.pendingChars = Math.max(0, this.pendingChars - part.name.length - part.argsText.length);
      this.receive(sizeOfText(part.name + part.argsText));
    } else if (part.type === 'finish') this.finish = part.reason;
    else if (part.type === 'response-start') {
      this.servedModel = part.servedModel ?? this.servedModel;
      this.fingerprint = part.fingerprint ?? this.fingerprint;
    } else if (part.type === 'usage') this.countUsage(part.usage);
  }

  private receive(size: TextSize): void {
    this.lastEvent = size;
    this.received = addSizes(this.received, size);
  }

  private countUsage(told: Usage): void {
    const usage = believableUsage(told);
    if (!usage) return;
    this.usage = { ...this.usage, ...usage, inputTokens: Math.max(usage.inputTokens, this.usage?.inputTokens ?? 0) };
    // What is told before the first word is a placeholder.
    if (this.hasContent || this.pendingChars > 0) this.leastOutputTokens = usage.outputTokens;
  }

  /**
   * What was written at this attempt's own pace and had not arrived when it was cut off in the middle, at most of
   * `IN_FLIGHT_MS`: nothing where the provider had fallen silent.
   */
  private inFlight(nowMs: number): TextSize {
    const silentMs = nowMs - this.startedAtMs - this.lastContentMs;
    const writingMs = this.lastContentMs - (this.firstTokenMs ?? this.lastContentMs);
    // Of a short time no pace can be told: what came may have come at once.
    if (writingMs < IN_FLIGHT_MS || silentMs > SILENT_MS) return noSize;
    return scaleSize(this.receivedSize(), Math.min(silentMs, IN_FLIGHT_MS) / writingMs);
  }

  private receivedSize(): TextSize {
    return addSizes(this.received, sizeOfArguments(this.pendingChars));
  }

  /** What there is to pay for, as far as it is known. */
  private basis(isCutOffAtMs: number | null): BillBasis {
    const isCounted = this.finish !== null && this.usage !== null;
    const received = this.receivedSize();
    const canBeBilled = this.hasAnything || (this.sentAtMs !== null && !this.isTurnedAway);
    return {
      kind: isCounted ? 'counted' : canBeBilled ? 'estimated' : 'none',
      usage: this.usage,
      leastOutputTokens: this.leastOutputTokens,
      sent: sizeOfRequest(this.request),
      received: isCutOffAtMs === null ? received : addSizes(received, this.inFlight(isCutOffAtMs)),
    };
  }

  /** `isCutOff`: we ended it, the provider did not. */
  figures(nowMs: number, isCutOff = false): AttemptFigures {
    const model = plainName(this.askedModel);
    const basis = this.basis(isCutOff ? nowMs : null);
    const billed = billedUsage(basis, (size) => this.tokens.estimate(model, size));
    return {
      elapsedMs: nowMs - this.startedAtMs,
      firstTokenMs: this.firstTokenMs,
      sentChars: totalChars(basis.sent),
      receivedChars: totalChars(this.receivedSize()),
      usage: this.finish ? this.usage : null,
      costUsd: costUsd(billed, this.candidate.price),
      billedTokens: billed.inputTokens + billed.outputTokens,
      askedModel: this.askedModel,
      servedModel: this.servedModel,
      fingerprint: this.fingerprint,
      basis,
      rttMs: this.rttMs,
      link: this.link.figures(),
    };
  }

  /** What was seen, for the classifier. */
  observation(finishReason: string | null): Observation {
    return {
      provider: this.candidate.family,
      httpStatus: this.hasAnything ? 200 : null,
      headers: {},
      body: null,
      clientError: null,
      streamPhase: this.finish
        ? 'after_finish'
        : this.hasContent
          ? 'mid_stream'
          : this.hasAnything
            ? 'before_first_token'
            : 'before_headers',
      finishReason,
      operation: 'model_read',
    };
  }
}
