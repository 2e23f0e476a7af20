// The ladder's constraints (HFR 4.4, table 5, 5.2): criticality, people, quality floor, deadline, pins, writes; and its record.
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../src/core/recovery/decide.ts';
import type { Decision } from '../../../../src/core/recovery/decision.ts';
import { degradationOf, isDegraded } from '../../../../src/core/recovery/ladder.ts';
import { bare, facts, policyFrom, rich, type Change } from '../../../support/decisionInputs.ts';

/** Nothing more of the same is of use: the ladder answers. */
const stuck: Change = { evidence: { sameFaults: 3 } };
const down = (change: Change): Decision => decide(facts({ ...stuck, ...change }));
const ladderOnly = { ...rich, otherCandidate: null, canReplan: false };
const without = (...names: readonly ('alternate' | 'lower' | 'fallback')[]): Change => ({
  options: { ...ladderOnly, ...Object.fromEntries(names.map((name) => [name, null])) },
});

describe('a step that is stuck', () => {
  it('goes to L2 first, whatever its criticality', () => {
    for (const criticality of ['low', 'medium', 'high'] as const) {
      const decision = down({ options: ladderOnly, action: { criticality } });
      expect(decision).toMatchObject({ action: 'DEGRADE_MODEL', target: 'alternate', rung: 'L2', waitMs: 0, takes: 1 });
    }
  });

  it('goes to L3 with low and medium criticality only', () => {
    expect(down({ ...without('alternate'), action: { criticality: 'low' } }).rung).toBe('L3');
    expect(down(without('alternate'))).toMatchObject({
      action: 'DEGRADE_MODEL',
      target: 'lower',
      rung: 'L3',
      check: 'V2',
    });
    const high = down({ ...without('alternate'), action: { criticality: 'high' } });
    expect(high).toMatchObject({ action: 'ESCALATE', proposes: 'L3' });
  });

  it('goes to L4 with low criticality only; of medium a person is asked', () => {
    const low = down({ ...without('alternate', 'lower'), action: { criticality: 'low' } });
    expect(low).toMatchObject({ action: 'DEGRADE_SCOPE', target: 'fallback', rung: 'L4', takes: 0, check: 'V2' });
    expect(down(without('alternate', 'lower'))).toMatchObject({ action: 'FAIL', proposes: null });
    const asked = down({ ...without('alternate', 'lower'), time: { deadlineMs: 1250 }, evidence: {} });
    expect(asked).toMatchObject({ action: 'ESCALATE', rule: 'T1/deadline', proposes: 'L4' });
  });

  it('of a tool changes the tool at L2 and the scope at L3', () => {
    expect(down({ options: ladderOnly, action: { kind: 'tool' } })).toMatchObject({
      action: 'DEGRADE_TOOL',
      rung: 'L2',
    });
    expect(down({ ...without('alternate'), action: { kind: 'tool' } })).toMatchObject({
      action: 'DEGRADE_SCOPE',
      rung: 'L3',
    });
  });

  it('never goes to a rung it is already at or past', () => {
    expect(down({ options: ladderOnly, action: { rung: 'L2' } }).rung).toBe('L3');
    expect(down({ options: ladderOnly, action: { rung: 'L3', criticality: 'low' } }).rung).toBe('L4');
    expect(down({ options: ladderOnly, action: { rung: 'L1' } }).rung).toBe('L2');
    expect(down({ options: ladderOnly, action: { rung: 'L3' } }).action).toBe('FAIL');
  });

  it('passes over what is expected below the quality floor', () => {
    const alternate = { quality: 0.7, estimateMs: 1, match: 'equivalent' } as const;
    const options = { ...ladderOnly, alternate, lower: { quality: 0.81, estimateMs: 1 } };
    expect(down({ options, qualityFloor: 0.8 }).rung).toBe('L3');
    expect(down({ options, qualityFloor: 0.7 }).rung).toBe('L2');
    expect(down({ options, qualityFloor: 0.9 })).toMatchObject({ action: 'FAIL' });
    expect(down({ options: { ...options, alternate: { ...alternate, quality: null } }, qualityFloor: 0.9 }).rung).toBe(
      'L2',
    );
  });

  it('passes over what would end after the deadline, and needs no token for the fallback', () => {
    const slow = { quality: null, estimateMs: 60_000, match: 'equivalent' } as const;
    expect(down({ options: { ...ladderOnly, alternate: slow } }).rung).toBe('L3');
    const spent = {
      budget: { step: 0, task: 0, tenant: 0 },
      action: { criticality: 'low' },
      options: ladderOnly,
    } as const;
    expect(down(spent)).toMatchObject({ rung: 'L4', takes: 0 });
  });

  it('never replaces a pinned model', () => {
    const pinned = down({ options: ladderOnly, action: { isPinned: true, criticality: 'low' } });
    expect(pinned).toMatchObject({ action: 'FAIL', target: 'nobody', rung: 'L0', proposes: null });
  });
});

describe('a write', () => {
  const write = (level: 'R1' | 'R2' | 'R3', entry: 'FAILED' | 'RECONCILED_ABSENT'): Change => ({
    fault: { class: 'T5' },
    action: { kind: 'tool', level, criticality: 'low' },
    effect: { entry },
  });
  const similar = { quality: null, estimateMs: 1, match: 'similar' } as const;

  it('goes through an equivalent tool where it surely did not happen, never through a similar one', () => {
    for (const level of ['R1', 'R2'] as const) {
      for (const entry of ['FAILED', 'RECONCILED_ABSENT'] as const) {
        expect(decide(facts({ ...write(level, entry), options: ladderOnly })).action).toBe('DEGRADE_TOOL');
        const options = { ...bare, alternate: similar };
        expect(decide(facts({ ...write(level, entry), options })).action).toBe('ESCALATE');
      }
    }
    const read = {
      fault: { class: 'T5' },
      action: { kind: 'tool' },
      options: { ...bare, alternate: similar },
    } as const;
    expect(decide(facts(read)).action).toBe('DEGRADE_TOOL');
  });

  it('is never replaced by less or by a made-up result', () => {
    const options = { ...bare, lower: rich.lower, fallback: rich.fallback };
    expect(down({ ...write('R2', 'RECONCILED_ABSENT'), fault: {}, options }).action).toBe('FAIL');
  });

  it('that is irreversible is put before a person, with the equivalent tool as a proposal', () => {
    const decision = decide(facts({ ...write('R3', 'RECONCILED_ABSENT'), fault: {}, options: ladderOnly }));
    expect(decision).toMatchObject({ action: 'ESCALATE', rule: 'T1/irreversible', proposes: 'L2' });
    const nobody = { policy: policyFrom({ degradation: { requireHumanFor: { irreversible: [] } } }) };
    const unasked = decide(facts({ ...write('R3', 'RECONCILED_ABSENT'), fault: {}, options: ladderOnly, ...nobody }));
    expect(unasked).toMatchObject({ action: 'ESCALATE', proposes: null });
  });
});

describe('the settings', () => {
  it('close rungs, and what needs a person is never automatic', () => {
    const noL2 = policyFrom({ degradation: { allowAutoDegrade: { medium: ['L1', 'L3'] } } });
    expect(down({ options: ladderOnly, policy: noL2 }).rung).toBe('L3');
    const asks = policyFrom({ degradation: { requireHumanFor: { medium: ['L2', 'L3', 'L4'] } } });
    expect(down({ options: ladderOnly, policy: asks, breaker: 'open', evidence: {} })).toMatchObject({
      action: 'ESCALATE',
      proposes: 'L2',
    });
    const noL1 = policyFrom({ degradation: { allowAutoDegrade: { medium: ['L2'] } } });
    const overflow = { fault: { class: 'T6' }, options: ladderOnly, policy: noL1 } as const;
    expect(decide(facts(overflow)).action).toBe('DEGRADE_MODEL');
  });
});

describe('what is degraded', () => {
  it('says so from L1 on, with who stands in, how good it is and what it must pass', () => {
    expect(['L0', 'L1', 'L2', 'L3', 'L4'].map((rung) => isDegraded(rung as 'L0'))).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(degradationOf(down({ options: ladderOnly }), 'b', 0.9)).toEqual({
      substitute: 'b',
      quality: 0.9,
      check: 'V2',
    });
    expect(degradationOf(decide(facts()), 'b', 0.9)).toBeNull();
    expect(degradationOf(down({ action: { rung: 'L2' } }), 'b', 0.9)).toBeNull();
    const fallback = down({ ...without('alternate', 'lower'), action: { criticality: 'low' } });
    expect(degradationOf(fallback, 'cache', null)).toEqual({ substitute: 'cache', quality: null, check: 'V2' });
  });
});
