// A run as a story: decision events folded into calls with their lanes, faults with what became of them, and effects.
// The terminal summary, the HTML report and the drill's own verdict all read this one fold.
import type { CandidateId } from '../../core/candidate.ts';
import type { CheckLevel, DecisionEvent, EventBody, LaunchReason, RankedCandidate, Rung } from '../../core/events.ts';
import type { Fault } from '../../core/faults/fault.ts';
import type { EffectLevel, EntryState } from '../../core/ledger/entry.ts';

/** One attempt on the time axis of the run. */
export interface StoryLane {
  readonly attempt: string;
  readonly candidate: CandidateId;
  readonly reason: LaunchReason;
  readonly startedAtMs: number;
  firstTokenAtMs: number | null;
  endedAtMs: number | null;
  status: 'running' | 'succeeded' | 'failed' | 'cancelled';
  fault: Fault | null;
  costUsd: number;
}

/** One logical call. */
export interface StoryCall {
  readonly call: string;
  readonly step: number;
  readonly model: string;
  readonly role: string;
  readonly startedAtMs: number;
  endedAtMs: number | null;
  readonly lanes: StoryLane[];
  readonly decisions: Extract<EventBody, { type: 'decision-made' }>[];
  ranking: readonly RankedCandidate[];
  hedgeSet: readonly CandidateId[];
  why: string;
  outcome: string | null;
  winner: CandidateId | null;
  rung: Rung;
}

export interface StoryEffect {
  readonly key: string;
  readonly title: string;
  readonly tool: string;
  readonly level: EffectLevel;
  readonly step: number;
  readonly states: EntryState[];
  evidence: string;
}

export interface Story {
  readonly goal: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly outcome: string | null;
  readonly isClean: boolean;
  readonly reason: string;
  readonly calls: readonly StoryCall[];
  readonly effects: readonly StoryEffect[];
  readonly titles: Readonly<Record<number, string>>;
  readonly questions: readonly {
    readonly id: string;
    readonly title: string;
    answer: string | null;
    by: string | null;
  }[];
  readonly checks: readonly { readonly check: CheckLevel; readonly passed: boolean; readonly evidence: string }[];
  readonly withheld: readonly { readonly title: string; readonly reason: string }[];
  /** Effects that were committed twice: must be 0. */
  readonly duplicates: number;
}

type Draft = {
  -readonly [K in keyof Story]: Story[K] extends readonly (infer T)[] ? T[] : Story[K];
};

/** Folds the events of one run. Events of other tasks may be among them; the run is one session's. */
export function tellStory(events: readonly DecisionEvent[]): Story {
  const story: Draft = {
    goal: '',
    startedAtMs: events[0]?.atMs ?? 0,
    endedAtMs: events.at(-1)?.atMs ?? 0,
    outcome: null,
    isClean: false,
    reason: '',
    calls: [],
    effects: [],
    titles: {},
    questions: [],
    checks: [],
    withheld: [],
    duplicates: 0,
  };
  const calls = new Map<string, StoryCall>();
  const lanes = new Map<string, StoryLane>();
  for (const event of events) {
    tellTask(story, event);
    tellCall(story, calls, event);
    tellLane(calls, lanes, event);
    tellEffect(story, event);
  }
  return story;
}

function tellTask(story: Draft, { body, ids }: DecisionEvent): void {
  if (body.type === 'task-started') story.goal = body.goal;
  else if (body.type === 'task-finished')
    Object.assign(story, { outcome: body.outcome, isClean: body.clean, reason: body.reason });
  else if (body.type === 'step-started') story.titles = { ...story.titles, [ids.step]: body.title };
  else if (body.type === 'question-asked')
    story.questions.push({ id: body.question, title: body.title, answer: null, by: null });
  else if (body.type === 'question-answered') {
    const question = story.questions.find((asked) => asked.id === body.question);
    if (question) Object.assign(question, { answer: body.answer, by: body.by });
  } else if (body.type === 'verification-finished')
    story.checks.push({ check: body.check, passed: body.passed, evidence: body.evidence });
  else if (body.type === 'effect-withheld') story.withheld.push({ title: body.title, reason: body.reason });
}

function tellCall(story: Draft, calls: Map<string, StoryCall>, { body, ids, atMs }: DecisionEvent): void {
  const id = ids.call ?? '';
  if (body.type === 'call-started') {
    const call: StoryCall = {
      call: id,
      step: ids.step,
      model: body.model,
      role: body.role,
      startedAtMs: atMs,
      endedAtMs: null,
      lanes: [],
      decisions: [],
      ranking: [],
      hedgeSet: [],
      why: '',
      outcome: null,
      winner: null,
      rung: 'L0',
    };
    calls.set(id, call);
    story.calls.push(call);
    return;
  }
  const call = calls.get(id);
  if (!call) return;
  if (body.type === 'plan-made') Object.assign(call, { ranking: body.ranking, hedgeSet: body.hedgeSet, why: body.why });
  else if (body.type === 'decision-made') call.decisions.push(body);
  else if (body.type === 'call-finished')
    Object.assign(call, { endedAtMs: atMs, outcome: body.outcome, winner: body.candidate, rung: body.rung });
}

function tellLane(
  calls: Map<string, StoryCall>,
  lanes: Map<string, StoryLane>,
  { body, ids, atMs }: DecisionEvent,
): void {
  const id = ids.attempt ?? '';
  if (body.type === 'attempt-launched') {
    const lane: StoryLane = {
      attempt: id,
      candidate: body.candidate,
      reason: body.reason,
      startedAtMs: atMs,
      firstTokenAtMs: null,
      endedAtMs: null,
      status: 'running',
      fault: null,
      costUsd: 0,
    };
    lanes.set(id, lane);
    calls.get(ids.call ?? '')?.lanes.push(lane);
    return;
  }
  const lane = lanes.get(id);
  if (!lane) return;
  if (body.type === 'attempt-first-token') lane.firstTokenAtMs = atMs;
  else if (body.type === 'attempt-succeeded')
    Object.assign(lane, { status: 'succeeded', endedAtMs: atMs, costUsd: body.costUsd });
  else if (body.type === 'cost-corrected') lane.costUsd = body.costUsd;
  else if (body.type === 'attempt-cancelled')
    Object.assign(lane, { status: 'cancelled', endedAtMs: atMs, costUsd: body.costUsd });
  else if (body.type === 'attempt-failed')
    Object.assign(lane, { status: 'failed', endedAtMs: atMs, costUsd: body.costUsd, fault: body.fault });
}

const isDone = (state: EntryState): boolean => state === 'COMMITTED' || state === 'RECONCILED_COMMITTED';

function tellEffect(story: Draft, { body, ids }: DecisionEvent): void {
  if (body.type !== 'effect-changed') return;
  const known = story.effects.find((effect) => effect.key === body.key);
  if (!known) {
    story.effects.push({
      key: body.key,
      title: body.title,
      tool: body.tool,
      level: body.level,
      step: ids.step,
      states: [body.to],
      evidence: body.evidence,
    });
    return;
  }
  if (body.to === 'COMMITTED' && known.states.some(isDone)) story.duplicates++;
  known.states.push(body.to);
  known.evidence = body.evidence;
}

/** What became of a failed attempt, in words; null when the story does not explain it. */
export function handling(call: StoryCall, lane: StoryLane): string | null {
  if (lane.status !== 'failed' || !lane.fault) return null;
  const at = call.lanes.indexOf(lane);
  const next = call.lanes.slice(at + 1).find((other) => other.reason !== 'parallel');
  const winner = call.lanes.find((other) => other.candidate === call.winner && other.status === 'succeeded');
  if (call.outcome === 'refused') return 'surfaced to the person, asked nowhere else';
  if (call.outcome !== 'answered') return call.decisions.length > 0 ? (call.decisions.at(-1)?.reason ?? null) : null;
  const compressed = lane.fault.class === 'T6' && call.decisions.some((decision) => decision.action === 'COMPRESS');
  if (compressed) return `context shortened, then answered by ${call.winner ?? 'another'}`;
  if (next?.reason === 'failover') return `next candidate at once: ${next.candidate}`;
  if (next?.reason === 'retry') return `tried again after a jittered wait: ${next.candidate}`;
  return winner ? `another lane was already running: ${winner.candidate}` : null;
}

/** Everything a run leaves unexplained; empty for a good run. */
export function unexplained(story: Story): readonly string[] {
  const open: string[] = [];
  if (story.outcome === null) open.push('the task has no end');
  for (const call of story.calls) {
    if (call.outcome === null) open.push(`call ${call.call} has no end`);
    for (const lane of call.lanes) {
      if (lane.status === 'running') open.push(`attempt ${lane.attempt} has no end`);
      if (lane.status === 'failed' && handling(call, lane) === null)
        open.push(`nothing says what was done about ${lane.attempt} at ${lane.candidate}`);
    }
  }
  for (const effect of story.effects) {
    const state = effect.states.at(-1);
    if (state === 'PREPARED' || state === 'UNKNOWN') open.push(`"${effect.title}" is ${state}`);
  }
  for (const question of story.questions) if (question.answer === null) open.push(`nobody answered: ${question.title}`);
  return open;
}
