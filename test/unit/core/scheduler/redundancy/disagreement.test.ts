import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { balancedConstants } from '../../../../../src/core/scheduler/balanced/constants.ts';
import { judged } from '../../../../../src/core/scheduler/balanced/quality.ts';
import {
  compareReplicas,
  disagreementOf,
  groupsOf,
  type AnsweredReplica,
} from '../../../../../src/core/scheduler/redundancy/disagreement.ts';
import { normalisedAnswer, type ReplicaAnswer } from '../../../../../src/core/scheduler/redundancy/normalised.ts';

const result = (text: string): ReplicaAnswer => ({ kind: 'tool-result', text, isError: false });
const calls = (...each: readonly (readonly [string, string])[]): ReplicaAnswer => ({
  kind: 'model-answer',
  text: 'words',
  toolCalls: each.map(([name, argsText], index) => ({
    type: 'tool-call',
    id: `id${Math.sqrt(index)}`,
    name,
    argsText,
  })),
});
const replica = (
  candidate: string,
  answer: ReplicaAnswer,
  verification: AnsweredReplica['verification'] = null,
): AnsweredReplica => ({ candidate, answer, verification });
const passed = (quality: number | null = null) => ({ check: 'V1', passed: true, quality }) as const;
const same = (one: ReplicaAnswer, other: ReplicaAnswer): boolean => normalisedAnswer(one) === normalisedAnswer(other);

describe('the form of an answer', () => {
  it('is the same for the same JSON, whatever its spelling, and for text whatever its white space', () => {
    expect(same(result('{"a":1,"b":[1.0]}'), result(' {"b": [1], "a": 1}\n'))).toBe(true);
    expect(same(result('one  two\n'), result('one two'))).toBe(true);
    expect(same(result('[1,2]'), result('[2,1]'))).toBe(false);
    expect(same(result('"1"'), result('1'))).toBe(false);
    expect(same(result('x'), { kind: 'tool-result', text: 'x', isError: true })).toBe(false);
  });

  it('does not take numbers for equal that JavaScript cannot tell apart', () => {
    expect(JSON.parse('9007199254740993')).toBe(JSON.parse('9007199254740992'));
    expect(same(result('{"id":9007199254740993}'), result('{"id":9007199254740992}'))).toBe(false);
  });

  it('is the tool calls with canonical arguments, in any order, without ids and words', () => {
    const read = ['read', '{"path":"a","line":1}'] as const;
    const list = ['list', ''] as const;
    expect(same(calls(read, list), calls(['list', '{}'], ['read', '{"line":1,"path":"a"}']))).toBe(true);
    expect(same(calls(read), calls(read, read))).toBe(false);
    expect(same(calls(read), calls(['read', '{"path":"b","line":1}']))).toBe(false);
    expect(normalisedAnswer(calls())).toBeNull();
  });

  it('is a text for anything at all, and the same for equal JSON values', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(typeof normalisedAnswer(result(text))).toBe('string');
      }),
    );
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}/.test(text));
        expect(same(result(text), result(JSON.stringify(JSON.parse(text), null, 2)))).toBe(true);
      }),
      { examples: [['{"":[]}']] },
    );
    expect(typeof normalisedAnswer(result('['.repeat(200_000)))).toBe('string');
  });
});

describe('the degree of disagreement', () => {
  it('is the share of pairs that differ', () => {
    const groups = groupsOf(['x', 'y', 'x'].map((text) => ({ answer: result(text) })))!;
    expect(groups).toEqual([[0, 2], [1]]);
    expect(disagreementOf(groups)).toBeCloseTo(2 / 3, 12);
    expect(disagreementOf([[0, 1]])).toBe(0);
    expect(disagreementOf([[0], [1]])).toBe(1);
  });

  it('is not defined for fewer than two answers or for words alone; words differ from tool calls', () => {
    expect(groupsOf([{ answer: result('x') }])).toBeNull();
    expect(groupsOf([{ answer: calls() }, { answer: calls() }])).toBeNull();
    const mixed = groupsOf([{ answer: calls() }, { answer: calls() }, { answer: calls(['a', '{}']) }])!;
    expect(disagreementOf(mixed)).toBe(1);
  });

  it('is 0 to 1, and 0 only where all say the same', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('x', 'y', 'z'), { minLength: 2, maxLength: 6 }), (texts) => {
        const degree = disagreementOf(groupsOf(texts.map((text) => ({ answer: result(text) })))!);
        expect(degree >= 0 && degree <= 1).toBe(true);
        expect(degree === 0).toBe(new Set(texts).size === 1);
        expect(degree === 1).toBe(new Set(texts).size === texts.length);
      }),
    );
  });
});

describe('replicas that differ', () => {
  const [x, y] = [result('x'), result('y')];

  it('are decided by the best verified one', () => {
    const compared = compareReplicas([replica('a', x), replica('b', y, passed())])!;
    expect(compared).toMatchObject({ chosen: 1, evidence: [] });
    expect(compared.event).toMatchObject({
      outcome: 'best-verified',
      chosen: 'b',
      disagreement: 1,
      groups: [['a'], ['b']],
    });
    const byCheck = [replica('a', x, passed(0.9)), replica('b', y, { check: 'V2', passed: true, quality: null })];
    expect(compareReplicas(byCheck)!.chosen).toBe(1);
    expect(compareReplicas([replica('a', x, passed(0.9)), replica('b', y, passed(0.8))])!.chosen).toBe(0);
  });

  it('go to a person where none is verified, whatever the majority says', () => {
    const compared = compareReplicas([replica('a', x), replica('b', x), replica('c', y)])!;
    expect(compared).toMatchObject({ chosen: null, evidence: [] });
    expect(compared.event).toMatchObject({ outcome: 'review', chosen: null });
    const transport = { check: 'V0', passed: true, quality: 1 } as const;
    const failed = { check: 'V1', passed: false, quality: 1 } as const;
    expect(compareReplicas([replica('a', x, transport), replica('b', y, failed)])!.chosen).toBeNull();
  });

  it('go to a person where two are verified alike', () => {
    expect(compareReplicas([replica('a', x, passed()), replica('b', y, passed())])!.event.outcome).toBe('review');
    const tie = [replica('a', x, passed()), replica('b', x, passed()), replica('c', y)];
    expect(compareReplicas(tie)!.event.outcome).toBe('best-verified');
  });

  it('take no quality that is not a number for a better one', () => {
    const compared = compareReplicas([replica('a', x, passed(Number.NaN)), replica('b', y, passed(0.5))])!;
    expect(compared.chosen).toBe(1);
  });

  it('tell against the minority where the majority is verified, and lower its quality', () => {
    const compared = compareReplicas([replica('c', y), replica('a', x, passed()), replica('b', x)])!;
    expect(compared.evidence).toEqual([{ candidate: 'c', evidence: { source: 'semantic-fault', q: 0, weight: 0.5 } }]);
    const before = { alpha: 6, beta: 2 };
    const after = judged(before, compared.evidence[0]!.evidence, balancedConstants);
    expect(after.alpha / (after.alpha + after.beta)).toBeLessThan(before.alpha / (before.alpha + before.beta));
  });

  it('tell nothing against a majority, an even half, or one whose own check has spoken', () => {
    expect(compareReplicas([replica('a', x), replica('b', x), replica('c', y, passed())])!.evidence).toEqual([]);
    expect(compareReplicas([replica('a', x, passed()), replica('b', y)])!.evidence).toEqual([]);
    const checked = replica('c', y, { check: 'V1', passed: false, quality: null });
    expect(compareReplicas([replica('a', x, passed()), replica('b', x), checked])!.evidence).toEqual([]);
  });

  it('hold no answer in what is recorded', () => {
    const secret = 'k'.repeat(40);
    const compared = compareReplicas([
      replica('a', result(secret), passed()),
      replica('b', y),
      replica('c', result(secret)),
    ]);
    expect(JSON.stringify(compared)).not.toContain(secret);
  });
});

describe('replicas that agree', () => {
  it('give the verified one, else the first', () => {
    const agreed = [replica('a', result('x')), replica('b', result(' x '), passed())];
    expect(compareReplicas(agreed)).toMatchObject({ chosen: 1, event: { outcome: 'agree', disagreement: 0 } });
    expect(compareReplicas([replica('a', result('x')), replica('b', result('x'))])).toMatchObject({ chosen: 0 });
  });
});
