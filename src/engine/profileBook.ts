// What was learned of every candidate, in memory, loaded from and saved to the store as one named document.
// A document that cannot be read is left alone and reported; Belay then starts from nothing known.
import * as z from 'zod';
import type { CandidateId } from '../core/candidate.ts';
import {
  recordOutcome,
  recordQuality,
  unknownProfile,
  type AttemptOutcome,
  type CandidateProfile,
} from '../core/scheduler/profile.ts';
import type { ClockPort, StorePort } from './ports.ts';

const DOCUMENT = 'profiles';
/** Profiles are worth little each: at most one save in so many ms, and one at the end. */
const SAVE_EVERY_MS = 5000;

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
  meanBytes: z.number().min(0),
  coolUntilMs: z.number().min(0),
});
const documentSchema = z.record(z.string(), profileSchema);

export class ProfileBook {
  private profiles: Readonly<Record<CandidateId, CandidateProfile>> = {};
  private isChanged = false;
  private isSaving = false;

  get all(): Readonly<Record<CandidateId, CandidateProfile>> {
    return this.profiles;
  }

  record(id: CandidateId, outcome: AttemptOutcome): void {
    this.set(id, recordOutcome(this.profiles[id] ?? unknownProfile, outcome));
  }

  recordQuality(id: CandidateId, role: string, q: number): void {
    this.set(id, recordQuality(this.profiles[id] ?? unknownProfile, role, q));
  }

  private set(id: CandidateId, profile: CandidateProfile): void {
    this.profiles = { ...this.profiles, [id]: profile };
    this.isChanged = true;
  }

  /** Reads what an earlier session learned; a message when it could not be used. */
  async load(store: StorePort): Promise<string | null> {
    const document = await store.document(DOCUMENT);
    if (!document.ok) return document.error.message;
    if (document.value === null) return null;
    try {
      this.profiles = { ...documentSchema.parse(JSON.parse(document.value)), ...this.profiles };
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
    await store.saveDocument(DOCUMENT, JSON.stringify(this.profiles));
  }
}
