// Replicas of one request that answer differently: how much they differ, whose answer is taken, and what is learned from it. The rule
// is "best verified, else review": a majority alone is no proof, since replicas of one model err alike. It runs no check itself and
// holds no answer. Source: the redundant-execution text (seed 004), 4.3 and 5.2 (record, resolve, review, feed back).
import type { CandidateId } from '../../candidate.ts';
import type { CheckLevel, EventBody } from '../../events.ts';
import type { QualityEvidence } from '../balanced/types.ts';
import { redundancyConstants, type RedundancyConstants } from './constants.ts';
import { normalisedAnswer, type ReplicaAnswer } from './normalised.ts';

/** One replica's answer and what its check said. */
export interface AnsweredReplica {
  readonly candidate: CandidateId;
  readonly answer: ReplicaAnswer;
  /** Null: it was not checked. */
  readonly verification: {
    readonly check: CheckLevel;
    readonly passed: boolean;
    readonly quality: number | null;
  } | null;
}

/** Places of replicas whose answers are the same, the largest group first; of equals the one that answered first. */
export type Groups = readonly (readonly number[])[];

/**
 * Groups of answers; null where they cannot be compared: fewer than two, or words alone. Words beside tool calls do differ from them,
 * and as nothing says that they agree with each other, each is a group of its own.
 */
export function groupsOf(replicas: readonly Pick<AnsweredReplica, 'answer'>[]): Groups | null {
  const forms = replicas.map(({ answer }) => normalisedAnswer(answer));
  if (forms.length < 2 || forms.every((form) => form === null)) return null;
  const groups = new Map<string, number[]>();
  for (const [place, form] of forms.entries()) {
    const key = form ?? `words:${place}`;
    groups.set(key, [...(groups.get(key) ?? []), place]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** Share of the pairs that differ, 0 (all the same) to 1 (no two the same). Worked: groups of 2 and 1: 2 of 3 pairs, .667. */
export function disagreementOf(groups: Groups): number {
  const count = groups.reduce((sum, group) => sum + group.length, 0);
  const pairs = (of: number): number => (of * (of - 1)) / 2;
  if (count < 2) return 0;
  return 1 - groups.reduce((sum, group) => sum + pairs(group.length), 0) / pairs(count);
}

/** What is recorded of a comparison: the event, and the judgements that quality learns from. No answers. */
export interface Comparison {
  readonly event: Extract<EventBody, { type: 'replicas-compared' }>;
  /** Place of the replica whose answer is taken; null: a person decides. */
  readonly chosen: number | null;
  readonly evidence: readonly { readonly candidate: CandidateId; readonly evidence: QualityEvidence }[];
}

const ORDER: Readonly<Record<CheckLevel, number>> = { V0: 0, V1: 1, V2: 2, V3: 3 };

/**
 * Compares the answers, in the order in which they came; null where they cannot be compared.
 *
 *   all the same                                 -> agree: the best verified of them, else the first
 *   one is verified, or one verified best        -> best-verified
 *   two verified alike that differ, or none is   -> review
 *
 * Verified means passed at V1 or above: V0 looks at transport only and passes for any answer.
 */
export function compareReplicas(
  replicas: readonly AnsweredReplica[],
  constants: RedundancyConstants = redundancyConstants,
): Comparison | null {
  const groups = groupsOf(replicas);
  if (!groups) return null;
  const { chosen, outcome, reason } = resolve(replicas, groups);
  const candidateAt = (place: number): CandidateId => replicas[place]?.candidate ?? '';
  return {
    event: {
      type: 'replicas-compared',
      groups: groups.map((group) => group.map(candidateAt)),
      disagreement: disagreementOf(groups),
      outcome,
      chosen: chosen === null ? null : candidateAt(chosen),
      reason,
    },
    chosen,
    evidence: evidenceOf(replicas, groups, chosen, constants),
  };
}

interface Resolved {
  readonly chosen: number | null;
  readonly outcome: 'agree' | 'best-verified' | 'review';
  readonly reason: string;
}

function resolve(replicas: readonly AnsweredReplica[], groups: Groups): Resolved {
  const verified = replicas.flatMap((replica, place) => (isVerified(replica) ? [place] : []));
  const best = verified.reduce<number | null>(
    (leader, place) => (leader === null || rank(replicas[place], replicas[leader]) > 0 ? place : leader),
    null,
  );
  if (groups.length === 1) return { chosen: best ?? 0, outcome: 'agree', reason: 'all replicas say the same' };
  if (best === null) return { chosen: null, outcome: 'review', reason: 'the replicas differ and none is verified' };
  const own = groups.find((group) => group.includes(best));
  const isTied = verified.some((place) => own?.includes(place) !== true && rank(replicas[place], replicas[best]) === 0);
  if (isTied)
    return { chosen: null, outcome: 'review', reason: 'the replicas differ and two of them are verified alike' };
  return { chosen: best, outcome: 'best-verified', reason: 'the replicas differ and this one is verified best' };
}

function isVerified({ verification }: AnsweredReplica): boolean {
  return verification?.passed === true && ORDER[verification.check] >= ORDER.V1;
}

/** By check, then by quality; a quality that is not known, or not a number, is the least. Above 0: `one` is better. */
function rank(one: AnsweredReplica | undefined, other: AnsweredReplica | undefined): number {
  const checkOf = (replica: AnsweredReplica | undefined): number => ORDER[replica?.verification?.check ?? 'V0'];
  const qualityOf = (replica: AnsweredReplica | undefined): number => {
    const quality = replica?.verification?.quality ?? -1;
    return quality >= 0 ? quality : -1;
  };
  return checkOf(one) - checkOf(other) || qualityOf(one) - qualityOf(other);
}

/**
 * Against those who differ from a majority that is verified. What was checked itself says more, passed or failed, and is told by its
 * verifier: it is not judged a second time here.
 */
function evidenceOf(
  replicas: readonly AnsweredReplica[],
  groups: Groups,
  chosen: number | null,
  { minorityWeight: weight }: RedundancyConstants,
): Comparison['evidence'] {
  const majority = groups.find((group) => group.length * 2 > replicas.length);
  if (chosen === null || majority?.includes(chosen) !== true) return [];
  return replicas.flatMap((replica, place) => {
    const isChecked = replica.verification !== null && ORDER[replica.verification.check] >= ORDER.V1;
    if (majority.includes(place) || isChecked) return [];
    return [{ candidate: replica.candidate, evidence: { source: 'semantic-fault', q: 0, weight } as const }];
  });
}
