// Breakers and bulkheads as the product has them: whole controllers, their windows and their store, on the virtual clock.
import { describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { ProviderEvent, ProviderPort } from '../../../src/engine/ports.ts';
import { protectedWorld } from '../../support/protectedWorld.ts';
import { observation } from '../../support/scriptedProvider.ts';

type Mood = 'well' | 'error' | 'limited' | 'overloaded' | 'refusing' | 'bad-request' | 'breaking' | 'silent';

/** Providers whose mood a test changes as it likes, and who was asked. */
function moody(moods: Record<string, Mood>) {
  const asked: { readonly provider: string; readonly atMs: number; readonly isProbe: boolean }[] = [];
  const open = { now: 0, most: 0 };
  const make = (clock: VirtualClock): ProviderPort => ({
    async *stream(request, candidate, signal): AsyncGenerator<ProviderEvent> {
      const mood = moods[candidate.providerId] ?? 'well';
      asked.push({ provider: candidate.providerId, atMs: clock.nowMs(), isProbe: request.maxOutputTokens === 1 });
      open.most = Math.max(open.most, ++open.now);
      try {
        await clock.sleep(mood === 'silent' ? 1e9 : 100, signal);
        const status = { error: 503, limited: 429, overloaded: 529, 'bad-request': 400 }[mood as 'error'] as
          number | undefined;
        if (status !== undefined) {
          const headers = mood === 'limited' ? { 'retry-after': '90' } : {};
          yield { failed: observation({ httpStatus: status, headers }) };
          return;
        }
        if (mood === 'refusing') {
          yield {
            parts: [
              { type: 'refusal-delta', text: 'no' },
              { type: 'finish', reason: 'refusal' },
            ],
          };
          return;
        }
        yield { parts: [{ type: 'response-start' }, { type: 'text-delta', text: 'so ' }] };
        await clock.sleep(100, signal);
        if (mood === 'breaking') {
          const clientError = { code: 'ECONNRESET' };
          yield { failed: observation({ httpStatus: 200, streamPhase: 'mid_stream', clientError }) };
          return;
        }
        yield {
          parts: [
            { type: 'text-delta', text: 'good' },
            { type: 'finish', reason: 'stop' },
          ],
        };
      } catch {
        // Aborted: the socket is closed.
      } finally {
        open.now--;
      }
    },
  });
  const count = (provider: string, isProbe = false): number =>
    asked.filter((each) => each.provider === provider && each.isProbe === isProbe).length;
  return { moods, asked, open, make, count };
}
const listed = { 'belay.routes': { any: { candidates: ['a/*', 'b/*'], order: 'listed' } } };
const noJitter = { breaker: { cooldownJitter: 0 } };

describe('an open breaker', () => {
  it('is never asked again: the next candidate answers at once, with no wait and no try at the broken one', async () => {
    const world = moody({ a: 'error' });
    const { clock, open } = protectedWorld(['a', 'b'], world.make, noJitter, listed);
    const window = await open();
    for (let n = 0; n < 4; n++) expect(await clock.run(window.call(`t${n}`))).toMatchObject({ isAnswered: true });
    expect(window.told('breaker-changed')).toMatchObject([{ target: 'model:a/main/m@default', to: 'open' }]);
    expect(window.controller.snapshot().breakers).toMatchObject([{ target: 'model:a/main/m@default', status: 'open' }]);
    for (let n = 0; n < 100; n++) {
      const end = await clock.run(window.call(`u${n}`));
      expect(end).toMatchObject({ isAnswered: true, candidate: 'b/main/m@default', attempts: 1, elapsedMs: 200 });
    }
    expect([world.count('a'), world.count('b')]).toEqual([4, 104]);
  });

  it('is probed once per cooldown with a question of one token, and used again after a good answer', async () => {
    const world = moody({ a: 'error' });
    const { clock, open } = protectedWorld(['a', 'b'], world.make, noJitter, listed);
    const window = await open();
    for (let n = 0; n < 4; n++) await clock.run(window.call(`t${n}`));
    await clock.advance(31_000);
    await clock.run(window.call('still broken'));
    await clock.advance(5000);
    expect([world.count('a'), world.count('a', true)]).toEqual([4, 1]);
    // The failed probe has doubled the cooldown.
    await clock.advance(40_000);
    await clock.run(window.call('too early'));
    expect(world.count('a', true)).toBe(1);
    world.moods.a = 'well';
    await clock.advance(30_000);
    await clock.run(window.call('probing'));
    await clock.advance(1000);
    expect(world.count('a', true)).toBe(2);
    expect(await clock.run(window.call('back'))).toMatchObject({ candidate: 'a/main/m@default' });
    expect(window.told('breaker-probed').map(({ isHealthy }) => isHealthy)).toEqual([false, true]);
    expect(window.controller.snapshot().breakers).toEqual([]);
  });

  it('stays as it was when the end of the session cuts its probe off', async () => {
    const world = moody({ a: 'error' });
    const { clock, open } = protectedWorld(['a', 'b'], world.make, noJitter, listed);
    const window = await open();
    for (let n = 0; n < 4; n++) await clock.run(window.call(`t${n}`));
    await clock.advance(31_000);
    world.moods.a = 'silent';
    await clock.run(window.call('probing'));
    const openings = (): number => window.told('breaker-changed').filter(({ to }) => to === 'open').length;
    const before = openings();
    await window.controller.dispose();
    await clock.advance(1000);
    expect(world.count('a', true)).toBe(1);
    expect(window.told('breaker-probed').map(({ isHealthy }) => isHealthy)).toEqual([null]);
    expect(openings()).toBe(before);
  });

  it('stops the retries of its own call, and the decision says why', async () => {
    const world = moody({ a: 'error' });
    const settings = { ...noJitter, retry: { sameFaultLimit: 9, maxAttemptsPerStep: 20 } };
    const { clock, open } = protectedWorld(['a'], world.make, settings);
    const window = await open();
    const end = await clock.run(window.call('t'));
    expect(end).toMatchObject({ isAnswered: false, attempts: 4 });
    const last = window.told('decision-made').at(-1);
    expect(last?.action).not.toBe('RETRY');
    expect(`${last?.rule} ${last?.reason}`).toMatch(/breaker/i);
    expect(world.count('a')).toBe(4);
  });

  it('makes a new call wait for the probe when there is nobody else, and answers it', async () => {
    const world = moody({ a: 'error' });
    const { clock, open } = protectedWorld(['a'], world.make, { breaker: { cooldownJitter: 0, waitMs: 45_000 } });
    const window = await open();
    for (let n = 0; n < 2; n++) await clock.run(window.call(`t${n}`));
    world.moods.a = 'well';
    const end = await clock.run(window.call('patient'));
    expect(end.isAnswered).toBe(true);
    expect(end.elapsedMs).toBeLessThanOrEqual(31_000);
    expect(world.count('a', true)).toBe(1);
    expect(window.told('decision-made').some(({ rule }) => rule === 'T4/breaker-wait')).toBe(true);
  });

  it('as shipped keeps only those waiting that come shortly before the probe: no crowd goes in when it closes', async () => {
    const world = moody({ a: 'error' });
    const { clock, open } = protectedWorld(['a'], world.make, noJitter);
    const window = await open();
    for (let n = 0; n < 2; n++) await clock.run(window.call(`t${n}`));
    world.moods.a = 'well';
    const { untilMs } = window.told('breaker-changed')[0]!;
    const before = world.asked.length;
    const early = await clock.run(Promise.all(Array.from({ length: 50 }, (_, n) => window.call(`early${n}`))));
    expect(early.filter(({ isAnswered, elapsedMs }) => !isAnswered && elapsedMs === 0)).toHaveLength(50);
    await clock.advance(untilMs! - 4000 - clock.nowMs());
    const late = await clock.run(window.call('late'));
    expect(late.isAnswered).toBe(true);
    expect(late.elapsedMs).toBeGreaterThanOrEqual(4000);
    expect(late.elapsedMs).toBeLessThanOrEqual(5000);
    expect(world.asked.length).toBe(before + 2);
  });

  it('lets few in when it closes, and more with each answer, however many wait', async () => {
    const world = moody({ a: 'error' });
    const crowd = { breaker: { cooldownJitter: 0, waitMs: 45_000 } };
    const mostAtOnce = async (bulkhead: { readonly isAdaptive: boolean }): Promise<readonly number[]> => {
      world.moods.a = 'error';
      const { clock, open } = protectedWorld(['a'], world.make, { ...crowd, bulkhead });
      const window = await open();
      for (let n = 0; n < 2; n++) await clock.run(window.call(`t${n}`));
      world.moods.a = 'well';
      world.open.most = 0;
      const waiting = Promise.all(Array.from({ length: 60 }, (_, n) => window.call(`w${n}`)));
      const { untilMs } = window.told('breaker-changed')[0]!;
      const at: number[] = [];
      // The probe takes 200 ms, and so does each round of answers.
      await clock.advance(untilMs! + 350 - clock.nowMs());
      for (let round = 0; round < 3; round++) {
        at.push(world.open.most);
        await clock.advance(200);
      }
      expect((await clock.run(waiting)).every(({ isAnswered }) => isAnswered)).toBe(true);
      return at;
    };
    const [first, second, third] = await mostAtOnce({ isAdaptive: true });
    // Of four places one is kept for high criticality.
    expect(first).toBeLessThanOrEqual(4);
    expect(second).toBeGreaterThan(first!);
    expect(second).toBeLessThanOrEqual(8);
    expect(third).toBeGreaterThan(second!);
    expect((await mostAtOnce({ isAdaptive: false }))[0]).toBe(60);
  });

  it('fails a call that cannot wait so long, at once and in words that say why', async () => {
    const world = moody({ a: 'error' });
    const { clock, open } = protectedWorld(['a'], world.make, { breaker: { cooldownJitter: 0, waitMs: 0 } });
    const window = await open();
    for (let n = 0; n < 2; n++) await clock.run(window.call(`t${n}`));
    const before = world.asked.length;
    const end = await clock.run(window.call('t9'));
    expect(end).toMatchObject({ isAnswered: false, elapsedMs: 0, attempts: 0 });
    expect(end.message).toContain('closed off');
    expect(world.asked.length).toBe(before);
  });

  it('is open in every window that shares the store', async () => {
    const world = moody({ a: 'error' });
    const { clock, open } = protectedWorld(['a', 'b'], world.make, noJitter, listed);
    const [one, two] = [await open(1), await open(2)];
    for (let n = 0; n < 4; n++) await clock.run(one.call(`t${n}`));
    await clock.advance(1100);
    await clock.run(two.call('warm-up'));
    const before = world.count('a');
    await clock.run(two.call('elsewhere'));
    expect(world.count('a')).toBe(before);
    expect(two.told('breaker-changed')).toMatchObject([{ to: 'open' }]);
  });
});

describe('what opens a breaker', () => {
  const after = async (mood: Mood, times: number): Promise<{ opened: readonly string[]; asked: number }> => {
    const world = moody({ a: mood });
    const { clock, open } = protectedWorld(['a', 'b'], world.make, noJitter, listed);
    const window = await open();
    for (let n = 0; n < times; n++) await clock.run(window.call(`t${n}`));
    return { opened: window.told('breaker-changed').map(({ target }) => target), asked: world.count('a') };
  };

  it('three answers in a row that break off after their first content', async () => {
    expect(await after('breaking', 3)).toMatchObject({ opened: ['model:a/main/m@default'], asked: 3 });
  });

  it('an overloaded model, alone: its provider may have others', async () => {
    expect((await after('overloaded', 6)).opened).toEqual(['model:a/main/m@default']);
  });

  it('a model that fails by itself, alone: five errors in a row close nothing else of its provider', async () => {
    const world = moody({ a: 'well' });
    const { clock, open } = protectedWorld(['a', 'b'], world.make, noJitter, listed);
    const window = await open();
    for (let n = 0; n < 20; n++) await clock.run(window.call(`t${n}`));
    world.moods.a = 'error';
    await clock.run(Promise.all(Array.from({ length: 5 }, (_, n) => window.call(`e${n}`))));
    expect(window.told('breaker-changed').map(({ target }) => target)).toEqual(['model:a/main/m@default']);
  });

  it('rate limits, for provider and model, until the time that was asked for', async () => {
    const world = moody({ a: 'limited' });
    const { clock, open } = protectedWorld(['a', 'b'], world.make, noJitter, listed);
    const window = await open();
    // At the same time: one after the other only the first would ask it, who wants to be left alone.
    const ends = await clock.run(Promise.all([0, 1, 2, 3].map((n) => window.call(`t${n}`))));
    expect(ends.every(({ isAnswered }) => isAnswered)).toBe(true);
    await clock.run(window.call('later'));
    expect(world.count('a')).toBe(4);
    const opened = window.told('breaker-changed').filter(({ target }) => target.includes('a/main'));
    expect(opened.map(({ target }) => target).sort()).toEqual(['model:a/main/m@default', 'provider:a/main']);
    for (const { untilMs } of opened) expect(untilMs).toBeGreaterThanOrEqual(90_000);
  });

  it.each(['refusing', 'bad-request'] as const)('never %s: that says nothing of the upstream', async (mood) => {
    expect((await after(mood, 12)).opened).toEqual([]);
  });

  it('never a caller that goes away', async () => {
    const world = moody({ a: 'silent' });
    const { clock, open } = protectedWorld(['a'], world.make, noJitter);
    const window = await open();
    for (let n = 0; n < 12; n++) {
      const gone = new AbortController();
      void clock.sleep(500).then(() => gone.abort());
      await clock.run(window.call(`t${n}`, {}, gone.signal));
    }
    expect(window.told('breaker-changed')).toEqual([]);
    expect(world.open.now).toBe(0);
  });
});

describe('a tenant', () => {
  const forced = Object.fromEntries(
    ['a', 'b'].flatMap((name) => [
      [`model:${name}/main/m@default`, 'closed'],
      [`provider:${name}/main`, 'closed'],
    ]),
  );
  const quiet = { breaker: { cooldownJitter: 0, waitMs: 0, forced } };

  it('whose calls fail wherever they go is held back itself, and another one is not', async () => {
    const world = moody({ a: 'error', b: 'error' });
    const { clock, open } = protectedWorld(['a', 'b'], world.make, quiet);
    const window = await open();
    for (let n = 0; n < 4; n++) await clock.run(window.call(`t${n}`));
    expect(window.told('breaker-changed')).toMatchObject([{ target: 'tenant:t', to: 'open' }]);
    expect(await clock.run(window.call('t9'))).toMatchObject({ isAnswered: false, attempts: 0 });
    expect((await clock.run(window.call('u', { tenant: 'u' }))).attempts).toBeGreaterThan(0);
    world.moods.a = 'well';
    await clock.advance(31_000);
    // A tenant is probed by a call of its own.
    expect(await clock.run(window.call('t10'))).toMatchObject({ isAnswered: true });
    expect(window.told('breaker-changed').at(-1)).toMatchObject({ target: 'tenant:t', to: 'closed' });
  });

  it('is not held back for one provider that fails, nor for callers that wait too short', async () => {
    const world = moody({ a: 'error' });
    const one = protectedWorld(['a'], world.make, quiet);
    const window = await one.open();
    for (let n = 0; n < 8; n++) await one.clock.run(window.call(`t${n}`));
    expect(window.told('breaker-changed')).toEqual([]);
    const silent = moody({ a: 'silent', b: 'silent' });
    const two = protectedWorld(['a', 'b'], silent.make, quiet);
    const other = await two.open();
    for (let n = 0; n < 8; n++) {
      const end = await two.clock.run(other.call(`t${n}`, { deadlineMs: two.clock.nowMs() + 1 }));
      expect(end.isAnswered).toBe(false);
    }
    expect(other.told('breaker-changed').filter(({ target }) => target === 'tenant:t')).toEqual([]);
  });

  it('is well again at the first content, however long the answer goes on', async () => {
    const world = moody({ a: 'error', b: 'error' });
    const { clock, open } = protectedWorld(['a', 'b'], world.make, quiet);
    const window = await open();
    for (let n = 0; n < 4; n++) await clock.run(window.call(`t${n}`));
    world.moods.a = 'well';
    world.moods.b = 'well';
    await clock.advance(31_000);
    const long = window.call('long');
    // The first content comes after 100 ms, the end after 200.
    await clock.advance(150);
    expect(window.told('breaker-changed').at(-1)).toMatchObject({ target: 'tenant:t', to: 'closed' });
    expect((await clock.run(long)).isAnswered).toBe(true);
  });
});

describe('a bulkhead', () => {
  const small = { bulkhead: { perProvider: 2, reservedShare: 0 } };

  it('lets so many streams run at one provider and the others go to the next, low criticality soonest', async () => {
    const world = moody({ a: 'silent' });
    const { clock, open } = protectedWorld(
      ['a', 'b'],
      world.make,
      { ...small, scheduler: { balanced: { firstTokenMinMs: 60_000, firstTokenMaxMs: 60_000 } } },
      listed,
    );
    const window = await open();
    const gone = new AbortController();
    const holders = [1, 2].map((n) => window.call(`hold${n}`, {}, gone.signal));
    await clock.advance(10);
    const low = await clock.run(window.call('low', { criticality: 'low' }));
    expect(low).toMatchObject({ isAnswered: true, candidate: 'b/main/m@default', elapsedMs: 1200 });
    expect(world.count('a')).toBe(2);
    expect(window.told('attempt-withheld')).toMatchObject([{ why: 'waited-too-long' }]);
    gone.abort();
    await clock.run(Promise.all(holders));
    expect((await clock.run(window.call('after'))).elapsedMs).toBeLessThan(61_000);
    expect(world.open.now).toBe(0);
  });

  it('keeps all calls in order behind a slow provider, and gives every place back', async () => {
    const world = moody({ a: 'well' });
    const { clock, open } = protectedWorld(['a'], world.make, small);
    const window = await open();
    const ends = await clock.run(Promise.all(Array.from({ length: 20 }, (_, n) => window.call(`t${n}`))));
    expect(ends.every((end) => end.isAnswered)).toBe(true);
    expect(world.open).toEqual({ now: 0, most: 2 });
    expect(window.told('place-waited').length).toBeGreaterThan(0);
  });
});
