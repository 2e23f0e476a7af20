import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { startWatchdog, type Watchdog } from '../../../src/engine/watchdog.ts';

const timers = { firstTokenMs: 60_000, idleMs: 30_000, totalMs: 300_000 };

interface Watched {
  readonly clock: ReturnType<typeof virtualClock>;
  readonly dog: Watchdog;
  readonly expired: { timer: string; atMs: number }[];
}

function watched(): Watched {
  const clock = virtualClock();
  const expired: Watched['expired'] = [];
  const dog = startWatchdog(clock, timers, (timer) => expired.push({ timer, atMs: clock.nowMs() }));
  return { clock, dog, expired };
}

describe('the timers of an attempt', () => {
  it('end one that never says anything, pings or not', async () => {
    const { clock, dog, expired } = watched();
    await clock.advance(50_000);
    dog.alive(false);
    await clock.advance(20_000);
    expect(expired).toEqual([{ timer: 'first-token', atMs: 60_000 }]);
  });

  it('notice silence after early content by the idle timer, long before the first-token moment', async () => {
    const { clock, dog, expired } = watched();
    await clock.advance(1000);
    dog.alive(true);
    await clock.advance(100_000);
    expect(expired).toEqual([{ timer: 'idle', atMs: 31_000 }]);
  });

  it('do not count the time in which our own reader is slow', async () => {
    const { clock, dog, expired } = watched();
    await clock.advance(1000);
    dog.alive(true);
    dog.pause();
    await clock.advance(120_000);
    expect(expired).toEqual([]);
    dog.resume();
    await clock.advance(29_000);
    expect(expired).toEqual([]);
    await clock.advance(2000);
    expect(expired.map((each) => each.timer)).toEqual(['idle']);
  });

  it('do not start the first-token timer anew with every ping that was read at once', async () => {
    const { clock, dog, expired } = watched();
    for (let ping = 0; ping < 10; ping++) {
      await clock.advance(7000);
      dog.alive(false);
      dog.pause();
      dog.resume();
    }
    expect(expired).toEqual([{ timer: 'first-token', atMs: 60_000 }]);
  });

  it('end the longest answer at last', async () => {
    const { clock, dog, expired } = watched();
    for (let part = 0; part < 40; part++) {
      await clock.advance(10_000);
      dog.alive(true);
    }
    expect(expired).toEqual([{ timer: 'total', atMs: 300_000 }]);
  });

  it('are silent once stopped', async () => {
    const { clock, dog, expired } = watched();
    dog.stop();
    await clock.advance(1e6);
    expect(expired).toEqual([]);
  });
});
