// What an agent reads after a decision about its command or edit (HFR tables 3 and 7, 4.4; DESIGN 7, 8): which rule spoke, what
// it may ask for next, and what it must not. The decisions are those that core really makes of such a failure.
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../src/core/recovery/decide.ts';
import type { Decision } from '../../../../src/core/recovery/decision.ts';
import { nextStepText, type NextStepFacts } from '../../../../src/core/recovery/nextStep.ts';
import { facts, rich, type Change } from '../../../support/decisionInputs.ts';

const nothing: NextStepFacts = { level: 'R0', equivalent: null, stale: null };
const stale = { stdout: '  12.5\n\n', ageMs: 90_400 };
const unknown = { quality: null, estimateMs: 500 };
const absent = { entry: 'RECONCILED_ABSENT', canProbe: true, isProbed: true } as const;
const worn = { class: 'T3', confidence: 0.95 } as const;

/** The decision about a tool's failure; it has to be the one that the test is about. */
function decided(action: Decision['action'], change: Change): Decision {
  const decision = decide(facts({ ...change, action: { kind: 'tool', ...change.action } }));
  expect(decision.action).toBe(action);
  return decision;
}

const retryOf = (level: 'R0' | 'R2'): Decision => decided('RETRY', { action: { level }, effect: absent });

describe('after a retry is decided', () => {
  it('a read may be asked for again, without more words', () => {
    const text = nextStepText(retryOf('R0'), nothing);
    expect(text).toContain('T1/retry');
    expect(text).toMatch(/only reads .*asked for again/);
    expect(text).not.toContain('writes');
  });

  it('a write may be asked for again, but is said not to be repeated by Belay itself', () => {
    const text = nextStepText(retryOf('R2'), { ...nothing, level: 'R2' });
    expect(text).toContain('T1/retry');
    expect(text).toMatch(/Belay does not repeat by itself what writes/);
    expect(text).not.toContain('only reads');
  });
});

describe('after a write of which nobody knows what became', () => {
  it('asking for it again is forbidden until that is known', () => {
    const effect = { entry: 'UNKNOWN', canProbe: true, isProbed: false } as const;
    const decision = decided('RECONCILE', { fault: worn, action: { level: 'R2' }, effect });
    const text = nextStepText(decision, { ...nothing, level: 'R2' });
    expect(text).toContain('T3/reconcile');
    expect(text).toContain(decision.reason);
    expect(text).toMatch(/Do not ask for it again/);
  });
});

describe('after a tool that cannot be used', () => {
  const options = { alternate: rich.alternate };
  const decision = decided('DEGRADE_TOOL', { fault: { class: 'T5' }, options });

  it('the equivalent one is named with the person’s hint on its use', () => {
    const hint = 'rg -n PATTERN PATH';
    const text = nextStepText(decision, { ...nothing, equivalent: { tool: 'rg', hint } });
    expect(text).toMatch(/^Next \(T5\/alternate\): use rg instead.* \(rg -n PATTERN PATH\)\.$/);
  });

  it('an equivalent one without a hint gets no empty brackets', () => {
    const text = nextStepText(decision, { ...nothing, equivalent: { tool: 'rg', hint: '' } });
    expect(text).toMatch(/use rg instead, which its contract says does the same\.$/);
  });

  it('nothing is proposed where no equivalent one is known', () => {
    expect(nextStepText(decision, nothing)).toBe('');
  });

  it('the parameters are to be repaired where nothing stands in: the same again cannot work', () => {
    const repaired = decided('REPLAN', { fault: { class: 'T5' }, options: { canRepair: true, canReplan: true } });
    const text = nextStepText(repaired, nothing);
    expect(text).toContain('T5/repair');
    expect(text).toMatch(/change what was asked for.*the same again cannot work/);
  });
});

describe('after a result that was rejected', () => {
  it('the following steps are planned anew, and what is committed stays (table 3, REPLAN)', () => {
    const replanned = decided('REPLAN', { fault: { class: 'V1' }, options: { canReplan: true } });
    const text = nextStepText(replanned, nothing);
    expect(text).toContain('V1/replan');
    expect(text).toMatch(/plan the following steps anew.*what is done stays done/);
    expect(text).not.toContain('change what was asked for');
  });
});

describe('after a degradation of scope', () => {
  const lower = decided('DEGRADE_SCOPE', { fault: worn, evidence: { sameFaults: 9 }, options: { lower: unknown } });
  const fallback = decided('DEGRADE_SCOPE', {
    fault: worn,
    action: { criticality: 'low' },
    evidence: { sameFaults: 9 },
    options: { fallback: unknown },
  });

  it('less is to be asked for at a time, and what comes of it is said to be only a part (silent incompleteness, table 5)', () => {
    expect(lower.target).toBe('lower');
    const text = nextStepText(lower, nothing);
    expect(text).toContain('T3/degrade');
    expect(text).toMatch(/ask for less at a time.*only part of it/);
  });

  it('an earlier output is never shown where less was decided', () => {
    expect(nextStepText(lower, { ...nothing, stale })).toBe(nextStepText(lower, nothing));
  });

  it('an earlier output stands in only marked as stale, with its age and where it ends', () => {
    expect(fallback).toMatchObject({ target: 'fallback', rung: 'L4' });
    const lines = nextStepText(fallback, { ...nothing, stale }).split('\n');
    expect(lines[0]).toMatch(/^Next \(T3\/fallback, rung L4\): .*STALE: .* 90 s ago.*the command has failed now\.$/);
    expect(lines.slice(1)).toEqual(['  12.5', '[end of the stale output]']);
  });

  it('an output of the same moment is still told as older than the failure', () => {
    expect(nextStepText(fallback, { ...nothing, stale: { stdout: 'x', ageMs: 0 } })).toContain(' 1 s ago');
  });

  it('nothing is shown as an earlier output where there is none', () => {
    const text = nextStepText(fallback, nothing);
    expect(text).not.toContain('STALE');
    expect(text).toMatch(/ask for less at a time/);
  });
});

describe('after an end', () => {
  it('that is a person’s, no other command may get around it', () => {
    const effect = { entry: 'UNKNOWN', canProbe: false, isProbed: false } as const;
    const decision = decided('ESCALATE', { fault: worn, action: { level: 'R2' }, effect });
    expect(decision.proposes).toBeNull();
    const text = nextStepText(decision, { ...nothing, level: 'R2' });
    expect(text).toContain('T3/effect-unknown');
    expect(text).toContain(decision.reason);
    expect(text).toMatch(/A person has to decide about it; do not get around it by another command\.$/);
  });

  it('that only lacks a person’s word, the rung that could stand in is named', () => {
    const decision = decided('ESCALATE', {
      fault: worn,
      action: { criticality: 'high' },
      evidence: { sameFaults: 9 },
      options: { alternate: null, lower: unknown },
    });
    expect(decision.proposes).toBe('L3');
    expect(nextStepText(decision, nothing)).toMatch(/another command \(with a person's leave .*rung L3.*\)\.$/);
  });

  it('that is a failure, it says why and that the same is not to be tried again', () => {
    const decision = decided('FAIL', { fault: { class: 'T7', detail: 'fixable' } });
    const text = nextStepText(decision, nothing);
    expect(text).toContain('T7/fixable');
    expect(text).toContain(decision.reason);
    expect(text).toMatch(/Go on without it, or say that it cannot be done/);
  });
});

describe('after a decision that is about a model call', () => {
  it('an agent is told nothing: it is carried out without it', () => {
    const model = { kind: 'model' } as const;
    const compressed = decided('COMPRESS', { fault: { class: 'T6' }, action: model, options: { canCompress: true } });
    const moved = decided('DEGRADE_MODEL', { fault: { class: 'T4' }, action: model, options: rich });
    expect([compressed, moved].map((decision) => nextStepText(decision, nothing))).toEqual(['', '']);
  });
});
