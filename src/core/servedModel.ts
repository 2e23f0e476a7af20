// Notices that a candidate's model was changed behind its name, from what answers say served them (model, fingerprint).
// A name that becomes more specific is no change, nor are fingerprints that flicker between the machines of one deployment;
// who hides both is never suspected. It only tells: what a change does to a profile is core/scheduler/profile's.
import { isChooser, plainName, sameModel } from './modelNames.ts';

/** What answers of one candidate have said so far. Saved. All names plain, all lists bounded, newest last. */
export interface ServedMemory {
  /** The model that serves now; null: never said. */
  readonly model: string | null;
  /** Models that served before, the present one left out. */
  readonly earlier: readonly string[];
  /** Answers in a row that an earlier model served again. */
  readonly returns: number;
  readonly fingerprints: readonly string[];
  /** Answers whose fingerprints were learned before any of them can be strange; counts up to `LEARNING_ANSWERS`. */
  readonly learned: number;
  /** Fingerprints never seen before, of the last answers in a row. */
  readonly fresh: readonly string[];
}

/** What one answer says of who served it. Null: it does not say. */
export interface ServedBy {
  readonly model: string | null;
  readonly fingerprint: string | null;
}

export interface ModelChange {
  readonly from: string;
  readonly to: string;
  /** For a person. */
  readonly why: string;
}

/** Nothing was said yet. */
export const noServedMemory: ServedMemory = {
  model: null,
  earlier: [],
  returns: 0,
  fingerprints: [],
  learned: 0,
  fresh: [],
};

/** So many answers in a row with fingerprints never seen before are another deployment, not a machine that joined it. */
export const FINGERPRINT_PATIENCE = 8;
/** So many answers in a row from an earlier model are a return to it, not a rollout between two. */
export const RETURN_PATIENCE = 8;

/** Answers from which the fingerprints of a deployment are learned, before a new one can be strange. */
const LEARNING_ANSWERS = 16;
const MOST_EARLIER = 8;
const MOST_FINGERPRINTS = 32;

/** Takes in what an answer said. `asked`: the name that the candidate was asked for. */
export function observeServed(
  memory: ServedMemory,
  asked: string,
  served: ServedBy,
): { readonly memory: ServedMemory; readonly change: ModelChange | null } {
  // One of many models is asked for: each answer may come from another.
  if (isChooser(plainName(asked))) return { memory, change: null };
  const name = served.model === null ? '' : plainName(served.model);
  const byName = name === '' ? { memory, change: null } : observeName(memory, name);
  const { fingerprint } = served;
  if (fingerprint === null || fingerprint === '') return byName;
  const both = observeFingerprint(byName.memory, fingerprint);
  return { memory: both.memory, change: byName.change ?? both.change };
}

type Observed = ReturnType<typeof observeServed>;

function observeName(memory: ServedMemory, name: string): Observed {
  const { model, earlier } = memory;
  if (model === null) return { memory: { ...memory, model: name }, change: null };
  const specific = sameModel(model, name);
  if (specific !== null) return { memory: { ...memory, model: specific, returns: 0 }, change: null };
  if (earlier.includes(name) && memory.returns + 1 < RETURN_PATIENCE)
    return { memory: { ...memory, returns: memory.returns + 1 }, change: null };
  const others = [...earlier.filter((other) => other !== name), model].slice(-MOST_EARLIER);
  return {
    memory: { ...noServedMemory, model: name, earlier: others },
    change: { from: model, to: name, why: 'answers say that another model serves' },
  };
}

function observeFingerprint(memory: ServedMemory, fingerprint: string): Observed {
  const { fingerprints, fresh } = memory;
  const keep = (more: readonly string[]): readonly string[] =>
    [...fingerprints.filter((known) => !more.includes(known)), ...new Set(more)].slice(-MOST_FINGERPRINTS);
  // The first ones are learned, and so is whatever came between answers of the known deployment.
  const isLearning = memory.learned < LEARNING_ANSWERS;
  if (isLearning || fingerprints.includes(fingerprint)) {
    const learned = Math.min(LEARNING_ANSWERS, memory.learned + 1);
    return { memory: { ...memory, fingerprints: keep([...fresh, fingerprint]), learned, fresh: [] }, change: null };
  }
  const streak = [...fresh, fingerprint];
  if (streak.length < FINGERPRINT_PATIENCE) return { memory: { ...memory, fresh: streak }, change: null };
  // Nearly each answer with one of its own: it marks answers, not deployments.
  const distinct = new Set(streak);
  if (distinct.size > FINGERPRINT_PATIENCE / 2)
    return { memory: { ...memory, fingerprints: keep(streak), fresh: [] }, change: null };
  return {
    memory: { ...memory, fingerprints: [...distinct], fresh: [] },
    change: {
      from: fingerprints.at(-1) ?? '',
      to: fingerprint,
      why: `the last ${FINGERPRINT_PATIENCE} answers carry fingerprints never seen before`,
    },
  };
}
