// Belay's own small agent loop: plan, act, observe, verify, over one goal. The model proposes; every effect goes through the
// guard and the ledger (agentTools); the goal counts as reached only when its success command has really passed.
import type { ChatMessage, ChatRequest, ToolCallPart, ToolResultPart } from '../core/chat.ts';
import type { Criticality, EventIds, RequestContext } from '../core/context.ts';
import type { EventBody } from '../core/events.ts';
import { isEditTool } from '../core/guard/editTools.ts';
import type { TaskState } from '../core/recovery/checkpoint.ts';
import type { Settings } from '../core/settings.ts';
import { agentToolSpecs } from './agentToolSpecs.ts';
import type { AgentTools, ToolOutcome, ToolScope } from './agentTools.ts';
import { collectAnswer, type CollectedAnswer } from './answer.ts';
import type { BudgetBook } from './budgetBook.ts';
import type { CallEvent, CallFailure, CallOptions, CallSummary } from './call.ts';
import type { Emit } from './eventLog.ts';
import type { Ports, StorePort } from './ports.ts';
import type { ProfileBook } from './profileBook.ts';
import { callsOf, firstLine, isFinish, malformed, maskedOutcome } from './taskCalls.ts';
import { TaskChecks } from './taskChecks.ts';
import { checkpointedStore, checkpointRow, isMaskedCall, saveCheckpoint } from './taskCheckpoint.ts';
import { verifiers } from './verifiers.ts';

/** A goal and what counts as having reached it. */
export interface TaskSpec {
  readonly id: string;
  readonly goal: string;
  /** Name of the model route. */
  readonly model: string;
  /** Command whose exit code 0 means success, e.g. `npm test`. */
  readonly successCommand: string;
  readonly criticality: Criticality;
  readonly deadlineMs: number;
  /** Requests beside the main line, e.g. one that the model will refuse; asked before step `beforeStep`. */
  readonly sideSteps?: readonly { readonly beforeStep: number; readonly prompt: string }[];
  /** Absolute root of the workspace. */
  readonly workspace: string;
  /** Environment of the commands it runs; holds no key. */
  readonly env: Readonly<Record<string, string>>;
}

/** CONTRACTS, task. */
export interface TaskOutcome {
  readonly task: string;
  readonly outcome: 'success' | 'escalated' | 'failed';
  /** Success without a duplicated or unexplained effect. */
  readonly clean: boolean;
  readonly steps: number;
  readonly attempts: number;
  readonly degraded: number;
  readonly costUsd: number;
  readonly evidence: string;
}

export interface TaskDependencies {
  readonly ports: Ports;
  readonly complete: (
    request: ChatRequest,
    context: RequestContext,
    options: CallOptions,
    signal: AbortSignal,
  ) => AsyncIterable<CallEvent>;
  readonly budgets: BudgetBook;
  readonly profiles: ProfileBook;
  readonly emit: Emit;
  readonly newId: (prefix: string) => string;
  readonly settings: Settings;
  /** The tools, writing their ledger entries through this store. */
  readonly makeTools: (store: StorePort) => AgentTools;
}

const SYSTEM = [
  'You are a careful software engineer working in one repository through the tools you are given.',
  'Look before you change anything. Change as little as needed. Run the tests after every change.',
  'When the goal is reached and the tests pass, call finish with a short summary.',
].join(' ');

/** Answers without a tool call in a row before the task is given up. */
const MAX_IDLE_ANSWERS = 2;
/** Answers in a row that the output limit may end inside a tool call. */
const MAX_CUT_CALLS = 2;
const MAX_OUTPUT_TOKENS = 4096;

/** What the model is told of a call that was cut off: the cause, what stands, and another way. */
const CUT_CALL = [
  `Your last tool call was cut off: an answer may have at most ${MAX_OUTPUT_TOKENS} tokens and reached that inside the call.`,
  'It was not made, and every file is as it was. Do not send the same call again; send less at once.',
  'For a long file, write its first part with write_file (about 150 lines), then add the rest with edit_file, part by part.',
].join(' ');

/** Runs the task to its end; never throws for expected trouble. */
export async function runTask(
  dependencies: TaskDependencies,
  spec: TaskSpec,
  signal: AbortSignal,
  /** Where an earlier run of the task stood; its open effects must be reconciled already. */
  from: TaskState | null = null,
): Promise<TaskOutcome> {
  return new TaskRun(dependencies, spec, signal, from).run();
}

type StepResult =
  | { readonly done: false }
  | { readonly done: true; readonly outcome: TaskOutcome['outcome']; readonly evidence: string };

const GO_ON: StepResult = { done: false };

class TaskRun {
  private readonly dependencies: TaskDependencies;
  private readonly spec: TaskSpec;
  private readonly signal: AbortSignal;
  private readonly tools: AgentTools;
  private readonly messages: ChatMessage[];
  /** Of the present turn's tool calls, so far. */
  private results: ToolResultPart[];
  private status: TaskState['status'] = 'running';
  private step = 0;
  private attempts = 0;
  private degraded = 0;
  private costUsd = 0;
  private idleAnswers = 0;
  private cutCalls = 0;
  /** Who wrote the last edit: the next test run is evidence of its quality. */
  private lastEditor: string | null = null;
  private readonly checks: TaskChecks;

  constructor(dependencies: TaskDependencies, spec: TaskSpec, signal: AbortSignal, from: TaskState | null) {
    this.dependencies = dependencies;
    this.spec = spec;
    this.signal = signal;
    const { ports, settings, budgets, newId } = dependencies;
    const { workspace, env } = spec;
    this.tools = dependencies.makeTools(checkpointedStore(ports.store, spec.id, () => this.state()));
    const run: AgentTools['run'] = (request, scope) => this.tools.run(request, scope);
    const checks = verifiers({ ports, run, workspace, env, settings: settings.advanced.verification, newId });
    this.checks = new TaskChecks(
      { ports, verifiers: checks, budgets, settings, spec, newId },
      from?.lastRejection ?? null,
      (from?.degraded ?? 0) > 0,
    );
    this.messages = from ? [...from.messages] : [{ role: 'user', content: [{ type: 'text', text: spec.goal }] }];
    this.results = from ? [...from.results] : [];
    if (!from) return;
    this.step = from.step;
    this.attempts = from.attempts;
    this.degraded = from.degraded;
    this.costUsd = from.costUsd;
    this.idleAnswers = from.idleAnswers;
    this.lastEditor = from.lastEditor;
  }

  /** Where the task stands, as it is saved. */
  private state(): TaskState {
    const { goal, model, successCommand, criticality, workspace } = this.spec;
    const { status, step, messages, results, attempts, degraded, costUsd } = this;
    const { idleAnswers, lastEditor } = this;
    const { lastRejection } = this.checks;
    const asked = { goal, model, successCommand, criticality, workspace };
    const spent = { attempts, degraded, costUsd, idleAnswers, lastEditor, lastRejection };
    return { status, ...asked, step, messages, results, ...spent };
  }

  /** A checkpoint of its own, where no ledger entry carries one. A store that refuses stops no reading (DESIGN, Defaults). */
  private async save(): Promise<void> {
    const saved = await saveCheckpoint(this.dependencies.ports.store, this.spec.id, this.state());
    if (saved.ok) return;
    const remedy = 'The task goes on; after a crash it cannot be resumed from here.';
    this.emit({ type: 'notice', severity: 'warning', message: saved.error.message, remedy });
  }

  async run(): Promise<TaskOutcome> {
    await this.dependencies.budgets.resume(this.spec.id, () => checkpointRow(this.spec.id, this.state()));
    this.emit({ type: 'task-started', goal: this.spec.goal });
    await this.save();
    const unfinished = await this.finishTurn();
    if (unfinished.done) return this.finish(unfinished.outcome, unfinished.evidence);
    const maxSteps = this.dependencies.settings.advanced.limits.agentMaxSteps;
    while (this.step < maxSteps) {
      this.step++;
      for (const side of this.spec.sideSteps ?? []) if (side.beforeStep === this.step) await this.sideStep(side.prompt);
      const result = await this.oneStep();
      if (result.done) return this.finish(result.outcome, result.evidence);
    }
    return this.finish('escalated', `not done after ${maxSteps} steps`);
  }

  private async oneStep(): Promise<StepResult> {
    const answer = await this.ask(this.messages);
    if (!answer.ok) return this.onNoAnswer(answer.failure);
    // Of an answer that was cut off inside its only call nothing may be left, and an empty message is none.
    if (answer.message.content.length > 0) this.messages.push(answer.message);
    this.emit({
      type: 'step-started',
      title: firstLine(answer.text) || answer.toolCalls.map((call) => call.name).join(', '),
    });
    this.cutCalls = answer.isCutInCall ? this.cutCalls + 1 : 0;
    if (answer.toolCalls.length === 0) return answer.isCutInCall ? this.onCutCall() : this.onIdle();
    this.idleAnswers = 0;
    // The answer is paid for: a crash from here on must not ask for it again.
    await this.save();
    const result = await this.finishTurn(answer.summary);
    return answer.isCutInCall && !result.done ? this.onCutCall() : result;
  }

  /**
   * Makes the tool calls of the last answer that have no result yet. After a crash these are the ones whose fate the ledger
   * knows: their keys are the same, so what was done is answered and not done again.
   */
  private async finishTurn(summary?: CallSummary): Promise<StepResult> {
    const last = this.messages.at(-1);
    // Interrupted between the last result of a turn that wanted to finish and the verdict on it.
    if (last?.role === 'tool' && callsOf(this.messages.at(-2)).some(isFinish)) return this.verify();
    const calls = callsOf(last);
    if (calls.length === 0) return GO_ON;
    for (const call of calls.slice(this.results.length)) {
      const outcome =
        malformed(call) ?? (summary || !isMaskedCall(call) ? await this.act(call, summary) : maskedOutcome);
      this.results.push({
        type: 'tool-result',
        callId: call.id,
        content: [{ type: 'text', text: outcome.text }],
        isError: outcome.isError,
      });
    }
    this.messages.push({ role: 'tool', content: this.results });
    this.results = [];
    return calls.some(isFinish) ? this.verify() : GO_ON;
  }

  private async ask(messages: readonly ChatMessage[]): Promise<CollectedAnswer> {
    const request: ChatRequest = {
      model: this.spec.model,
      system: [{ type: 'text', text: SYSTEM }],
      messages,
      tools: agentToolSpecs,
      toolChoice: { type: 'auto' },
      maxOutputTokens: MAX_OUTPUT_TOKENS,
    };
    const answer = await collectAnswer(
      this.dependencies.complete(request, this.context(), { policy: 'hold' }, this.signal),
    );
    const summary = answer.ok ? answer.summary : answer.failure?.summary;
    this.attempts += summary?.attempts ?? 0;
    this.costUsd += summary?.costUsd ?? 0;
    if (summary && summary.rung > 'L1') this.degraded++;
    return answer;
  }

  /** `summary`: the call that asked; absent where an earlier run of the task made it. */
  private async act(call: ToolCallPart, summary?: CallSummary): Promise<ToolOutcome> {
    const { requestId, attempt = null, candidate = null } = summary ?? {};
    const asked = requestId === undefined ? {} : { call: requestId };
    const ids = { ...asked, ...(attempt === null ? {} : { attempt }), toolCall: call.id };
    const scope = this.scope(ids);
    const rung = summary?.rung ?? 'L0';
    const isEdit = isEditTool(call.name);
    if (isEdit) await this.checks.beforeEdit(scope);
    const outcome = await this.tools.execute(call, { ...scope, rung });
    if (isEdit && !outcome.isError) {
      this.lastEditor = candidate;
      return { ...outcome, text: outcome.text + (await this.checks.afterEdit(rung, scope)) };
    }
    if (
      outcome.effect === 'command' &&
      outcome.command === this.spec.successCommand &&
      outcome.exitCode !== undefined
    ) {
      this.learnQuality(outcome.exitCode === 0);
    }
    return outcome;
  }

  /** A test run after an edit says how good the edit was; without an edit it says nothing of a model. */
  private learnQuality(isPassed: boolean): void {
    if (this.lastEditor !== null) this.dependencies.profiles.recordQuality(this.lastEditor, 'coder', isPassed ? 1 : 0);
    this.lastEditor = null;
  }

  /** The model says that it is done: the checks say whether it is. A rejection goes back to it as evidence. */
  private async verify(): Promise<StepResult> {
    this.dependencies.budgets.reachEnd(this.spec.id);
    const verdict = await this.checks.final(this.scope({}));
    this.learnQuality(verdict.isMended);
    if (verdict.kind === 'again') {
      this.messages.push({ role: 'user', content: [{ type: 'text', text: verdict.text }] });
      return GO_ON;
    }
    const outcome = verdict.kind === 'accepted' ? 'success' : 'escalated';
    return { done: true, outcome, evidence: verdict.evidence };
  }

  /** The call that was cut off is not made and not asked for again in the same size: the model goes on in parts. */
  private onCutCall(): StepResult {
    if (this.cutCalls > MAX_CUT_CALLS) {
      const evidence = `the model's tool calls were cut off by the output limit ${this.cutCalls} times in a row`;
      return { done: true, outcome: 'escalated', evidence };
    }
    this.messages.push({ role: 'user', content: [{ type: 'text', text: CUT_CALL }] });
    return GO_ON;
  }

  private onIdle(): StepResult {
    this.idleAnswers++;
    if (this.idleAnswers > MAX_IDLE_ANSWERS)
      return { done: true, outcome: 'escalated', evidence: 'the model stopped using its tools' };
    this.messages.push({
      role: 'user',
      content: [{ type: 'text', text: 'Use a tool to go on, or call finish when the goal is reached.' }],
    });
    return GO_ON;
  }

  private onNoAnswer(failure: CallFailure | null): StepResult {
    if (!failure) return { done: true, outcome: 'escalated', evidence: 'cancelled' };
    const isForPerson = failure.fault?.class === 'T8' || failure.fault?.class === 'T7';
    return { done: true, outcome: isForPerson ? 'escalated' : 'failed', evidence: failure.message };
  }

  /** A request of its own, with only its prompt. A refusal is put before a person; the main line goes on either way. */
  private async sideStep(prompt: string): Promise<void> {
    const answer = await this.ask([{ role: 'user', content: [{ type: 'text', text: prompt }] }]);
    const isRefused = answer.ok ? answer.summary.outcome === 'refused' : answer.failure?.fault?.class === 'T8';
    if (!isRefused) return;
    const id = this.dependencies.newId('question');
    const title = `The model refused: ${firstLine(prompt)}`;
    const reasons = [answer.ok && answer.text !== '' ? answer.text.slice(0, 300) : 'refused by policy'];
    this.emit({ type: 'question-asked', question: id, title, level: null });
    const reply = await this.dependencies.ports.approval.ask(
      { id, kind: 'refusal', title, level: null, reasons, targets: [] },
      this.signal,
    );
    this.emit({
      type: 'question-answered',
      question: id,
      answer: `${reply.choice}${reply.note === '' ? '' : `: ${reply.note}`}`,
      by: reply.by,
    });
  }

  private async finish(outcome: TaskOutcome['outcome'], evidence: string): Promise<TaskOutcome> {
    const open = await this.dependencies.ports.store.entries({ task: this.spec.id });
    const unsettled = open.ok
      ? open.value.filter((entry) => entry.state === 'UNKNOWN' || entry.state === 'PREPARED').length
      : 1;
    const clean = outcome === 'success' && unsettled === 0;
    const reason = unsettled === 0 ? evidence : `${evidence}; ${unsettled} effects are not settled`;
    this.emit({ type: 'task-finished', outcome, clean, reason });
    // A task that was cancelled may be gone on with; one that has its end may not.
    if (!this.signal.aborted) this.status = 'finished';
    await this.save();
    const { id: task } = this.spec;
    return {
      task,
      outcome,
      clean,
      steps: this.step,
      attempts: this.attempts,
      degraded: this.degraded,
      costUsd: this.costUsd,
      evidence: reason,
    };
  }

  private scope(ids: Pick<EventIds, 'call' | 'attempt' | 'toolCall'>): ToolScope {
    const emit = (body: EventBody): void => this.dependencies.emit({ ...this.ids(), ...ids }, body);
    return { context: this.context(), ids, emit, signal: this.signal };
  }

  private context(): RequestContext {
    const { criticality, id, deadlineMs } = this.spec;
    const qualityFloor = this.dependencies.settings.advanced.qualityFloor[criticality];
    return {
      tenant: 'local',
      client: 'belay-agent',
      task: id,
      step: this.step,
      role: 'coder',
      criticality,
      qualityFloor,
      deadlineMs,
    };
  }

  private ids(): EventIds {
    return { tenant: 'local', client: 'belay-agent', task: this.spec.id, step: this.step };
  }

  private emit(body: EventBody): void {
    this.dependencies.emit(this.ids(), body);
  }
}
