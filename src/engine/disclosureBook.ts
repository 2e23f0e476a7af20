// What the person answered about disclosure: allows of this workspace in the store's document, all else for this session.
// A document that cannot be read counts as no answer, so that the person is asked again; it never counts as an allow.
import * as z from 'zod';
import { scopeKey, type DisclosureScope, type RememberedAnswers } from '../core/disclosure/permit.ts';
import { sha256Hex } from '../core/ledger/key.ts';
import type { StorePort, WorkspacePort } from './ports.ts';

const documentSchema = z.object({
  version: z.literal(1),
  allowed: z.array(
    z.object({
      vendor: z.string(),
      region: z.string(),
      residency: z.string().nullable(),
      role: z.string(),
    }),
  ),
});

/** Answers by scope. `load` first; `get` before it knows nothing, which asks. */
export class DisclosureBook implements RememberedAnswers {
  private readonly store: StorePort;
  private readonly document: string;
  private readonly session = new Map<string, 'allow' | 'deny'>();
  private readonly kept = new Map<string, DisclosureScope>();
  private lastSave: Promise<unknown> = Promise.resolve();

  constructor(store: StorePort, workspace: WorkspacePort | undefined) {
    this.store = store;
    this.document = `disclosure-${workspace ? sha256Hex(workspace.key.toWellFormed()).slice(0, 32) : 'none'}`;
  }

  get(key: string): 'allow' | 'deny' | undefined {
    return this.session.get(key) ?? (this.kept.has(key) ? 'allow' : undefined);
  }

  /** Reads what earlier sessions allowed; a message when it could not be used. */
  async load(): Promise<string | null> {
    const document = await this.store.document(this.document);
    if (!document.ok) return `The remembered answers about disclosure could not be read: ${document.error.message}`;
    if (document.value === null) return null;
    try {
      const { allowed } = documentSchema.parse(JSON.parse(document.value));
      for (const scope of allowed) this.kept.set(scopeKey(scope), scope);
      return null;
    } catch {
      return 'The remembered answers about disclosure are damaged.';
    }
  }

  /** Takes an answer in; a message when an allow of this workspace could not be saved (it then holds for the session). */
  async record(scope: DisclosureScope, answer: 'allow' | 'deny', isForWorkspace: boolean): Promise<string | null> {
    const key = scopeKey(scope);
    this.session.set(key, answer);
    if (answer === 'deny' || !isForWorkspace) return null;
    this.kept.set(key, scope);
    return this.save((stored) => [...stored.filter((each) => scopeKey(each) !== key), scope]);
  }

  /** Forgets everything; how many answers there were, or why the store still has them. */
  async forget(): Promise<{ readonly count: number; readonly trouble: string | null }> {
    const count = new Set([...this.session.keys(), ...this.kept.keys()]).size;
    this.session.clear();
    this.kept.clear();
    return { count, trouble: await this.save(() => []) };
  }

  /**
   * One save after the other. Another window may have written meanwhile: what the store has now is changed, not what this one
   * remembers of it, so that nothing comes back that was forgotten there.
   */
  private save(change: (stored: readonly DisclosureScope[]) => readonly DisclosureScope[]): Promise<string | null> {
    const saved = this.lastSave.then(async () => {
      const text = JSON.stringify({ version: 1, allowed: change(await this.stored()) });
      const result = await this.store.saveDocument(this.document, text);
      return result.ok ? null : result.error.message;
    });
    this.lastSave = saved.catch(() => undefined);
    return saved;
  }

  /** What the store has; nothing where it cannot be read. */
  private async stored(): Promise<readonly DisclosureScope[]> {
    const document = await this.store.document(this.document);
    if (!document.ok || document.value === null) return [];
    try {
      return documentSchema.parse(JSON.parse(document.value)).allowed;
    } catch {
      return [];
    }
  }
}
