// The day's spending as it is saved: one figure for each window that has spent something on that day. Each window writes its own
// figure only, so that nobody has to lock anything: an overwritten one is written again by its window.
import * as z from 'zod';

/** Name of the document in the store. */
export const SPENDING_DOCUMENT = 'spending';

const amount = z.number().min(0).max(1e12);
const figure = z.object({ usd: amount, extraUsd: amount });
const documentSchema = z.object({
  version: z.literal(1),
  /** As `dayOf` counts them. */
  day: z.int(),
  windows: z.record(z.string(), figure),
});

/** Dollars of one day. `extraUsd`: what of it did not become an answer, as losers, failures and pings do not. */
export type DayFigure = Readonly<z.infer<typeof figure>>;

/** What was spent on a day (UTC, `dayOf`), by window. */
export interface SpendingDocument {
  readonly day: number;
  readonly windows: Readonly<Record<string, DayFigure>>;
}

/** A saved document; null for what is none, or one of a later version. */
export function readSpendingDocument(text: string): SpendingDocument | null {
  const parsed = documentSchema.safeParse(parsedJson(text));
  return parsed.success ? parsed.data : null;
}

/** The document as it is saved. */
export function spendingDocument({ day, windows }: SpendingDocument): string {
  return JSON.stringify({ version: 1, day, windows });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
