// The thresholds of both presets, how settings change them, and their versions (HFR 5.2; simulator study, section 7).
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../src/core/recovery/decide.ts';
import { decisionRulesVersion, recoveryPolicy } from '../../../../src/core/recovery/presets.ts';
import { parseSettings } from '../../../../src/core/settings.ts';
import { facts, policies, policyFrom } from '../../../support/decisionInputs.ts';

const retryOf = (advanced: Record<string, unknown>): unknown =>
  parseSettings({ 'belay.advanced': advanced }).settings.advanced.retry;

describe('the presets', () => {
  it('bring their budgets where the settings name none', () => {
    expect(retryOf({})).toMatchObject({ maxAttemptsPerStep: 4, maxRetriesPerTask: 10, sameFaultLimit: 3 });
    expect(retryOf({ recovery: { preset: 'plus' } })).toMatchObject({
      maxAttemptsPerStep: 9,
      maxRetriesPerTask: 20,
      sameFaultLimit: 8,
    });
    const own = { recovery: { preset: 'plus' }, retry: { maxAttemptsPerStep: 2, sameFaultLimit: 1 } };
    expect(retryOf(own)).toMatchObject({ maxAttemptsPerStep: 2, maxRetriesPerTask: 20, sameFaultLimit: 1 });
  });

  it('have the thresholds that are printed', () => {
    expect(policies.document).toMatchObject({
      preset: 'document',
      escalates: 'critical',
      maxRepairs: 0,
      retriesOnAlternate: false,
      waitsAfterRejection: true,
      lowConfidence: 0.5,
      sameFaultLimit: 3,
      sameRejectionLimit: 2,
      checks: { low: 'V1', medium: 'V2', high: 'V2' },
    });
    expect(policies.plus).toMatchObject({
      preset: 'plus',
      escalates: 'always',
      maxRepairs: 1,
      retriesOnAlternate: true,
      waitsAfterRejection: false,
      usesOtherAccount: true,
      targetFaultLimit: 1,
    });
  });

  it('allow the rungs that are printed, and ask a person where that is printed', () => {
    const rungs = (table: Readonly<Record<string, boolean>>): string =>
      Object.keys(table)
        .filter((rung) => table[rung])
        .join();
    const { automatic, confirmable, irreversible } = policies.document;
    expect([automatic.low, automatic.medium, automatic.high].map(rungs)).toEqual([
      'L0,L1,L2,L3,L4',
      'L0,L1,L2,L3',
      'L0,L1,L2',
    ]);
    expect([confirmable.low, confirmable.medium, confirmable.high].map(rungs)).toEqual(['', 'L4', 'L3,L4']);
    expect(rungs(irreversible)).toBe('L2,L3,L4');
  });
});

describe('the version in every decision', () => {
  it('names rules, preset and the values of all thresholds', () => {
    const { rulesVersion } = decide(facts());
    expect(rulesVersion).toBe(policies.document.version);
    expect(rulesVersion).toMatch(new RegExp(`^${decisionRulesVersion.replaceAll('.', '\\.')} document [0-9a-f]{8}$`));
    expect(policyFrom().version).toBe(policies.document.version);
  });

  it('changes with every threshold', () => {
    const { settings } = parseSettings({});
    const versions = [
      policies.document,
      policies.plus,
      policyFrom({ retry: { sameFaultLimit: 4 } }),
      policyFrom({ retry: { maxAttemptsPerStep: 9 } }),
      policyFrom({ retry: { baseDelayMs: 501 } }),
      policyFrom({ qualityFloor: { high: 0.93 } }),
      policyFrom({ breaker: { errorRateThreshold: 0.51 } }),
      policyFrom({ degradation: { allowAutoDegrade: { high: ['L1'] } } }),
      policyFrom({ degradation: { requireHumanFor: { low: ['L4'] } } }),
      policyFrom({ verification: { levels: { low: 'V2' } } }),
      recoveryPolicy(settings.advanced, { escalates: 'critical-or-write' }),
      recoveryPolicy(settings.advanced, { targetFaultLimit: 2 }),
    ].map(({ version }) => version);
    expect(new Set(versions).size).toBe(versions.length);
  });
});

describe('who is handed what would only fail', () => {
  it('is a person for critical work, or also for writes, or always, as the policy says', () => {
    const { settings } = parseSettings({});
    const write = { action: { kind: 'tool', level: 'R1' }, effect: { entry: 'FAILED' } } as const;
    const spent = { budget: { step: 0 } };
    const ends = (['critical', 'critical-or-write', 'always'] as const).map((escalates) => {
      const policy = recoveryPolicy(settings.advanced, { escalates });
      return [{}, write, { action: { criticality: 'high' } } as const].map(
        (change) => decide(facts({ ...change, ...spent, policy })).action,
      );
    });
    expect(ends).toEqual([
      ['FAIL', 'FAIL', 'ESCALATE'],
      ['FAIL', 'ESCALATE', 'ESCALATE'],
      ['ESCALATE', 'ESCALATE', 'ESCALATE'],
    ]);
  });
});
