// Who may reconcile an entry now: one holder at a time, whatever window or process it is in (HFR document 4.5, last paragraph).
// Decides from the stored row and the request alone; the store makes it atomic. The token fences late writers off: a holder
// whose lease ran out and was taken by another carries an older token (the fencing token of distributed locks).

/** A lease as it is stored. A key without a row is free. */
export interface LeaseRow {
  readonly key: string;
  readonly holder: string;
  readonly token: number;
  readonly expiresAtMs: number;
}

/** The store port's `LeaseRequest` has this shape. */
export interface LeaseWish {
  readonly key: string;
  readonly holder: string;
  readonly nowMs: number;
  readonly ttlMs: number;
}

/** What the request is answered, and the row to save; null: the stored one stays as it is. */
export type LeaseDecision =
  | { readonly granted: true; readonly save: LeaseRow }
  | { readonly granted: false; readonly holder: string; readonly expiresAtMs: number };

/** No lease lasts longer, so that neither a slip of the caller nor a clock that was set wrong blocks an entry for good. */
export const MAX_LEASE_MS = 3_600_000;

/** Has the lease run out at `nowMs`? One that ends further away than any lease may last was written by a wrong clock. */
export function isLeaseOver({ expiresAtMs }: LeaseRow, nowMs: number): boolean {
  return !(expiresAtMs > nowMs && expiresAtMs - nowMs <= MAX_LEASE_MS);
}

/**
 * Grants a free key, an expired lease, or the holder's own lease (with the same token); refuses while another holds it.
 * `lastToken` is the highest token given so far for whatever key: a new holder gets the next one. `ttlMs` is cut to
 * 0..MAX_LEASE_MS and to whole milliseconds; one that is no number counts as 0.
 */
export function decideLease(row: LeaseRow | null, lastToken: number, wish: LeaseWish): LeaseDecision {
  const nowMs = Math.trunc(wish.nowMs);
  if (row && row.holder !== wish.holder && !isLeaseOver(row, nowMs)) {
    return { granted: false, holder: row.holder, expiresAtMs: row.expiresAtMs };
  }
  const ttlMs = Math.trunc(Math.min(Math.max(Number.isNaN(wish.ttlMs) ? 0 : wish.ttlMs, 0), MAX_LEASE_MS));
  const token = row?.holder === wish.holder ? row.token : lastToken + 1;
  return { granted: true, save: { key: wish.key, holder: wish.holder, token, expiresAtMs: nowMs + ttlMs } };
}
