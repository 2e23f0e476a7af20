// What may fail in an expected way, as a value.

/** A value or the reason there is none. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };
