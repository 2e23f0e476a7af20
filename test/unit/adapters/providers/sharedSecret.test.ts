import { describe, expect, it } from 'vitest';
import { sharedSecret } from '../../../../src/adapters/providers/sharedSecret.ts';

interface Secret {
  readonly name: string;
  readonly expiresAtMs: number | null;
}

const { signal } = new AbortController();

/** Fetches that are answered one by one. */
function fetches(): {
  readonly fetch: (signal: AbortSignal) => Promise<Secret | null>;
  readonly open: { readonly answer: (secret: Secret | null) => void; readonly signal: AbortSignal }[];
} {
  const open: ReturnType<typeof fetches>['open'] = [];
  return {
    open,
    fetch: (asked) => {
      const { promise, resolve } = Promise.withResolvers<Secret | null>();
      open.push({ answer: resolve, signal: asked });
      return promise;
    },
  };
}

describe('a shared secret', () => {
  it('is fetched once for all who ask at a time, and kept until a minute before its end', async () => {
    let nowMs = 0;
    const { fetch, open } = fetches();
    const secret = sharedSecret(() => nowMs, fetch);
    const asked = [secret.get(signal), secret.get(signal), secret.get(signal)];
    expect(open.length).toBe(1);
    open[0]?.answer({ name: 'first', expiresAtMs: 100_000 });
    expect((await Promise.all(asked)).map((each) => each?.name)).toEqual(['first', 'first', 'first']);
    nowMs = 39_999;
    expect((await secret.get(signal))?.name).toBe('first');
    nowMs = 40_000;
    void secret.get(signal);
    expect(open.length).toBe(2);
  });

  it('is asked for every time where its source keeps it itself, and where there is none', async () => {
    const { fetch, open } = fetches();
    const secret = sharedSecret(() => 0, fetch);
    for (const [i, answer] of [{ name: 'a', expiresAtMs: null }, null, { name: 'b', expiresAtMs: null }].entries()) {
      const asked = secret.get(signal);
      open[i]?.answer(answer);
      expect(await asked).toBe(answer);
    }
    expect(open.length).toBe(3);
  });

  it('is forgotten when it is dropped, but not its successor', async () => {
    const { fetch, open } = fetches();
    const secret = sharedSecret(() => 0, fetch);
    const first = secret.get(signal);
    open[0]?.answer({ name: 'first', expiresAtMs: 1e9 });
    const old = await first;
    if (old) secret.drop(old);
    const second = secret.get(signal);
    open[1]?.answer({ name: 'second', expiresAtMs: 1e9 });
    await second;
    if (old) secret.drop(old);
    expect((await secret.get(signal))?.name).toBe('second');
    expect(open.length).toBe(2);
  });

  it('fails for all who wait when its fetch fails, and is fetched again afterwards', async () => {
    let count = 0;
    const secret = sharedSecret<Secret>(
      () => 0,
      () => {
        count++;
        return Promise.reject(new Error('offline'));
      },
    );
    const both = await Promise.allSettled([secret.get(signal), secret.get(signal)]);
    expect(both.map((each) => each.status)).toEqual(['rejected', 'rejected']);
    await expect(secret.get(signal)).rejects.toThrow('offline');
    expect(count).toBe(2);
  });

  it('gives up a fetch that hangs, also where somebody always waits for it', async () => {
    const { fetch, open } = fetches();
    const secret = sharedSecret(() => 0, fetch, 5);
    const asked = [secret.get(signal), secret.get(signal)];
    for (const each of asked) await expect(each).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(open[0]?.signal.aborted).toBe(true);
    const again = secret.get(signal);
    open[1]?.answer({ name: 'late', expiresAtMs: 1e9 });
    expect((await again)?.name).toBe('late');
    // What the first fetch still brings is nobody's.
    open[0]?.answer({ name: 'stale', expiresAtMs: 1e9 });
    expect((await secret.get(signal))?.name).toBe('late');
  });

  it('leaves one asker by its abort, and gives the fetch up with the last of them', async () => {
    const { fetch, open } = fetches();
    const secret = sharedSecret(() => 0, fetch);
    const [one, other] = [new AbortController(), new AbortController()];
    const asked = [secret.get(one.signal), secret.get(other.signal)];
    one.abort();
    await expect(asked[0]).rejects.toThrow();
    expect(open[0]?.signal.aborted).toBe(false);
    other.abort();
    await expect(asked[1]).rejects.toThrow();
    expect(open[0]?.signal.aborted).toBe(true);
    void secret.get(signal);
    expect(open.length).toBe(2);
    await expect(secret.get(AbortSignal.abort())).rejects.toThrow();
  });
});
