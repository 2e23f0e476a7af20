// The borders of HFR 3.5 and every other safety rule of a decision, over a million random decisions. Each rule is said in the
// document's words and looks only at the facts and the answer; it calls nothing of what it checks.
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/core/recovery/decide.ts';
import type { Decision, DecisionInput, Substitute } from '../../src/core/recovery/decision.ts';
import { policies, policyFrom } from '../support/decisionInputs.ts';
import { seededRandom } from '../support/random.ts';
import { randomInput } from '../support/randomDecisions.ts';

/** A mutant is tried with fewer of them. */
const DECISIONS = Number(process.env.BELAY_DECISIONS ?? 1_000_000);
const SEED = 20_260_731;

type Rule = (input: DecisionInput, decision: Decision) => boolean;

const RUNG = { L0: 0, L1: 1, L2: 2, L3: 3, L4: 4 };
const CHECK = { V0: 0, V1: 1, V2: 2, V3: 3 };
const CHECK_OF_RUNG = { L0: 0, L1: 1, L2: 1, L3: 2, L4: 2 };
const CHECK_OF_CRITICALITY = { low: 1, medium: 2, high: 2 };
const DONE = new Set(['COMMITTED', 'RECONCILED_COMMITTED', 'COMPENSATED']);
const DEGRADATIONS = new Set(['DEGRADE_MODEL', 'DEGRADE_TOOL', 'DEGRADE_SCOPE']);
const STAND_INS = new Set(['other-candidate', 'other-account', 'alternate', 'lower', 'fallback']);
const RULE_ID = /^(T[1-8]|V1|unknown)\/[a-z-]+$/;
const ruleIds = new Set<string>();
const has = ({ fault }: DecisionInput, name: string): boolean => fault.class === name || fault.secondary === name;
const isWrite = ({ action }: DecisionInput): boolean => action.level !== 'R0';
const isInDoubt = ({ effect }: DecisionInput): boolean =>
  effect.entry === null || effect.entry === 'PREPARED' || effect.entry === 'UNKNOWN';
const isAbsent = ({ effect }: DecisionInput): boolean =>
  effect.entry === 'FAILED' || effect.entry === 'RECONCILED_ABSENT';
const isSure = ({ fault }: DecisionInput): boolean => fault.class !== 'unknown' && fault.confidence >= 0.5;
const isDegraded = ({ action }: Decision): boolean => DEGRADATIONS.has(action);
/** Executes the action, or one in its place, again. */
const isSentAgain = (decision: Decision): boolean =>
  decision.action === 'RETRY' || decision.action === 'COMPRESS' || isDegraded(decision);

function standIn({ options }: DecisionInput, { target }: Decision): Substitute | null {
  if (target === 'other-candidate') return options.otherCandidate;
  if (target === 'other-account') return options.otherAccount;
  if (target === 'alternate') return options.alternate;
  if (target === 'lower') return options.lower;
  return target === 'fallback' ? options.fallback : null;
}

const RULES: Readonly<Record<string, Rule>> = {
  'border 1: T7 is never retried': (input, { action }) => input.fault.class !== 'T7' || action !== 'RETRY',
  'border 1: T8 is handed to a person and never routed around': (input, decision) =>
    !has(input, 'T8') || (decision.action === 'ESCALATE' && decision.target === 'nobody' && decision.proposes === null),
  'a missing permission ends it': (input, { takes }) =>
    input.fault.class !== 'T7' || input.fault.detail !== 'permission' || takes === 0,
  'border 2: R3 is never done again by the program': (input, decision) =>
    input.action.level !== 'R3' || !isSentAgain(decision),
  'border 2: R2 is sent again only after RECONCILED_ABSENT': (input, { action }) =>
    input.action.level !== 'R2' ||
    (action !== 'RETRY' && action !== 'COMPRESS') ||
    input.effect.entry === 'RECONCILED_ABSENT',
  'what is committed or compensated is never made again': (input, decision) =>
    !isWrite(input) || !DONE.has(input.effect.entry ?? '') || !isSentAgain(decision),
  'a write in doubt is looked up, ended with a person, or (R1) repeated under its key': (input, { action }) =>
    !isWrite(input) ||
    !isInDoubt(input) ||
    action === 'RECONCILE' ||
    action === 'ESCALATE' ||
    (input.action.level === 'R1' && action === 'RETRY'),
  'T3 on a write is reconciled first where that is possible': (input, { action }) =>
    !isWrite(input) ||
    !has(input, 'T3') ||
    has(input, 'T8') ||
    !isInDoubt(input) ||
    !input.effect.canProbe ||
    input.effect.isProbed ||
    action === 'RECONCILE' ||
    (!isSure(input) && input.action.criticality === 'high' && action === 'ESCALATE'),
  'a probe is asked once an attempt, where there is one': (input, { action, rule }) =>
    action !== 'RECONCILE' || rule.endsWith('already-done') || (input.effect.canProbe && !input.effect.isProbed),
  'a read has nothing to reconcile': (input, { action }) => isWrite(input) || action !== 'RECONCILE',
  'T6 is never resent unchanged': (input, { action }) => !has(input, 'T6') || action !== 'RETRY',
  'compression only where it makes the request smaller': (input, { action }) =>
    action !== 'COMPRESS' || (input.options.canCompress && has(input, 'T6')),
  'a pinned model is never replaced': (input, decision) =>
    !input.action.isPinned ||
    (!isDegraded(decision) &&
      (decision.target === 'same' || !STAND_INS.has(decision.target) || decision.action === 'RETRY')),
  'a write goes only through an equal tool, and only where it surely did not happen': (input, decision) =>
    !isWrite(input) ||
    !isDegraded(decision) ||
    (decision.target === 'alternate' && input.options.alternate?.match === 'equivalent' && isAbsent(input)),
  'nothing expected below the quality floor stands in': (input, decision) => {
    const quality = standIn(input, decision)?.quality ?? null;
    return quality === null || quality >= input.qualityFloor;
  },
  'what stands in is there': (input, decision) => !STAND_INS.has(decision.target) || standIn(input, decision) !== null,
  'high criticality never goes below L2, medium never to L4, unasked': (input, { rung, target }) =>
    (target !== 'lower' && target !== 'fallback') ||
    input.action.criticality === 'low' ||
    (input.action.criticality === 'medium' && rung === 'L3'),
  'budget before action: what executes again has a token of each': ({ budget }, { takes }) =>
    takes === 0 || (budget.step >= 1 && budget.task >= 1 && budget.tenant >= 1),
  'everything that executes again takes a token, everything else none': (_, { action, target, takes }) => {
    const isFree = action === 'RECONCILE' || action === 'ESCALATE' || action === 'FAIL' || target === 'fallback';
    return takes === (isFree ? 0 : 1);
  },
  'it ends before the deadline': (input, decision) => {
    if (decision.takes === 0) return true;
    const { time } = input;
    const stepMs = decision.target === 'same' ? time.stepMs : (standIn(input, decision)?.estimateMs ?? 0);
    return time.nowMs + decision.waitMs + stepMs + time.verifyMs <= time.deadlineMs;
  },
  'stop conditions: K equal faults, two equal rejections, open breaker, the server said no': (input, decision) =>
    decision.action !== 'RETRY' ||
    ((input.evidence.sameFaults < input.policy.sameFaultLimit || input.evidence.hasNewEvidence) &&
      !(input.evidence.sameRejections >= 2) &&
      (decision.target !== 'same' || (input.breaker !== 'open' && !input.fault.isRetryForbidden))),
  'Retry-After is kept, the jitter too, except where a rejection has nothing to wait for': (input, decision) =>
    decision.action !== 'RETRY' ||
    decision.target !== 'same' ||
    decision.rule.startsWith('V1/') ||
    decision.waitMs >= Math.max(input.time.waitMs, input.fault.retryAfterMs ?? 0),
  'nobody waits for another candidate': (_, { target, waitMs }) => target === 'same' || waitMs === 0,
  'low confidence: critical work is handed on, a read is probed once': (input, { action, takes }) => {
    if (isSure(input) || has(input, 'T8')) return true;
    if (input.action.criticality === 'high') return action === 'ESCALATE';
    if (isWrite(input)) return true;
    if (!(input.fault.confidence > 0)) return action === 'ESCALATE' && takes === 0;
    return action !== 'RETRY' || input.evidence.sameFaults < 2;
  },
  'low confidence: a write is reconciled first where that is possible': (input, { action }) =>
    isSure(input) ||
    !isWrite(input) ||
    has(input, 'T8') ||
    input.action.criticality === 'high' ||
    !isInDoubt(input) ||
    !input.effect.canProbe ||
    input.effect.isProbed ||
    action === 'RECONCILE',
  'the ladder only goes down': (input, { rung }) => RUNG[rung] >= RUNG[input.action.rung],
  'the last rung is never drawn again': (input, { takes }) => input.action.rung !== 'L4' || takes === 0,
  'the check is at least that of the criticality and that of the rung': (input, { rung, check }) =>
    CHECK[check] >= CHECK_OF_RUNG[rung] && CHECK[check] >= CHECK_OF_CRITICALITY[input.action.criticality],
  'critical work never just fails; in preset plus nothing does': (input, { action }) =>
    action !== 'FAIL' || (input.action.criticality !== 'high' && input.policy.preset === 'document'),
  'an action fits its kind': (input, { action }) =>
    action !== (input.action.kind === 'model' ? 'DEGRADE_TOOL' : 'DEGRADE_MODEL'),
  'a person is only asked for a rung that the settings let a person allow': (input, { action, proposes }) =>
    proposes === null ||
    (action === 'ESCALATE' &&
      (input.action.level === 'R3' ? proposes !== 'L1' : input.action.criticality !== 'low' && proposes >= 'L3')),
  'it says which rule of which class, in which version': ({ policy }, { rule, reason, rulesVersion }) => {
    ruleIds.add(rule);
    return reason !== '' && rulesVersion === policy.version;
  },
};

describe('a million random decisions', () => {
  it('keep every border', () => {
    const random = seededRandom(SEED);
    const draw = (): number => random.next();
    const both = [
      policies.document,
      policies.plus,
      policyFrom({ recovery: { preset: 'plus' }, retry: { sameFaultLimit: 3 } }),
    ];
    const rules = Object.entries(RULES);
    const broken = new Map<string, string>();
    const actions = new Set<string>();
    for (let index = 0; index < DECISIONS; index++) {
      const input = randomInput(draw, both);
      const decision = decide(input);
      actions.add(decision.action);
      for (const [name, holds] of rules) {
        if (holds(input, decision) || broken.has(name)) continue;
        broken.set(
          name,
          `seed ${SEED}, decision ${index}: ${JSON.stringify({ input: { ...input, policy: input.policy.version }, decision })}`,
        );
      }
    }
    expect(Object.fromEntries(broken)).toEqual({});
    expect([...ruleIds].filter((rule) => !RULE_ID.test(rule))).toEqual([]);
    expect([...actions].sort()).toEqual([
      'COMPRESS',
      'DEGRADE_MODEL',
      'DEGRADE_SCOPE',
      'DEGRADE_TOOL',
      'ESCALATE',
      'FAIL',
      'RECONCILE',
      'REPLAN',
      'RETRY',
    ]);
  });
});
