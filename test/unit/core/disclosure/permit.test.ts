import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../../../src/core/candidate.ts';
import { withFileConsent } from '../../../../src/core/disclosure/consent.ts';
import { permit, scopeKey, scopeOf, type RememberedAnswers } from '../../../../src/core/disclosure/permit.ts';
import { isOwnPlace } from '../../../../src/core/disclosure/place.ts';
import type { DisclosureRuleSettings } from '../../../../src/core/settingsDisclosure.ts';
import { candidate } from '../../../support/candidates.ts';

const nobody: RememberedAnswers = { get: () => undefined };
const rule = (
  verdict: DisclosureRuleSettings['verdict'],
  change: Partial<DisclosureRuleSettings> = {},
): DisclosureRuleSettings => ({ vendor: '*', region: '*', role: '*', verdict, ...change });
const at = (region: string, residency: string | null = null, change: Partial<Candidate> = {}): Candidate =>
  candidate('acme', { region, residency, baseUrl: 'https://api.acme.test/v1', ...change });

function verdict(
  of: Candidate,
  rules: readonly DisclosureRuleSettings[] = [],
  { residency = [] as readonly string[], role = 'chat', answers = nobody } = {},
): string {
  const { status, reason } = permit(of, role, { disclosureRules: rules, residency }, answers);
  return `${status}: ${reason}`;
}

describe('a candidate', () => {
  it('that no rule names is asked about', () => {
    expect(verdict(at('us-east'))).toBe('ask: no rule of belay.disclosure.rules allows it');
  });

  it('is allowed by a rule for its vendor, its provider id, its region or its residency', () => {
    const own = at('eu-west-1', 'eu', { providerId: 'mine' });
    for (const change of [
      { vendor: 'acme' },
      { vendor: 'MINE' },
      { region: 'EU-*' },
      { region: 'eu' },
      { role: 'ch*' },
    ])
      expect(verdict(own, [rule('allow', change)]), JSON.stringify(change)).toMatch(
        /^allowed: belay\.disclosure\.rules/,
      );
  });

  it('is not let in by the name of a region that promises a place where data is not surely processed', () => {
    const worldwide = at('eu-central-1');
    for (const region of ['eu', 'eu-*', 'eu-central-1'])
      expect(verdict(worldwide, [rule('allow', { region })]), region).toMatch(/^ask/);
    expect(verdict(worldwide, [rule('allow')])).toMatch(/^allowed/);
    expect(verdict(worldwide, [rule('allow'), rule('deny', { region: 'eu' })])).toMatch(/^denied/);
    expect(verdict(at('my-name'), [rule('allow', { region: 'my-*' })])).toMatch(/^allowed/);
  });

  it('on loopback is no place of its own where its region has the name of another', () => {
    const azure = { kind: 'azure', baseUrl: 'http://127.0.0.1:8080' } as const;
    expect(verdict(at('westeurope', null, azure))).toMatch(/^ask/);
    expect(verdict(at('default', null, azure))).toMatch(/^allowed/);
  });

  it('is denied where any rule denies it, asked about where any asks, whatever the order', () => {
    const rules = [rule('allow'), rule('ask', { region: 'us-*' }), rule('deny', { vendor: 'acme', role: 'coder' })];
    for (const order of [rules, [...rules].reverse()]) {
      expect(verdict(at('us-east'), order, { role: 'coder' })).toBe(
        'denied: belay.disclosure.rules denies vendor acme, role coder',
      );
      expect(verdict(at('us-east'), order)).toBe('ask: belay.disclosure.rules asks about region us-*');
      expect(verdict(at('eu-west'), order)).toBe('allowed: belay.disclosure.rules allows everything');
    }
  });

  it('never passes a residency rule that its place is not known to keep', () => {
    const options = { residency: ['eu', 'ch'] };
    expect(verdict(at('eu-west', 'eu'), [rule('allow')], options)).toMatch(/^allowed/);
    expect(verdict(at('us-east', 'us'), [rule('allow')], options)).toBe(
      'denied: belay.disclosure.residency allows eu, ch only, and us-east is in us',
    );
    expect(verdict(at('default'), [rule('allow')], options)).toBe(
      'denied: belay.disclosure.residency allows eu, ch only, and nobody knows for sure where default is',
    );
  });

  it('is allowed or denied by what the person answered for exactly its scope', () => {
    const own = at('eu-west', 'eu');
    const answers = (answer: 'allow' | 'deny'): RememberedAnswers => ({
      get: (key) => (key === scopeKey(scopeOf(own, 'chat')) ? answer : undefined),
    });
    expect(verdict(own, [rule('ask')], { answers: answers('allow') })).toBe('allowed: you allowed it when asked');
    expect(verdict(own, [], { answers: answers('deny') })).toMatch(/^denied: you denied it/);
    expect(verdict(own, [rule('deny')], { answers: answers('allow') })).toMatch(/^denied: belay/);
    expect(verdict(own, [], { answers: answers('allow'), role: 'coder' })).toMatch(/^ask/);
    for (const other of [at('eu-west ', 'eu'), at('eu-west', 'us'), at('EU-west', 'eu'), at('eu-west', null)])
      expect(verdict(other, [], { answers: answers('allow') })).toMatch(/^ask/);
  });

  it('on the command line is allowed where the file names nothing, and asked about only where the file says so', () => {
    const consent = withFileConsent({ disclosureRules: [rule('ask', { region: 'us-*' })], residency: [] });
    expect(permit(at('eu-west'), 'chat', consent, nobody).status).toBe('allowed');
    expect(permit(at('us-east'), 'chat', consent, nobody).status).toBe('ask');
  });
});

describe("the user's own machine", () => {
  const here = (baseUrl: string, change: Partial<Candidate> = {}): Candidate =>
    at('default', null, { baseUrl, ...change });

  it.each([
    'http://127.0.0.1:1/v1',
    'http://127.9.8.7/v1',
    'http://localhost:11434/v1',
    'http://[::1]:8080',
    'https://LOCALHOST',
  ])('is %s: no question, every residency rule passed', (baseUrl) => {
    expect(verdict(here(baseUrl), [rule('ask')], { residency: ['eu'] })).toBe('allowed: it runs on this machine');
  });

  it('obeys deny, also as the place "local"', () => {
    for (const change of [{}, { vendor: 'acme' }, { region: 'local' }, { region: 'default' }])
      expect(verdict(here('http://127.0.0.1/v1'), [rule('deny', change)])).toMatch(/^denied/);
  });

  it.each([
    'http://127.0.0.1.evil.test/v1',
    'http://127.0.0.1@evil.test/v1',
    'http://127.0.0.1:80@evil.test/v1',
    'http://localhost.evil.test/v1',
    'http://user@localhost/v1',
    'http://127.0.0.1\\@evil.test',
    'http://128.0.0.1/v1',
    'http://0.0.0.0/v1',
    'http://192.168.0.4/v1',
    'http://[::ffff:1.2.3.4]/v1',
    ' http://127.0.0.1/v1',
    'vscode://localhost',
    '',
  ])('is not %s', (baseUrl) => {
    expect(isOwnPlace(here(baseUrl))).toBe(false);
    expect(verdict(here(baseUrl), [], { residency: ['local'] })).toMatch(/^denied/);
  });

  it('is no server that passes prompts on, no tunnel to a known place, and nothing reached in another way', () => {
    const url = 'http://127.0.0.1:4000/v1';
    expect(verdict(here(url, { family: 'litellm' }))).toMatch(/^ask/);
    expect(verdict(at('us-east', 'us', { baseUrl: url }))).toMatch(/^ask/);
    for (const kind of ['bedrock', 'vertex', 'vscode'] as const) expect(verdict(here(url, { kind }))).toMatch(/^ask/);
  });
});

describe('names made to look like others', () => {
  const denyUs = [rule('allow'), rule('deny', { region: 'us-*' })];
  it.each([
    'US-east',
    'us-east ',
    ' us-east',
    'us\u2011east',
    'us\u2013east',
    'us\u2212east',
    'ｕｓ-east',
    'us-\u200beast',
    'uѕ-east',
    'u\u0301s-east',
  ])('are stopped by a rule that denies what they look like: %j', (region) => {
    expect(verdict(at(region), denyUs)).toMatch(/^denied/);
    expect(
      verdict(at('x', null, { domains: { own: 'o', region: 'r', vendor: region } }), [
        rule('deny', { vendor: 'us-east' }),
      ]),
    ).toMatch(/^denied/);
    expect(verdict(at('x'), [rule('deny', { role: 'us-east' })], { role: region })).toMatch(/^denied/);
  });

  it.each(['eu\u2011west', 'ｅu-west', 'еu-west', 'e\u200bu-west', 'x eu-west', '\u212Aeu'])(
    'are not let in by a rule that allows what they look like: %j',
    (region) => {
      expect(verdict(at(region), [rule('allow', { region: 'eu-*' }), rule('allow', { region: 'keu' })])).toMatch(
        /^ask/,
      );
    },
  );

  it('gain nothing from a wildcard of their own: it stands for itself', () => {
    expect(verdict(at('*'), [rule('allow', { region: 'eu-west' })])).toMatch(/^ask/);
    expect(verdict(at('eu-*'), [rule('deny', { region: 'eu-west' }), rule('allow')])).toMatch(/^allowed/);
    expect(verdict(at('eu', '*'), [], { residency: ['eu'] })).toMatch(/^denied/);
    expect(verdict(at('eu', 'eu'), [rule('allow')], { residency: ['*'] })).toMatch(/^denied/);
    expect(verdict(at('x', 'eu\u2011'), [rule('allow')], { residency: ['eu'] })).toMatch(/^denied/);
  });

  it('take no time to speak of, whatever the pattern', () => {
    const started = process.cpuUsage();
    verdict(at('a'.repeat(5000)), [rule('deny', { region: `${'*a'.repeat(20)}b` })]);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
  });
});

describe('whatever the rules', () => {
  const name = fc.constantFrom('acme', 'eu-west', 'eu', 'us-east', '*', 'e*', 'Eu-West', 'local', 'chat', '');
  const rules = fc.array(
    fc.record({
      vendor: name,
      region: name,
      role: name,
      verdict: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
    }),
    { maxLength: 6 },
  );
  const someCandidate = fc
    .tuple(fc.constantFrom('eu-west', 'EU-west', 'us-east', 'default'), fc.constantFrom('eu', 'us', null), fc.boolean())
    .map(([region, residency, isHere]) => at(region, residency, isHere ? { baseUrl: 'http://127.0.0.1/v1' } : {}));

  it('their order does not matter, and more rules than allow never let more in', () => {
    const strictness = { allowed: 0, ask: 1, denied: 2 } as const;
    fc.assert(
      fc.property(someCandidate, rules, rules, fc.constantFrom('chat', 'coder'), (of, some, more, role) => {
        const status = (list: readonly DisclosureRuleSettings[]): keyof typeof strictness =>
          permit(of, role, { disclosureRules: list, residency: [] }, nobody).status;
        expect(status([...some, ...more])).toBe(status([...more, ...some].reverse()));
        const tighter = more.filter((each) => each.verdict !== 'allow');
        expect(strictness[status([...some, ...tighter])]).toBeGreaterThanOrEqual(strictness[status(some)]);
      }),
      { numRuns: 2000 },
    );
  });
});
