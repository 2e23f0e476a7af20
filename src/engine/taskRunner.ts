// Belay's own small agent loop: plan, act, observe, verify, over one goal. The model proposes; every effect goes through the
// guard and the ledger (agentTools); the goal counts as reached only when its success command has really passed. It moves
// through the control states of table 9 (taskWalk); how it ends is a decision's word (taskEnd), never a class of fault.
import type { ChatMessage, ChatRequest, ToolCallPart, ToolResultPart } from '../core/chat.ts';
import type { EventIds, RequestContext } from '../core/context.ts';
import type { EventBody } from '../core/events.ts';
import { isEditTool } from '../core/guard/editTools.ts';
import { finalAcceptance } from '../core/recovery/acceptance.ts';
import type { EvidencePack, TaskState } from '../core/recovery/checkpoint.ts';
import { recoveryPolicy, type RecoveryPolicy } from '../core/recovery/presets.ts';
import { settingsVersion } from '../core/recovery/settingsVersion.ts';
import { agentToolSpecs } from './agentToolSpecs.ts';
import type { AgentTools, ToolOutcome, ToolScope } from './agentTools.ts';
import { collectAnswer, type CollectedAnswer } from './answer.ts';
import type { CallFailure, CallSummary } from './call.ts';
import {
  callsOf,
  CUT_CALL,
  firstLine,
  isFinish,
  malformed,
  maskedOutcome,
  MAX_OUTPUT_TOKENS,
  NO_TOOL,
  SYSTEM,
} from './taskCalls.ts';
import { TaskChecks } from './taskChecks.ts';
import { checkpointedStore, checkpointRow, isMaskedCall, saveCheckpoint } from './taskCheckpoint.ts';
import { endOfFailure, evidencePack, ledgerFacts, type Ending, type PackWords } from './taskEnd.ts';
import { TaskFigures } from './taskFigures.ts';
import { askAboutRefusal, driftNotice, illegalMoveNotice } from './taskNotices.ts';
import type { TaskDependencies, TaskOutcome, TaskSpec } from './taskSpec.ts';
import { standIns } from './taskStandIns.ts';
import { TaskWalk } from './taskWalk.ts';
import { verifiers } from './verifiers.ts';

export type { TaskDependencies, TaskOutcome, TaskSpec } from './taskSpec.ts';

/** Answers without a tool call in a row before the task is given up. */
const MAX_IDLE_ANSWERS = 2;
/** Answers in a row that the output limit may end inside a tool call. */
const MAX_CUT_CALLS = 2;

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

/** Null: it goes on. */
type StepResult = Ending | null;

class TaskRun {
  private readonly dependencies: TaskDependencies;
  private readonly spec: TaskSpec;
  private readonly signal: AbortSignal;
  private readonly from: TaskState | null;
  private readonly policy: RecoveryPolicy;
  private readonly versions: { readonly policyVersion: string; readonly settingsVersion: string };
  private readonly tools: AgentTools;
  private readonly checks: TaskChecks;
  private readonly figures: TaskFigures;
  private readonly walk: TaskWalk;
  private readonly messages: ChatMessage[];
  /** Of the present turn's tool calls, so far. */
  private results: ToolResultPart[];
  private status: TaskState['status'] = 'running';
  private step: number;
  private idleAnswers: number;
  private cutCalls = 0;
  /** Who wrote the last edit: the next test run is evidence of its quality. */
  private lastEditor: string | null;
  private escalation: EvidencePack | null;

  constructor(dependencies: TaskDependencies, spec: TaskSpec, signal: AbortSignal, from: TaskState | null) {
    this.dependencies = dependencies;
    this.spec = spec;
    this.signal = signal;
    this.from = from;
    const { ports, settings, budgets, newId } = dependencies;
    const { workspace, env } = spec;
    this.policy = recoveryPolicy(settings.advanced);
    this.versions = { policyVersion: this.policy.version, settingsVersion: settingsVersion(settings) };
    this.figures = new TaskFigures(from);
    this.walk = new TaskWalk(dependencies.onIllegalMove ?? ((...move) => this.emit(illegalMoveNotice(...move))));
    this.tools = dependencies.makeTools(checkpointedStore(ports.store, spec.id, () => this.state()));
    const run: AgentTools['run'] = (request, scope) => this.tools.run(request, scope);
    this.checks = new TaskChecks(
      {
        ports,
        verifiers: verifiers({ ports, run, workspace, env, settings: settings.advanced.verification, newId }),
        budgets,
        settings,
        spec,
        newId,
        others: () => this.others(),
        answerMs: () => this.figures.answerMs,
        beforeEscalation: (escalation) =>
          this.pack({ ...escalation, proposal: 'look at the result and say whether it is good' }),
      },
      from,
    );
    this.messages = from ? [...from.messages] : [{ role: 'user', content: [{ type: 'text', text: spec.goal }] }];
    this.results = from ? [...from.results] : [];
    this.step = from?.step ?? 0;
    this.idleAnswers = from?.idleAnswers ?? 0;
    this.lastEditor = from?.lastEditor ?? null;
    this.escalation = from?.escalation ?? null;
  }

  /** Where the task stands, as it is saved. */
  private state(): TaskState {
    const { goal, model, successCommand, criticality, workspace, deadlineMs } = this.spec;
    const { status, step, messages, results, idleAnswers, lastEditor, escalation } = this;
    const { qualityFloor } = this;
    const asked = { goal, model, successCommand, criticality, workspace, deadlineMs, qualityFloor, ...this.versions };
    const used = { ...this.figures.saved(), ...this.checks.saved(), idleAnswers, lastEditor };
    return { status, ...asked, step, messages, results, ...used, control: this.walk.state, escalation };
  }

  /** A checkpoint of its own, where no ledger entry carries one. A store that refuses stops no reading (DESIGN, Defaults). */
  private async save(): Promise<void> {
    const saved = await saveCheckpoint(this.dependencies.ports.store, this.spec.id, this.state());
    if (saved.ok) return;
    const remedy = 'The task goes on; after a crash it cannot be resumed from here.';
    this.emit({ type: 'notice', severity: 'warning', message: saved.error.message, remedy });
  }

  /** Saves everything a person needs before the task is handed over (5.4). */
  private async pack({ rule, reason, evidence, proposal }: PackWords): Promise<void> {
    const { clock, store } = this.dependencies.ports;
    const at = { atMs: clock.nowMs(), step: this.step };
    this.escalation = await evidencePack(store, this.spec.id, at, { rule, reason, evidence, proposal });
    await this.save();
  }

  async run(): Promise<TaskOutcome> {
    await this.dependencies.budgets.resume(this.spec.id, () => checkpointRow(this.spec.id, this.state()));
    this.emit({ type: 'task-started', goal: this.spec.goal });
    const drift = driftNotice(this.spec.id, this.from, this.versions);
    if (drift) this.emit(drift);
    this.walk.to('RUN_STEP');
    await this.save();
    const unfinished = await this.resumedTurn();
    if (unfinished) return this.finish(unfinished);
    const maxSteps = this.dependencies.settings.advanced.limits.agentMaxSteps;
    while (this.step < maxSteps) {
      this.step++;
      if (this.walk.state !== 'RUN_STEP') this.walk.to('RUN_STEP');
      for (const side of this.spec.sideSteps ?? []) if (side.beforeStep === this.step) await this.sideStep(side.prompt);
      const result = await this.oneStep();
      if (result) return this.finish(result);
    }
    if (this.walk.state !== 'RUN_STEP') this.walk.to('RUN_STEP');
    this.walk.to('OBSERVE', 'CLASSIFY', 'CHECK', 'DECIDE', 'ESCALATE');
    const proposal = 'raise belay.advanced.limits.agentMaxSteps, or split the goal';
    return this.finish({ outcome: 'escalated', rule: null, evidence: `not done after ${maxSteps} steps`, proposal });
  }

  private async oneStep(): Promise<StepResult> {
    const answer = await this.ask(this.messages);
    this.walk.to('OBSERVE');
    if (!answer.ok) return this.onNoAnswer(answer.failure);
    const { summary } = answer;
    this.figures.answer = { rung: summary.rung, candidate: answer.candidate };
    if (summary.outcome === 'refused') return this.onRefusal(answer.text);
    this.walk.to('VERIFY');
    // Of an answer that was cut off inside its only call nothing may be left, and an empty message is none.
    if (answer.message.content.length > 0) this.messages.push(answer.message);
    this.emit({
      type: 'step-started',
      title: firstLine(answer.text) || answer.toolCalls.map((call) => call.name).join(', '),
    });
    this.cutCalls = answer.isCutInCall ? this.cutCalls + 1 : 0;
    // The answer is paid for: a crash from here on must not ask for it again, nor forget at which rung it was given.
    await this.save();
    if (answer.toolCalls.length === 0) return answer.isCutInCall ? this.onCutCall() : this.onIdle();
    this.idleAnswers = 0;
    const result = await this.finishTurn(summary);
    if (result || this.walk.state !== 'VERIFY') return result;
    if (answer.isCutInCall) return this.onCutCall();
    this.walk.to('ACCEPT');
    return null;
  }

  /** What an earlier run of the task has left of its last turn. */
  private async resumedTurn(): Promise<StepResult> {
    const last = this.messages.at(-1);
    const hasTurn = callsOf(last).length > 0 || (last?.role === 'tool' && callsOf(this.messages.at(-2)).some(isFinish));
    if (!hasTurn) return null;
    this.walk.to('OBSERVE', 'VERIFY');
    const result = await this.finishTurn();
    if (!result && this.walk.state === 'VERIFY') this.walk.to('ACCEPT');
    return result;
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
    return calls.some(isFinish) ? this.verify() : null;
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
    const avoid = this.figures.avoidedCandidates;
    const options = { policy: 'hold' as const, ...(avoid.length > 0 ? { avoid } : {}) };
    const answer = await collectAnswer(this.dependencies.complete(request, this.context(), options, this.signal));
    const summary = answer.ok ? answer.summary : answer.failure?.summary;
    if (summary) this.figures.count(summary);
    return answer;
  }

  /** `summary`: the call that asked; absent where an earlier run of the task made it. */
  private async act(call: ToolCallPart, summary?: CallSummary): Promise<ToolOutcome> {
    const { requestId, attempt = null } = summary ?? {};
    const asked = requestId === undefined ? {} : { call: requestId };
    const ids = { ...asked, ...(attempt === null ? {} : { attempt }), toolCall: call.id };
    const scope = this.scope(ids);
    const { rung = 'L0', candidate = null } = this.figures.answer ?? {};
    const isEdit = isEditTool(call.name);
    if (isEdit) await this.checks.beforeEdit(scope);
    const { clock } = this.dependencies.ports;
    const startedAtMs = clock.nowMs();
    const outcome = await this.tools.execute(call, { ...scope, rung });
    if (isEdit && !outcome.isError) {
      this.lastEditor = candidate;
      const { text, isChecked } = await this.checks.afterEdit(rung, scope);
      this.figures.edited(call.id, isChecked);
      return { ...outcome, text: outcome.text + text };
    }
    if (outcome.effect === 'command' && outcome.level !== 'R0') this.checks.wrote(rung);
    const isTest = outcome.effect === 'command' && outcome.command === this.spec.successCommand;
    if (isTest && outcome.exitCode !== undefined) {
      if (outcome.exitCode !== null) this.checks.measured(clock.nowMs() - startedAtMs);
      this.learnQuality(outcome.exitCode === 0);
    }
    return outcome;
  }

  /** A test run after an edit says how good the edit was; without an edit it says nothing of a model. */
  private learnQuality(isPassed: boolean): void {
    if (this.lastEditor !== null)
      this.dependencies.learnQuality(this.lastEditor, 'coder', { source: 'verifier', q: isPassed ? 1 : 0 });
    this.lastEditor = null;
  }

  /** Who may make the result that those before have not made well enough. */
  private others(): ReturnType<typeof standIns> {
    const { route, profiles } = this.dependencies;
    const tried = [...this.figures.avoidedCandidates, ...this.figures.resultMakers()];
    return standIns(route(this.spec.model), tried, this.context(), profiles, this.policy);
  }

  /** The model says that it is done: the checks say whether it is. A rejection goes back to it as evidence. */
  private async verify(): Promise<StepResult> {
    this.dependencies.budgets.reachEnd(this.spec.id);
    const verdict = await this.checks.final(this.scope({}));
    this.learnQuality(verdict.isMended);
    if (verdict.kind === 'again') {
      this.walk.to('DECIDE', verdict.isElsewhere ? 'DEGRADE' : 'RETRY_WAIT');
      if (verdict.isElsewhere) this.figures.avoid(this.figures.resultMakers());
      this.messages.push({ role: 'user', content: [{ type: 'text', text: verdict.text }] });
      await this.save();
      return null;
    }
    const { evidence } = verdict;
    if (verdict.kind === 'escalated') {
      this.walk.to('DECIDE', 'ESCALATE');
      const proposal = 'read the evidence, then go on by hand or start a task with a stronger model';
      return { outcome: 'escalated', rule: verdict.rule, evidence, proposal };
    }
    this.walk.to('ACCEPT');
    return { outcome: 'success', rule: null, evidence, isReviewOpen: verdict.isReviewOpen };
  }

  /** The call that was cut off is not made and not asked for again in the same size: the model goes on in parts. */
  private onCutCall(): StepResult {
    const evidence = `the model's tool calls were cut off by the output limit ${this.cutCalls} times in a row`;
    return this.planAgain(this.cutCalls > MAX_CUT_CALLS, CUT_CALL, evidence);
  }

  private onIdle(): StepResult {
    this.idleAnswers++;
    return this.planAgain(this.idleAnswers > MAX_IDLE_ANSWERS, NO_TOOL, 'the model stopped using its tools');
  }

  /** The answer does not carry the task on: the model is told how it may, as long as that is of use. */
  private planAgain(isOver: boolean, text: string, evidence: string): StepResult {
    this.walk.to('DECIDE', isOver ? 'ESCALATE' : 'REPLAN');
    if (isOver)
      return { outcome: 'escalated', rule: null, evidence, proposal: 'try a stronger model, or a smaller goal' };
    this.messages.push({ role: 'user', content: [{ type: 'text', text }] });
    return null;
  }

  private onNoAnswer(failure: CallFailure | null): StepResult {
    if (!failure) return { outcome: 'escalated', rule: null, evidence: 'cancelled', isInterrupted: true };
    const ending = endOfFailure(failure, this.spec.criticality, this.policy);
    this.walk.to('CLASSIFY', 'CHECK', 'DECIDE', ending.outcome === 'escalated' ? 'ESCALATE' : 'FAIL');
    return ending;
  }

  /** T8 in the main line: surfaced, never asked again in other words. */
  private onRefusal(text: string): StepResult {
    this.walk.to('CLASSIFY', 'CHECK', 'DECIDE', 'ESCALATE');
    const said = firstLine(text);
    const evidence = `The model refused by policy${said === '' ? '.' : `: ${said}`}`;
    return { outcome: 'escalated', rule: 'T8/refusal', evidence, proposal: 'ask differently, or decide yourself' };
  }

  /** A request of its own, with only its prompt. A refusal is put before a person; the main line goes on either way. */
  private async sideStep(prompt: string): Promise<void> {
    const answer = await this.ask([{ role: 'user', content: [{ type: 'text', text: prompt }] }]);
    const isRefused = answer.ok ? answer.summary.outcome === 'refused' : answer.failure?.fault?.class === 'T8';
    if (!isRefused) return;
    const { newId, ports } = this.dependencies;
    const title = `The model refused: ${firstLine(prompt)}`;
    const reason = answer.ok && answer.text !== '' ? answer.text.slice(0, 300).toWellFormed() : 'refused by policy';
    const proposal = 'decide whether the request beside the main line is left out';
    await this.pack({ rule: 'T8/refusal', reason: title, evidence: reason, proposal });
    const emit = (body: EventBody): void => this.emit(body);
    const question = { id: newId('question'), title, reason };
    await askAboutRefusal(ports, question, this.spec.deadlineMs, emit, this.signal);
  }

  private async finish(ending: Ending): Promise<TaskOutcome> {
    const { outcome, rule, evidence, proposal = '', isReviewOpen = false, isInterrupted = false } = ending;
    if (outcome === 'escalated' && !isInterrupted) await this.pack({ rule, reason: evidence, evidence, proposal });
    const facts = { unlabelled: this.figures.missingLabels, openReviews: isReviewOpen ? 1 : 0 };
    const ledger = await ledgerFacts(this.dependencies.ports.store, this.spec.id);
    const { isClean: clean, reasons } = finalAcceptance({ isAccepted: outcome === 'success', ...ledger, ...facts });
    const reason = [evidence, ...reasons].join('; ');
    this.emit({ type: 'task-finished', outcome, clean, reason });
    // A task that was cancelled may be gone on with; one that has its end may not.
    if (!this.signal.aborted && !isInterrupted) {
      this.walk.to('DONE');
      this.status = 'finished';
    }
    await this.save();
    const { attempts, degraded, costUsd } = this.figures;
    return { task: this.spec.id, outcome, clean, steps: this.step, attempts, degraded, costUsd, evidence: reason };
  }

  private scope(ids: Pick<EventIds, 'call' | 'attempt' | 'toolCall'>): ToolScope {
    const emit = (body: EventBody): void => this.dependencies.emit({ ...this.ids(), ...ids }, body);
    return { context: this.context(), ids, emit, signal: this.signal };
  }

  /** q_min: the task's own, else that of the settings. */
  private get qualityFloor(): number {
    const { qualityFloor, criticality } = this.spec;
    return qualityFloor ?? this.dependencies.settings.advanced.qualityFloor[criticality];
  }

  private context(): RequestContext {
    const { criticality, deadlineMs } = this.spec;
    const { qualityFloor } = this;
    const { expectedMs: verifyMs } = this.checks;
    return { ...this.ids(), role: 'coder', criticality, qualityFloor, deadlineMs, verifyMs };
  }

  private ids(): Pick<RequestContext, 'tenant' | 'client' | 'task' | 'step'> {
    return { tenant: 'local', client: 'belay-agent', task: this.spec.id, step: this.step };
  }

  private emit(body: EventBody): void {
    this.dependencies.emit(this.ids(), body);
  }
}
