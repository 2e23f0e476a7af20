// Ids of calls and attempts: unique within and between sessions, short enough to be read aloud from a log.
import type { RandomPort } from './ports.ts';

/** Makes `prefix-<session><number>`; the session part is drawn once. */
export function idFactory(random: RandomPort): (prefix: string) => string {
  const session = Array.from({ length: 2 }, () =>
    Math.floor(random.next() * 36 ** 5)
      .toString(36)
      .padStart(5, '0'),
  ).join('');
  let count = 0;
  return (prefix) => `${prefix}-${session}${(++count).toString(36).padStart(3, '0')}`;
}
