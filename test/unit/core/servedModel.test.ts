import { describe, expect, it } from 'vitest';
import {
  FINGERPRINT_PATIENCE,
  noServedMemory,
  observeServed,
  RETURN_PATIENCE,
  type ModelChange,
  type ServedMemory,
} from '../../../src/core/servedModel.ts';
import { seededRandom } from '../../support/random.ts';

interface Said {
  readonly model?: string | null;
  readonly fingerprint?: string | null;
}

/** Lets answers pass one by one; returns the changes with the number of the answer that told them. */
function pass(
  answers: readonly Said[],
  asked = 'gpt-4o',
  start: ServedMemory = noServedMemory,
): { memory: ServedMemory; changes: (ModelChange & { answer: number })[] } {
  let memory = start;
  const changes: (ModelChange & { answer: number })[] = [];
  answers.forEach(({ model = null, fingerprint = null }, answer) => {
    const seen = observeServed(memory, asked, { model, fingerprint });
    memory = seen.memory;
    if (seen.change) changes.push({ ...seen.change, answer });
  });
  return { memory, changes };
}

const times = (count: number, said: (index: number) => Said): Said[] =>
  Array.from({ length: count }, (_, i) => said(i));
const seeds = Array.from({ length: 200 }, (_, i) => i + 1);

describe('the served model', () => {
  it('is no change when an alias is resolved, written otherwise, or told with less detail for once', () => {
    const names = ['gpt-4o', 'gpt-4o-2024-08-06', 'OpenAI/GPT-4o-2024-08-06', 'gpt-4o', 'gpt-4o-2024-08-06'];
    expect(pass(names.map((model) => ({ model }))).changes).toEqual([]);
  });

  it('is a change when a version takes over from another, told once', () => {
    const said = [
      ...times(5, () => ({ model: 'gpt-4o-2024-05-13' })),
      { model: 'gpt-4o' },
      ...times(9, () => ({ model: 'gpt-4o-2024-08-06' })),
    ];
    expect(pass(said).changes).toMatchObject([{ answer: 6, from: 'gpt-4o-2024-05-13', to: 'gpt-4o-2024-08-06' }]);
  });

  it('changes once in a rollout that mixes both, and again only when the earlier one is back for good', () => {
    const mixed = times(60, (i) => ({ model: i % 3 === 0 ? 'gpt-4o-2024-05-13' : 'gpt-4o-2024-08-06' }));
    expect(pass(mixed).changes).toHaveLength(1);
    const back = times(RETURN_PATIENCE, () => ({ model: 'gpt-4o-2024-05-13' }));
    expect(pass([...mixed, { model: 'gpt-4o-2024-08-06' }, ...back]).changes).toMatchObject([
      { to: 'gpt-4o-2024-08-06' },
      { to: 'gpt-4o-2024-05-13', answer: 60 + RETURN_PATIENCE },
    ]);
  });

  it('is expected to be another each time where one of many is asked for', () => {
    const said = times(40, (i) => ({ model: `model-${i % 7}`, fingerprint: `fp-${i % 20}` }));
    expect(pass(said, 'openrouter/auto').changes).toEqual([]);
  });

  it('is not suspected where a provider hides names and fingerprints', () => {
    expect(pass(times(100, () => ({}))).changes).toEqual([]);
    expect(pass(times(100, () => ({ model: '', fingerprint: '' }))).changes).toEqual([]);
    expect(pass(times(100, (i) => (i % 2 ? {} : { model: 'gpt-4o', fingerprint: 'fp-1' }))).changes).toEqual([]);
  });
});

describe('the fingerprint', () => {
  it('may flicker between the machines of one deployment, rare ones included', () => {
    for (const seed of seeds) {
      const random = seededRandom(seed);
      const machines = 1 + Math.floor(random.next() * 6);
      // The square makes some machines rare.
      const said = times(300, () => ({
        model: 'gpt-4o',
        fingerprint: `fp-${Math.floor(random.next() ** 2 * machines)}`,
      }));
      expect(pass(said).changes, `seed ${seed}`).toEqual([]);
    }
  });

  it('tells of a new deployment once, as soon as the last few answers know nothing of the old one', () => {
    for (const seed of seeds) {
      const random = seededRandom(seed);
      const flicker = (letter: string) => () => ({ fingerprint: `${letter}-${Math.floor(random.next() * 3)}` });
      const { changes } = pass([...times(40, flicker('old')), ...times(60, flicker('new'))]);
      expect(changes, `seed ${seed}`).toHaveLength(1);
      expect(changes[0], `seed ${seed}`).toMatchObject({ answer: 40 + FINGERPRINT_PATIENCE - 1 });
    }
  });

  it('that joins an old deployment is one more of it', () => {
    const said = times(100, (i) => ({ fingerprint: i > 50 && i % 4 !== 0 ? 'joined' : 'old' }));
    expect(pass(said).changes).toEqual([]);
  });

  it('says nothing where each answer has one of its own', () => {
    expect(pass(times(200, (i) => ({ model: 'gpt-4o', fingerprint: `answer-${i}` }))).changes).toEqual([]);
  });

  it('and the name change together: told once', () => {
    const said = [
      ...times(30, () => ({ model: 'gpt-4o-2024-05-13', fingerprint: 'a' })),
      ...times(60, (i) => ({ model: 'gpt-4o-2024-08-06', fingerprint: `b-${i % 3}` })),
    ];
    expect(pass(said).changes).toHaveLength(1);
  });
});

describe('what is remembered', () => {
  it('stays small, and goes on after it was saved and read', () => {
    const many = times(500, (i) => ({ model: `gpt-4o-2024-01-${10 + (i % 80)}`, fingerprint: `fp-${i}` }));
    expect(JSON.stringify(pass(many).memory).length).toBeLessThan(3000);
    const first = pass(times(30, () => ({ model: 'gpt-4o-2024-05-13', fingerprint: 'a' }))).memory;
    const read: ServedMemory = JSON.parse(JSON.stringify(first)) as ServedMemory; // what was written by the line before
    expect(pass([{ model: 'gpt-4o-2024-08-06' }], 'gpt-4o', read).changes).toHaveLength(1);
  });
});
