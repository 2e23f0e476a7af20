import { afterEach, describe, expect, it, vi } from 'vitest';
import { realClock } from '../../../../src/adapters/time/realClock.ts';
import { virtualClock } from '../../../../src/adapters/time/virtualClock.ts';
import type { ClockPort } from '../../../../src/engine/ports.ts';

/** The contract of the clock port; `pass` lets the sleeper's time go by. */
function clockContract(
  name: string,
  make: () => { clock: ClockPort; pass: <T>(work: Promise<T>) => Promise<T> },
): void {
  describe(`the ${name} clock`, () => {
    it('wakes a sleeper not before its time', async () => {
      const { clock, pass } = make();
      const from = clock.nowMs();
      await pass(clock.sleep(20));
      expect(clock.nowMs()).toBeGreaterThanOrEqual(from + 19);
    });

    it('rejects with the reason of the signal, at once or later', async () => {
      const { clock, pass } = make();
      const reason = new Error('enough');
      await expect(pass(clock.sleep(60_000, AbortSignal.abort(reason)))).rejects.toBe(reason);
      const later = new AbortController();
      const sleeping = clock.sleep(60_000, later.signal);
      later.abort(reason);
      await expect(pass(sleeping)).rejects.toBe(reason);
    });

    it('never runs backwards', () => {
      const { clock } = make();
      const times = Array.from({ length: 100 }, () => clock.nowMs());
      expect(times).toEqual([...times].sort((a, b) => a - b));
    });
  });
}

clockContract('real', () => ({ clock: realClock(), pass: (work) => work }));
clockContract('virtual', () => {
  const clock = virtualClock();
  return { clock, pass: (work) => clock.run(work) };
});

describe('the real clock while the system clock is changed', () => {
  const hour = 3_600_000;
  afterEach(() => {
    vi.useRealTimers();
  });

  it('goes on when it was set back, slower, and never runs backwards', async () => {
    const clock = realClock();
    const from = clock.nowMs();
    vi.useFakeTimers({ toFake: ['Date'], now: from - hour });
    await clock.sleep(60);
    const later = clock.nowMs();
    expect(later - from).toBeGreaterThanOrEqual(50);
    await clock.sleep(60);
    expect(clock.nowMs()).toBeGreaterThan(later);
  });

  it('follows at once when it was set forward, and goes on when that is taken back', async () => {
    const clock = realClock();
    const from = clock.nowMs();
    vi.useFakeTimers({ toFake: ['Date'], now: from + 8 * hour });
    const ahead = clock.nowMs();
    expect(ahead - from).toBeGreaterThanOrEqual(8 * hour);
    vi.setSystemTime(from);
    await clock.sleep(60);
    expect(clock.nowMs() - ahead).toBeGreaterThanOrEqual(50);
  });
});

describe('a sleep longer than a platform timer can be', () => {
  it('does not end at once', async () => {
    const stop = new AbortController();
    const ended = await Promise.race([
      realClock()
        .sleep(1e12, stop.signal)
        .then(
          () => 'ended',
          () => 'stopped',
        ),
      realClock()
        .sleep(30)
        .then(() => 'still asleep'),
    ]);
    stop.abort();
    expect(ended).toBe('still asleep');
  });
});

describe('the virtual clock', () => {
  it('wakes sleepers in the order of their times, equal times in the order of going to sleep', async () => {
    const clock = virtualClock();
    const woken: string[] = [];
    const sleep = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms);
      woken.push(`${name}@${clock.nowMs()}`);
    };
    await clock.run(Promise.all([sleep('c', 300), sleep('a', 100), sleep('b', 100)]));
    expect(woken).toEqual(['a@100', 'b@100', 'c@300']);
  });

  it('says so when everything waits and nobody sleeps', async () => {
    await expect(virtualClock().run(new Promise(() => undefined))).rejects.toThrow('nobody sleeps');
  });
});
