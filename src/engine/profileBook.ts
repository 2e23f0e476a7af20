// What was learned of every candidate and model, in memory, loaded from and saved to the store as one named document.
// A document that cannot be read is left alone and reported; Belay then starts from nothing known.
import * as z from 'zod';
import type { Candidate, CandidateId } from '../core/candidate.ts';
import type { RequestContext } from '../core/context.ts';
import type { EventBody } from '../core/events.ts';
import { plainMismatch } from '../core/modelNames.ts';
import {
  forgetModel,
  recordFailedCall,
  recordOutcome,
  recordQuality,
  recordRoundTrip,
  unknownProfile,
  type AttemptOutcome,
  type CandidateProfile,
  type FailedCallReading,
} from '../core/scheduler/profile.ts';
import type { Settings } from '../core/settings.ts';
import { noServedMemory, observeServed, type ServedMemory } from '../core/servedModel.ts';
import { CHAR_KINDS } from '../core/textSize.ts';
import type { ClockPort, StorePort } from './ports.ts';
import { TokenBook, type Correction, type EndedAttempt } from './tokenBook.ts';

const DOCUMENT = 'profiles';
/** Profiles are worth little each: at most one save in so many ms, and one at the end. */
const SAVE_EVERY_MS = 5000;
/** Profiles that are kept, those that were learned of last: candidates come and go with the settings. */
const MOST_PROFILES = 512;
/** Mismatches that were told are remembered for this session, so many of them. */
const MOST_TOLD = 200;

const profileSchema = z.object({
  version: z.literal(1),
  quality: z.record(z.string(), z.object({ alpha: z.number().positive(), beta: z.number().positive() })),
  attempts: z.number().min(0),
  internalFailures: z.number().min(0),
  linkFailures: z.number().min(0),
  successes: z.number().min(0),
  meanTotalMs: z.number().min(0),
  meanFirstTokenMs: z.number().min(0),
  bandwidth: z.number().min(0),
  jitter: z.number().min(0),
  // Those with a default came later: a document without them is read as it was.
  rttMs: z.number().min(0).default(0),
  meanBytes: z.number().min(0),
  meanReceivedBytes: z.number().min(0).default(0),
  meanTokens: z.number().min(0).default(0),
  coolUntilMs: z.number().min(0),
});
const servedSchema = z.object({
  model: z.string().nullable(),
  earlier: z.array(z.string()),
  returns: z.int().min(0),
  fingerprints: z.array(z.string()),
  learned: z.int().min(0),
  fresh: z.array(z.string()),
});
const perKind = z.array(z.number().min(0)).length(CHAR_KINDS.length);
const estimatorSchema = z.object({
  version: z.literal(1),
  samples: z.array(z.object({ chars: perKind, tokens: z.number().positive(), trust: z.number().positive().max(1) })),
  rates: perKind,
  noise: z.number().positive(),
});
const firstSchema = z.record(z.string(), profileSchema);
const documentSchema = z.object({
  version: z.literal(2),
  profiles: firstSchema,
  /** By candidate. */
  served: z.record(z.string(), servedSchema),
  /** By model. */
  tokens: z.record(z.string(), estimatorSchema),
});
type Saved = z.infer<typeof documentSchema>;

/** Of the call that an attempt belongs to, what its learning depends on. */
interface LearningCall {
  readonly settings: Pick<Settings, 'mode' | 'advanced'>;
  readonly context: Pick<RequestContext, 'role'>;
}

/** How a failed call is taken: the reading is a matter of literal HACO, elsewhere a failure is no judgement (study 2.9). */
export function failedCallReading({ mode, advanced }: LearningCall['settings']): FailedCallReading {
  return mode === 'literal' ? advanced.scheduler.failedCallReading : 'B';
}

export class ProfileBook {
  readonly tokens = new TokenBook();
  private profiles: Readonly<Record<CandidateId, CandidateProfile>> = {};
  private served: Readonly<Record<CandidateId, ServedMemory>> = {};
  private readonly told = new Set<string>();
  private isChanged = false;
  private isSaving = false;

  get all(): Readonly<Record<CandidateId, CandidateProfile>> {
    return this.profiles;
  }

  /** Learns how an attempt of a call ended. */
  record(id: CandidateId, outcome: AttemptOutcome, { settings, context }: LearningCall): void {
    const next = recordOutcome(this.profiles[id] ?? unknownProfile, outcome);
    this.set(id, recordFailedCall(next, context.role, outcome, failedCallReading(settings)));
  }

  recordQuality(id: CandidateId, role: string, q: number, weight = 1): void {
    this.set(id, recordQuality(this.profiles[id] ?? unknownProfile, role, q, weight));
  }

  /**
   * Learns how the model counts and who served, from an attempt that has ended whichever way; before `record`, so that the
   * first answer of a new model is the first of its new profile. Returns what is to be told of it.
   */
  ended(attempt: EndedAttempt): readonly Correction[] {
    const { ids, candidate, figures } = attempt;
    const { rttMs } = figures;
    if (rttMs !== null) this.set(candidate.id, recordRoundTrip(this.profiles[candidate.id] ?? unknownProfile, rttMs));
    // A model that has changed is forgotten before its first count is learned.
    const news = [...this.mismatch(candidate, figures), ...this.modelChange(candidate, figures)];
    const corrections = this.tokens.ended(attempt);
    if (figures.basis?.usage) this.isChanged = true;
    return [...news.map((body) => ({ ids, body })), ...corrections];
  }

  private modelChange(
    candidate: Candidate,
    { askedModel, servedModel, fingerprint }: EndedAttempt['figures'],
  ): readonly EventBody[] {
    // Where the caller names the model, another name each time is no change.
    if (candidate.model.includes('{model}') || (servedModel === null && fingerprint === null)) return [];
    const { id } = candidate;
    const { memory, change } = observeServed(this.served[id] ?? noServedMemory, askedModel, {
      model: servedModel,
      fingerprint,
    });
    this.served = { ...this.served, [id]: memory };
    this.isChanged = true;
    if (!change) return [];
    this.set(id, forgetModel(this.profiles[id] ?? unknownProfile));
    this.tokens.forget(askedModel);
    return [{ type: 'model-changed', candidate: id, ...change }];
  }

  private mismatch({ id }: Candidate, { askedModel, servedModel }: EndedAttempt['figures']): readonly EventBody[] {
    const why = servedModel === null ? null : plainMismatch(askedModel, servedModel);
    const key = `${id} ${askedModel} ${servedModel}`;
    if (why === null || servedModel === null || this.told.has(key)) return [];
    if (this.told.size >= MOST_TOLD) this.told.clear();
    this.told.add(key);
    const message = `${id} was asked for ${askedModel}, and the answer says that ${servedModel} served it (${why}).`;
    const remedy =
      'Check the model name and what the account may use; until then its answers are those of the other model.';
    return [{ type: 'notice', severity: 'warning', message, remedy }];
  }

  private set(id: CandidateId, profile: CandidateProfile): void {
    const isNew = !Object.hasOwn(this.profiles, id);
    const { [id]: _before, ...others } = this.profiles;
    // Last in the order of its keys is what was learned of last.
    this.profiles = { ...others, [id]: profile };
    const oldest =
      isNew && Object.keys(this.profiles).length > MOST_PROFILES ? Object.keys(this.profiles)[0] : undefined;
    if (oldest !== undefined) {
      const { [oldest]: _gone, ...kept } = this.profiles;
      this.profiles = kept;
    }
    this.isChanged = true;
  }

  /** Reads what an earlier session learned; a message when it could not be used. */
  async load(store: StorePort): Promise<string | null> {
    const document = await store.document(DOCUMENT);
    if (!document.ok) return document.error.message;
    if (document.value === null) return null;
    try {
      const { profiles, served, tokens } = upgraded(JSON.parse(document.value));
      this.profiles = { ...profiles, ...this.profiles };
      this.served = { ...served, ...this.served };
      this.tokens.restore(tokens);
      return null;
    } catch {
      return 'the saved candidate profiles could not be read; Belay learns them anew';
    }
  }

  /** Saves within a few seconds; a save that is already planned covers this change too. */
  saveSoon(store: StorePort, clock: ClockPort, shutdown: AbortSignal): void {
    if (this.isSaving || !this.isChanged) return;
    this.isSaving = true;
    const saved = clock.sleep(SAVE_EVERY_MS, shutdown).then(() => this.save(store));
    // Aborted by the shutdown, which saves itself; a store that fails costs what was learned, nothing else.
    saved
      .catch(() => undefined)
      .finally(() => {
        this.isSaving = false;
      });
  }

  async save(store: StorePort): Promise<void> {
    if (!this.isChanged) return;
    this.isChanged = false;
    const { profiles, served } = this;
    const document = { version: 2, profiles, served, tokens: this.tokens.all };
    await store.saveDocument(DOCUMENT, JSON.stringify(document));
  }
}

/** The document in its present form. The first form was the profiles alone, by candidate. */
function upgraded(saved: unknown): Saved {
  const isFirst = typeof saved === 'object' && saved !== null && !('version' in saved);
  return isFirst
    ? { version: 2, profiles: firstSchema.parse(saved), served: {}, tokens: {} }
    : documentSchema.parse(saved);
}
