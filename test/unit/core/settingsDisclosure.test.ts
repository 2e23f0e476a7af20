import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permit } from '../../../src/core/disclosure/permit.ts';
import { parseSettings, type Settings } from '../../../src/core/settings.ts';
import { tightenedDisclosure, type DisclosureLevel } from '../../../src/core/settingsDisclosure.ts';
import { candidate } from '../../support/candidates.ts';

const nothing: DisclosureLevel = { rules: undefined, residency: undefined, scrubSecrets: undefined };
const level = (change: Partial<DisclosureLevel>): DisclosureLevel => ({ ...nothing, ...change });

function merged(
  user: Partial<DisclosureLevel>,
  ...workspace: readonly Partial<DisclosureLevel>[]
): Pick<Settings, 'disclosureRules' | 'residency' | 'scrubSecrets'> & { readonly paths: readonly string[] } {
  const tightened = tightenedDisclosure(level(user), workspace.map(level));
  const { settings, problems } = parseSettings(tightened.raw);
  const { disclosureRules, residency, scrubSecrets } = settings;
  return {
    disclosureRules,
    residency,
    scrubSecrets,
    paths: [...tightened.problems, ...problems].map(({ path }) => path),
  };
}

const deny = { vendor: 'acme', region: '*', role: '*', verdict: 'deny' };
const allow = { vendor: '*', region: '*', role: '*', verdict: 'allow' };

describe('the settings of disclosure in a workspace', () => {
  it('are those of the user where it has none', () => {
    expect(merged({ rules: [allow], residency: ['EU'], scrubSecrets: true })).toEqual({
      disclosureRules: [allow],
      residency: ['eu'],
      scrubSecrets: true,
      paths: [],
    });
    expect(merged({})).toEqual({ disclosureRules: [], residency: [], scrubSecrets: false, paths: [] });
  });

  it('may ask and deny; what they allow is ignored and named', () => {
    const both = merged(
      { rules: [allow] },
      { rules: [{ vendor: 'evil', verdict: 'allow' }, deny] },
      { rules: [{ verdict: 'ask' }] },
    );
    expect(both.disclosureRules.map(({ verdict }) => verdict)).toEqual(['allow', 'deny', 'ask']);
    expect(both.paths).toEqual(['belay.disclosure.rules.0']);
    expect(merged({}, { rules: [allow] }).disclosureRules).toEqual([]);
  });

  it('ask about everything while a rule of theirs cannot be read', () => {
    for (const rules of ['none', {}, [{ verdict: 'maybe' }], [7]])
      expect(merged({ rules: [allow] }, { rules }).disclosureRules, JSON.stringify(rules)).toContainEqual({
        vendor: '*',
        region: '*',
        role: '*',
        verdict: 'ask',
      });
  });

  it("keep their denies beside a user's list that cannot be read", () => {
    const { disclosureRules, paths } = merged({ rules: 'all' }, { rules: [deny] });
    expect(disclosureRules.map(({ verdict }) => verdict)).toEqual(['deny', 'ask']);
    expect(paths).not.toEqual([]);
  });

  it('narrow the places, and nothing is left where they share none or cannot be read', () => {
    expect(merged({ residency: ['eu', 'ch'] }, { residency: ['CH', 'us'] }).residency).toEqual(['ch']);
    expect(merged({}, { residency: ['eu'] }, { residency: ['eu', 'us'] }).residency).toEqual(['eu']);
    for (const workspace of [{ residency: ['us'] }, { residency: 'us' }, { residency: [''] }]) {
      const { residency, paths } = merged({ residency: ['eu'] }, workspace);
      const eu = candidate('acme', { baseUrl: 'https://x.test', residency: 'eu' });
      const settings = { disclosureRules: [{ ...allow, verdict: 'allow' as const }], residency };
      expect(permit(eu, 'chat', settings, { get: () => 'allow' }).status, JSON.stringify(workspace)).toBe('denied');
      expect(paths).toEqual(['belay.disclosure.residency']);
    }
  });

  it('turn scrubbing on, never off, and an unreadable value is on', () => {
    expect(merged({ scrubSecrets: true }, { scrubSecrets: false }).scrubSecrets).toBe(true);
    expect(merged({ scrubSecrets: false }, { scrubSecrets: true }).scrubSecrets).toBe(true);
    expect(merged({ scrubSecrets: 'no' })).toMatchObject({
      scrubSecrets: true,
      paths: ['belay.disclosure.scrubSecrets'],
    });
  });

  it('never let anybody in whom the user alone would not let in', () => {
    const strictness = { allowed: 0, ask: 1, denied: 2 } as const;
    const name = fc.constantFrom('*', 'acme', 'eu-*', 'chat', 'eu');
    const anyRule = fc.oneof(
      fc.record({ vendor: name, region: name, role: name, verdict: fc.constantFrom('allow', 'ask', 'deny', 'maybe') }),
      fc.anything(),
    );
    const anyLevel = fc.record({
      rules: fc.oneof(fc.array(anyRule, { maxLength: 3 }), fc.anything()),
      residency: fc.oneof(fc.subarray(['eu', 'us', 'ch']), fc.anything()),
      scrubSecrets: fc.oneof(fc.boolean(), fc.anything()),
    });
    fc.assert(
      fc.property(anyLevel, fc.array(anyLevel, { maxLength: 2 }), (user, workspace) => {
        const own = merged(user);
        const both = merged(user, ...workspace);
        for (const residency of ['eu', 'us', null]) {
          const of = candidate('acme', { baseUrl: 'https://x.test', region: 'eu-west', residency });
          const status = (settings: typeof own): keyof typeof strictness =>
            permit(of, 'chat', settings, { get: () => undefined }).status;
          expect(strictness[status(both)]).toBeGreaterThanOrEqual(strictness[status(own)]);
        }
        expect(both.scrubSecrets || !own.scrubSecrets).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
