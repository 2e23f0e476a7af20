// Properties of the guard: it never throws, never becomes milder by adding text, and a policy does not depend on rule order.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assess } from '../../src/core/guard/assess.ts';
import { judge } from '../../src/core/guard/judge.ts';
import { parsePolicy, type PolicySource, type Verdict } from '../../src/core/guard/policy.ts';
import { COMMANDS, PLACE } from '../unit/core/guard/commands.ts';

const all = Object.values(COMMANDS).flat();
const understood = all.filter((command) => assess({ shell: 'bash', command, ...PLACE }).parsed);
// Lines whose end or directory changes what follows: appending to them is another command.
const plain = understood.filter(
  (command) => !/(^|[^\w])(cd|pushd|popd|source|exec|exit)\b|<<|[&\\]$|^\s*#|^\. /.test(command),
);
const level = (command: string) => assess({ shell: 'bash', command, ...PLACE }).level;

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

describe('assess', () => {
  it('answers every text, and what is not understood is R3', () => {
    const pieces = fc.constantFrom(
      '$(',
      ')',
      '`',
      '"',
      "'",
      '{',
      '}',
      '\\',
      ';',
      '|',
      '&',
      '<<',
      '>',
      'rm',
      ' ',
      '\n',
      '${',
      '((',
      '[[',
      'if',
      'fi',
      'a',
      '=',
      '~',
      '*',
      '\0',
      '/',
      '-',
    );
    const hostile = fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.constantFrom('bash' as const, 'pwsh' as const),
        fc.oneof(fc.string({ unit: 'binary' }), hostile),
        (shell, command) => {
          const answer = assess({ shell, command, ...PLACE });
          expect(['R0', 'R1', 'R2', 'R3']).toContain(answer.level);
          if (!answer.parsed) expect(answer.level).toBe('R3');
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('gives a sequence at least the level of each part', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...plain),
        fc.constantFrom(...plain),
        fc.constantFrom('; ', '\n', ' && ', ' || ', ' | '),
        (a, b, joint) => {
          const joined = level(`${a}${joint}${b}`);
          expect(joined >= level(a) && joined >= (joint === ' | ' || joint === ' || ' ? 'R0' : level(b))).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('gives a wrapped command at least its own level', () => {
    const wraps = [
      (text: string) => `(${text}\n)`,
      (text: string) => `if true; then ${text}\nfi`,
      (text: string) => `echo "$(${text}\n)"`,
      (text: string) => `f() { ${text}\n}`,
      (text: string) => `bash -c '${text.replaceAll("'", `'\\''`)}'`,
      (text: string) => `eval '${text.replaceAll("'", `'\\''`)}'`,
    ];
    fc.assert(
      fc.property(fc.constantFrom(...plain), fc.constantFrom(...wraps), (command, wrap) => {
        const got = level(wrap(command));
        expect(got >= level(command)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('does not become milder when simple words are quoted', () => {
    const simple = understood.filter((command) => /^[\w ./:@+,-]+$/.test(command));
    fc.assert(
      fc.property(fc.constantFrom(...simple), fc.constantFrom("'", '"', '\\'), (command, quote) => {
        const quoted = command.split(' ').map((word) => (quote === '\\' ? `\\${word}` : `${quote}${word}${quote}`));
        expect(level(quoted.join(' ')) >= level(command)).toBe(true);
      }),
    );
  });

  it('does not become milder by an option nobody has listed, a redirection or a name set before', () => {
    const more = fc.constantFrom(
      (text: string) => `${text} --unheard-of`,
      (text: string) => `${text} $x`,
      (text: string) => `${text} *`,
      (text: string) => `${text} < "$x"`,
      (text: string) => `UNHEARD_OF=1 ${text}`,
      (text: string) => `shopt -s lastpipe; ${text}`,
      (text: string) => `f() { ${text}\n}; f`,
    );
    const single = understood.filter((command) => /^[a-z][\w ./-]*$/.test(command));
    fc.assert(
      fc.property(fc.constantFrom(...single), more, (command, change) => {
        expect(level(change(command)) >= level(command)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('does not become milder when the place is unknown', () => {
    fc.assert(
      fc.property(fc.constantFrom(...all), (command) => {
        expect(assess({ shell: 'bash', command }).level >= level(command)).toBe(true);
      }),
    );
  });
});

const ruleArbitrary = fc.record({
  match: fc.oneof(
    fc.record({ program: fc.constantFrom('git', 'rm', 'ls', 'npm', 'touch') }),
    fc.record({ program: fc.constant('git'), subcommand: fc.constantFrom('push', 'status', 'commit') }),
    fc.record({ command: fc.constantFrom('git push', 'ls', 'rm a') }),
  ),
  verdict: fc.constantFrom('allow', 'ask', 'deny', 'maybe'),
  reason: fc.constantFrom('a', 'b', ''),
  id: fc.constantFrom('one', 'two', 'three'),
});
const rulesArbitrary = fc.array(ruleArbitrary, { maxLength: 6 });
const command = fc.constantFrom('git push', 'ls', 'rm a', 'git status; touch a', 'rm ../a', 'npm publish', 'cat .env');
const mode = fc.constantFrom('careful', 'balanced', 'autonomous');
const decide = (text: string, source: PolicySource) =>
  judge(assess({ shell: 'bash', command: text, ...PLACE }), parsePolicy(source), text);

describe('judge', () => {
  it('does not depend on the order of rules', () => {
    fc.assert(
      fc.property(
        command,
        mode,
        rulesArbitrary,
        rulesArbitrary,
        rulesArbitrary,
        (text, chosen, admin, user, workspace) => {
          const one = decide(text, { mode: chosen, admin, user, workspace });
          const other = decide(text, {
            mode: chosen,
            admin: admin.toReversed(),
            user: user.toReversed(),
            workspace: workspace.toReversed(),
          });
          expect(other).toEqual(one);
        },
      ),
    );
  });

  it('lets workspace rules only tighten', () => {
    fc.assert(
      fc.property(
        command,
        mode,
        rulesArbitrary,
        rulesArbitrary,
        rulesArbitrary,
        (text, chosen, admin, user, workspace) => {
          const without = decide(text, { mode: chosen, admin, user });
          const having = decide(text, { mode: chosen, admin, user, workspace });
          expect(STRICTNESS[having.verdict]).toBeGreaterThanOrEqual(STRICTNESS[without.verdict]);
        },
      ),
    );
  });

  it('is never more permissive for a rule that cannot be read than without it', () => {
    fc.assert(
      fc.property(command, mode, rulesArbitrary, fc.anything(), (text, chosen, user, junk) => {
        const broken = [{ match: { program: 'git' }, verdict: 'maybe', reason: 'x' }, { junk }];
        const without = decide(text, { mode: chosen, user });
        const having = decide(text, { mode: chosen, user: [...user, ...broken] });
        expect(STRICTNESS[having.verdict]).toBeGreaterThanOrEqual(STRICTNESS[without.verdict]);
      }),
    );
  });

  it('denies whatever any matching rule denies', () => {
    fc.assert(
      fc.property(
        command,
        mode,
        rulesArbitrary,
        fc.constantFrom('admin', 'user', 'workspace'),
        (text, chosen, rules, tier) => {
          const deny = { match: { command: text }, verdict: 'deny', reason: 'no' };
          const source: PolicySource = { mode: chosen, admin: rules, user: rules, [tier]: [...rules, deny] };
          expect(decide(text, source).verdict).toBe('deny');
        },
      ),
    );
  });
});
