// What is remembered of recent calls for `GET /belay/decisions/{request id}`: a bounded fold over decision events.
// It holds ids, words and figures, as the events do; no prompts and no answers.
import type { CandidateId } from '../core/candidate.ts';
import type { Usage } from '../core/chat.ts';
import type { DecisionEvent, EventBody, Rung } from '../core/events.ts';
import type { CallSummary } from '../engine/controller.ts';

/** One physical try of a call. */
export interface AttemptRecord {
  readonly attempt: string;
  readonly candidate: CandidateId;
  readonly reason: string;
  readonly status: 'running' | 'succeeded' | 'failed' | 'cancelled';
  readonly firstTokenMs: number | null;
  readonly elapsedMs: number | null;
  readonly costUsd: number;
  /** Class of the fault, e.g. T4; null where there was none. */
  readonly fault: string | null;
}

/** One logical call. Cost in dollars over all attempts; it may still grow while cancelled losers are accounted. */
export interface CallRecord {
  readonly requestId: string;
  readonly status: 'running' | CallSummary['outcome'];
  readonly model: string;
  readonly role: string;
  readonly task: string;
  readonly step: number;
  readonly candidate: CandidateId | null;
  readonly servedModel: string | null;
  readonly rung: Rung;
  readonly attempts: number;
  readonly costUsd: number;
  readonly usage: Usage | null;
  readonly elapsedMs: number | null;
  readonly attemptLog: readonly AttemptRecord[];
  readonly decisions: readonly Extract<EventBody, { type: 'decision-made' | 'plan-made' }>[];
}

/** Attempts and decisions kept of one call; a call has far fewer. */
const MAX_ROWS = 64;

export class CallLog {
  private readonly capacity: number;
  private readonly records = new Map<string, CallRecord>();

  /** Remembers at most `capacity` calls, the latest ones. */
  constructor(capacity: number) {
    this.capacity = capacity;
  }

  has(requestId: string): boolean {
    return this.records.has(requestId);
  }

  get(requestId: string): CallRecord | undefined {
    return this.records.get(requestId);
  }

  /** Folds one event in; events of calls that were not seen to start are left out. */
  noteEvent(event: DecisionEvent): void {
    const { ids, body } = event;
    if (ids.call === undefined) return;
    if (body.type === 'call-started') {
      this.put({ ...emptyRecord(ids.call), model: body.model, role: body.role, task: ids.task, step: ids.step });
      return;
    }
    const record = this.records.get(ids.call);
    if (record) this.put(reduceCall(record, ids.attempt ?? '', body));
  }

  /** Takes what the controller said at the end of a call. */
  noteSummary(summary: CallSummary): void {
    const record = this.records.get(summary.requestId) ?? emptyRecord(summary.requestId);
    const { outcome, candidate, servedModel, rung, attempts, usage, elapsedMs } = summary;
    const costUsd = Math.max(record.costUsd, summary.costUsd);
    this.put({ ...record, status: outcome, candidate, servedModel, rung, attempts, usage, elapsedMs, costUsd });
  }

  private put(record: CallRecord): void {
    if (!this.records.has(record.requestId) && this.records.size >= this.capacity) {
      const oldest = this.records.keys().next();
      if (oldest.done !== true) this.records.delete(oldest.value);
    }
    this.records.set(record.requestId, record);
  }
}

function emptyRecord(requestId: string): CallRecord {
  return {
    requestId,
    status: 'running',
    model: '',
    role: '',
    task: '',
    step: 0,
    candidate: null,
    servedModel: null,
    rung: 'L0',
    attempts: 0,
    costUsd: 0,
    usage: null,
    elapsedMs: null,
    attemptLog: [],
    decisions: [],
  };
}

function reduceCall(record: CallRecord, attempt: string, body: EventBody): CallRecord {
  switch (body.type) {
    case 'plan-made':
    case 'decision-made':
      return { ...record, decisions: [...record.decisions, body].slice(-MAX_ROWS) };
    case 'attempt-launched': {
      const { candidate, reason } = body;
      const row = {
        attempt,
        candidate,
        reason,
        status: 'running',
        firstTokenMs: null,
        elapsedMs: null,
        costUsd: 0,
        fault: null,
      } as const;
      return { ...record, attempts: record.attempts + 1, attemptLog: [...record.attemptLog, row].slice(-MAX_ROWS) };
    }
    case 'attempt-first-token':
      return changeAttempt(record, attempt, { firstTokenMs: body.elapsedMs });
    case 'attempt-succeeded':
      return endAttempt(record, attempt, body.costUsd, { status: 'succeeded', elapsedMs: body.elapsedMs });
    case 'attempt-failed':
      return endAttempt(record, attempt, body.costUsd, {
        status: 'failed',
        elapsedMs: body.elapsedMs,
        fault: body.fault.class,
      });
    case 'attempt-cancelled':
      return endAttempt(record, attempt, body.costUsd, { status: 'cancelled', elapsedMs: body.elapsedMs });
    case 'cost-corrected':
      return { ...changeAttempt(record, attempt, { costUsd: body.costUsd }), costUsd: record.costUsd + body.changeUsd };
    case 'call-committed':
      return { ...record, candidate: body.candidate, rung: body.rung };
    case 'call-finished': {
      const { outcome, candidate, rung, attempts, elapsedMs } = body;
      return {
        ...record,
        status: outcome,
        candidate,
        rung,
        attempts,
        elapsedMs,
        costUsd: Math.max(record.costUsd, body.costUsd),
      };
    }
    default:
      return record;
  }
}

function changeAttempt(record: CallRecord, attempt: string, change: Partial<AttemptRecord>): CallRecord {
  return {
    ...record,
    attemptLog: record.attemptLog.map((row) => (row.attempt === attempt ? { ...row, ...change } : row)),
  };
}

/** The call's cost is what its attempts cost so far, or what its end said, whichever is more. */
function endAttempt(record: CallRecord, attempt: string, costUsd: number, change: Partial<AttemptRecord>): CallRecord {
  const changed = changeAttempt(record, attempt, { ...change, costUsd });
  const sum = changed.attemptLog.reduce((total, row) => total + row.costUsd, 0);
  return { ...changed, costUsd: Math.max(record.costUsd, sum) };
}
