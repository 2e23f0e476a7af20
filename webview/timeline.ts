// Folds the window of decision events into what the Decisions tab shows: tasks, newest first; in each its calls and the
// single events outside of calls; in a call its attempts, each with the fault and the decision it caused. Pure.
import type { DecisionEvent, EventBody, Fault, LaunchReason } from '../src/protocol.ts';

type Body<T extends EventBody['type']> = Extract<EventBody, { type: T }>;

/** One attempt, from launch to end, with the decision its failure caused: signal -> class -> action. */
export interface AttemptLine {
  readonly type: 'attempt';
  readonly attempt: string;
  readonly candidate: string;
  /** Null when the launch lies before the window. */
  readonly reason: LaunchReason | null;
  readonly status: 'running' | 'succeeded' | 'failed' | 'cancelled';
  readonly fault: Fault | null;
  readonly elapsedMs: number | null;
  readonly costUsd: number;
  /** The price is not known, so the cost is not either. */
  readonly isUnpriced: boolean;
  readonly decision: Body<'decision-made'> | null;
}

/** A decision that no failed attempt of the window caused. */
export interface DecisionLine {
  readonly type: 'decision';
  readonly decision: Body<'decision-made'>;
}

/** Any other event that is worth a line. */
export interface PlainLine {
  readonly type: 'plain';
  readonly atMs: number;
  readonly body: Body<
    | 'effect-changed'
    | 'effect-withheld'
    | 'command-assessed'
    | 'question-asked'
    | 'question-answered'
    | 'verification-finished'
    | 'model-changed'
    | 'breaker-changed'
    | 'attempt-withheld'
    | 'replicas-compared'
    | 'notice'
  >;
}

export type Line = AttemptLine | DecisionLine | PlainLine;

/** One logical call, or one event outside of calls (`call` is null; it has one line). */
export interface Entry {
  readonly key: string;
  /** Number of the last event in it: an entry whose number did not change looks as before. */
  readonly lastSeq: number;
  readonly atMs: number;
  readonly step: number;
  readonly call: { readonly role: string; readonly model: string; readonly end: Body<'call-finished'> | null } | null;
  readonly lines: readonly Line[];
  readonly faults: number;
  /** Its attempts answered differently and none of the answers is verified: a person should look at what was done with it. */
  readonly needsReview: boolean;
}

export interface TaskGroup {
  readonly task: string;
  /** The goal in words; null for a foreign agent's conversation, which has none. */
  readonly goal: string | null;
  readonly outcome: Body<'task-finished'> | null;
  /** Newest first. */
  readonly entries: readonly Entry[];
}

interface DraftEntry {
  key: string;
  lastSeq: number;
  atMs: number;
  step: number;
  call: { role: string; model: string; end: Body<'call-finished'> | null } | null;
  lines: Line[];
  faults: number;
  needsReview: boolean;
}
interface DraftTask {
  task: string;
  goal: string | null;
  outcome: Body<'task-finished'> | null;
  entries: DraftEntry[];
}

/** The groups of a window of events, oldest first. Groups come newest first, by their last event. */
export function timelineOf(events: readonly DecisionEvent[]): readonly TaskGroup[] {
  const tasks = new Map<string, DraftTask>();
  const calls = new Map<string, DraftEntry>();
  for (const event of events) {
    const name = event.ids.task;
    const task = tasks.get(name) ?? { task: name, goal: null, outcome: null, entries: [] };
    // Deleted and set again, so that the map's order is the order of last activity.
    tasks.delete(name);
    tasks.set(name, task);
    addEvent(event, task, calls);
  }
  return [...tasks.values()]
    .filter((task) => task.entries.length > 0 || task.goal !== null)
    .map(finishTask)
    .reverse();
}

function finishTask(task: DraftTask): TaskGroup {
  return { ...task, entries: [...task.entries].reverse() };
}

function addEvent(event: DecisionEvent, task: DraftTask, calls: Map<string, DraftEntry>): void {
  const { body, ids, seq, atMs } = event;
  if (body.type === 'task-started') task.goal = body.goal;
  if (body.type === 'task-finished') task.outcome = body;
  if (ids.call === undefined) {
    const line = plainLine(body, atMs);
    if (line)
      task.entries.push({
        key: `event-${seq}`,
        lastSeq: seq,
        atMs,
        step: ids.step,
        call: null,
        lines: [line],
        faults: 0,
        needsReview: false,
      });
    return;
  }
  let entry = calls.get(ids.call);
  // A cost that is put right later may be of a call that lies before the window.
  if (!entry && body.type === 'cost-corrected') return;
  if (!entry) {
    // The window may begin in the middle of a call: what is not known of it is left blank.
    entry = {
      key: `call-${ids.call}`,
      lastSeq: seq,
      atMs,
      step: ids.step,
      call: { role: '', model: '', end: null },
      lines: [],
      faults: 0,
      needsReview: false,
    };
    calls.set(ids.call, entry);
    task.entries.push(entry);
  }
  entry.lastSeq = seq;
  addToCall(entry, event);
}

function addToCall(entry: DraftEntry, { body, ids, atMs }: DecisionEvent): void {
  switch (body.type) {
    case 'call-started':
      entry.call = { role: body.role, model: body.model, end: null };
      return;
    case 'call-finished':
      if (entry.call) entry.call.end = body;
      return;
    case 'attempt-launched':
      setAttempt(entry, ids.attempt, body.candidate, { reason: body.reason });
      return;
    case 'attempt-succeeded':
      setAttempt(entry, ids.attempt, body.candidate, {
        status: 'succeeded',
        elapsedMs: body.elapsedMs,
        costUsd: body.costUsd,
        isUnpriced: body.isUnpriced ?? false,
      });
      return;
    case 'attempt-cancelled':
      setAttempt(entry, ids.attempt, body.candidate, {
        status: 'cancelled',
        elapsedMs: body.elapsedMs,
        costUsd: body.costUsd,
        isUnpriced: body.isUnpriced ?? false,
      });
      return;
    case 'attempt-failed':
      entry.faults += 1;
      setAttempt(entry, ids.attempt, body.candidate, {
        status: 'failed',
        fault: body.fault,
        elapsedMs: body.elapsedMs,
        costUsd: body.costUsd,
        isUnpriced: body.isUnpriced ?? false,
      });
      return;
    case 'cost-corrected':
      setAttempt(entry, ids.attempt, body.candidate, { status: body.ending, costUsd: body.costUsd });
      return;
    case 'decision-made':
      addDecision(entry, body);
      return;
    case 'replicas-compared':
      entry.needsReview = body.outcome === 'review';
      entry.lines.push({ type: 'plain', atMs, body });
      return;
    default: {
      const line = plainLine(body, atMs);
      if (line) entry.lines.push(line);
    }
  }
}

const blankAttempt = {
  type: 'attempt',
  reason: null,
  status: 'running',
  fault: null,
  elapsedMs: null,
  costUsd: 0,
  isUnpriced: false,
  decision: null,
} as const;

function setAttempt(entry: DraftEntry, attempt = '', candidate: string, change: Partial<AttemptLine>): void {
  const index = entry.lines.findLastIndex((line) => line.type === 'attempt' && line.attempt === attempt);
  const before = entry.lines[index];
  if (before?.type === 'attempt') entry.lines[index] = { ...before, ...change };
  else entry.lines.push({ ...blankAttempt, attempt, candidate, ...change });
}

/** A decision joins the fault that caused it: the last failed attempt of that class that has no decision yet. */
function addDecision(entry: DraftEntry, decision: Body<'decision-made'>): void {
  // About a command or an edit of the call, not about one of its attempts.
  if (decision.effect) {
    entry.lines.push({ type: 'decision', decision });
    return;
  }
  const index = entry.lines.findLastIndex(
    (line) =>
      line.type === 'attempt' && line.fault !== null && !line.decision && line.fault.class === decision.fault?.class,
  );
  const cause = entry.lines[index];
  if (cause?.type === 'attempt') entry.lines[index] = { ...cause, decision };
  else entry.lines.push({ type: 'decision', decision });
}

function plainLine(body: EventBody, atMs: number): Line | null {
  switch (body.type) {
    case 'decision-made':
      return { type: 'decision', decision: body };
    case 'effect-changed':
    case 'effect-withheld':
    case 'command-assessed':
    case 'question-asked':
    case 'question-answered':
    case 'verification-finished':
    case 'model-changed':
    case 'breaker-changed':
    case 'attempt-withheld':
    case 'replicas-compared':
    case 'notice':
      return { type: 'plain', atMs, body };
    case 'task-started':
    case 'task-finished':
    case 'step-started':
    case 'call-started':
    case 'plan-made':
    case 'attempt-launched':
    case 'attempt-first-token':
    case 'attempt-succeeded':
    case 'attempt-failed':
    case 'attempt-cancelled':
    case 'cost-corrected':
    case 'call-committed':
    case 'call-finished':
    case 'breaker-probed':
    case 'place-waited':
      return null;
  }
}
