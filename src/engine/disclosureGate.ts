// The first gate of disclosure (DESIGN 16): who of a call's candidates may be used now, and the questions that are open.
// The verdict is core/disclosure/permit; here it is asked with the settings and answers of this very moment. One question a
// scope, one at a time, whoever waits for it; a call waits only while nobody may serve it, within its deadline.
import type { Candidate } from '../core/candidate.ts';
import type { Role } from '../core/chat.ts';
import type { EventIds } from '../core/context.ts';
import { permit, scopeKey, type DisclosureScope, type Permission } from '../core/disclosure/permit.ts';
import type { Settings } from '../core/settings.ts';
import { DisclosureBook } from './disclosureBook.ts';
import type { Emit } from './eventLog.ts';
import type { Answer, Ports, Question } from './ports.ts';

/** What the gate needs. `settings` gives those of now, not of the start of a call. */
export interface GateDependencies {
  readonly ports: Pick<Ports, 'clock' | 'store' | 'approval' | 'workspace'>;
  readonly settings: () => Settings;
  readonly emit: Emit;
  readonly newId: (prefix: string) => string;
  readonly shutdown: AbortSignal;
}

/** Who wants to be let in. */
export interface AdmissionInput {
  readonly candidates: readonly Candidate[];
  readonly role: Role;
  /** Ids of the call, for the events of a question. */
  readonly ids: EventIds;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** A candidate that stays outside, and why. `ask`: nobody has answered yet. */
export interface Blocked {
  readonly candidate: Candidate;
  readonly permission: Exclude<Permission, { readonly status: 'allowed' }>;
}

export interface Admission {
  readonly allowed: readonly Candidate[];
  readonly blocked: readonly Blocked[];
}

export class DisclosureGate {
  private readonly dependencies: GateDependencies;
  private readonly book: DisclosureBook;
  private readonly asking = new Set<string>();
  private lastQuestion: Promise<void> = Promise.resolve();
  /** Resolved and replaced whenever a verdict may have changed. */
  private change = Promise.withResolvers<undefined>();

  constructor(dependencies: GateDependencies) {
    this.dependencies = dependencies;
    this.book = new DisclosureBook(dependencies.ports.store, dependencies.ports.workspace);
  }

  /** Loads the remembered answers; a message when they could not be used. */
  load(): Promise<string | null> {
    return this.book.load();
  }

  /** The verdict of this moment. */
  permission(candidate: Candidate, role: Role): Permission {
    return permit(candidate, role, this.dependencies.settings(), this.book);
  }

  /** To be called after settings have changed: whoever waits looks again. */
  changed(): void {
    const { resolve } = this.change;
    this.change = Promise.withResolvers();
    resolve(undefined);
  }

  /** Forgets every answer; the next call asks again. */
  async forget(): Promise<{ readonly count: number; readonly trouble: string | null }> {
    const result = await this.book.forget();
    this.changed();
    return result;
  }

  /**
   * Asks about those that need it and tells who may serve. Returns at once where somebody may or nothing is left to ask;
   * else when that is so, or at the deadline or abort.
   */
  async admit(input: AdmissionInput): Promise<Admission> {
    const { clock } = this.dependencies.ports;
    for (;;) {
      const change = this.change.promise;
      const { admission, open } = this.look(input);
      for (const [candidate, scope] of open) this.ask(candidate, scope, input);
      const leftMs = input.deadlineMs - clock.nowMs();
      const isDone = admission.allowed.length > 0 || open.length === 0 || leftMs <= 0 || input.signal.aborted;
      if (isDone) return admission;
      const timer = new AbortController();
      const passed = clock.sleep(leftMs, AbortSignal.any([input.signal, timer.signal])).catch(() => undefined);
      await Promise.race([change, passed]);
      timer.abort();
    }
  }

  private look({ candidates, role }: AdmissionInput): {
    readonly admission: Admission;
    readonly open: readonly (readonly [Candidate, DisclosureScope])[];
  } {
    const allowed: Candidate[] = [];
    const blocked: Blocked[] = [];
    const open: (readonly [Candidate, DisclosureScope])[] = [];
    for (const candidate of candidates) {
      const permission = this.permission(candidate, role);
      if (permission.status === 'allowed') allowed.push(candidate);
      else blocked.push({ candidate, permission });
      if (permission.status === 'ask') open.push([candidate, permission.scope]);
    }
    return { admission: { allowed, blocked }, open };
  }

  /** Puts the question into the queue, unless it is there already. It outlives the call that needed it first. */
  private ask(candidate: Candidate, scope: DisclosureScope, { role, ids }: AdmissionInput): void {
    const key = scopeKey(scope);
    if (this.asking.has(key)) return;
    this.asking.add(key);
    const asked = this.lastQuestion.then(async () => {
      // A rule may have decided while others were asked about.
      const isOpen = !this.dependencies.shutdown.aborted && this.permission(candidate, role).status === 'ask';
      if (isOpen) await this.askPerson(scope, ids);
    });
    this.lastQuestion = asked
      .catch(() => undefined)
      .then(() => {
        this.asking.delete(key);
        this.changed();
      });
  }

  private async askPerson(scope: DisclosureScope, ids: EventIds): Promise<void> {
    const { emit, newId, ports } = this.dependencies;
    const question = questionOf(newId('question'), scope, ports.workspace?.name ?? null);
    emit(ids, { type: 'question-asked', question: question.id, title: question.title, level: null });
    const answer = await this.answerTo(question);
    const { choice, by, isForWorkspace = false } = answer;
    emit(ids, { type: 'question-answered', question: question.id, answer: choice, by });
    // The end of the session is no answer.
    if (this.dependencies.shutdown.aborted) return;
    const saved = this.book.record(scope, choice, isForWorkspace);
    // The answer holds from now on; nobody waits for the store.
    this.changed();
    const trouble = await saved;
    if (trouble === null) return;
    emit(ids, {
      type: 'notice',
      severity: 'warning',
      message: `Your answer about ${scope.vendor} could not be saved: ${trouble}`,
      remedy: 'It holds for this session; you are asked again in the next one.',
    });
  }

  private async answerTo(question: Question): Promise<Answer> {
    const { shutdown, ports } = this.dependencies;
    const ended = Promise.withResolvers<Answer>();
    const end = (): void => ended.resolve({ choice: 'deny', note: 'Belay ended', by: 'belay' });
    shutdown.addEventListener('abort', end, { once: true });
    try {
      return await Promise.race([ports.approval.ask(question, shutdown), ended.promise]);
    } catch {
      // A dialog that broke has asked nobody: no answer is a deny.
      return { choice: 'deny', note: 'the question could not be asked', by: 'belay' };
    } finally {
      shutdown.removeEventListener('abort', end);
    }
  }
}

function questionOf(id: string, scope: DisclosureScope, workspace: string | null): Question {
  const { vendor, region, residency, role } = scope;
  const place = residency === null ? 'where it is processed is not known for sure' : `processed in ${residency}`;
  return {
    id,
    kind: 'disclosure',
    title: `May ${vendor} (${region}) get code of ${workspace ?? 'this window'}?`,
    level: null,
    reasons: [`Region ${region}: ${place}.`, `It is needed for the role ${role}.`],
    targets: [],
    disclosure: { ...scope, workspace },
  };
}
