// The tables test themselves: every row carries commands it must and must not fire on. A row whose examples fail, or that has
// none, is reported by its id, so that a broken row cannot silently stop matching.
import { inspectCommand } from '../inspectCommand.ts';
import { ALL_RULES } from '../programs.ts';
import type { Rule } from './rule.ts';
import { WRAPPERS } from './wrappers.ts';

/** One thing wrong with one row. */
export interface RuleFailure {
  readonly rule: string;
  readonly example: string;
  readonly problem: 'does not fire' | 'fires but must not' | 'has no example' | 'has the id of another row';
}

const PLACE = { shell: 'bash', cwd: '/project', workspace: '/project' } as const;

/** Runs the examples of all rows, or of the given ones; an empty answer means that all hold. */
export function checkRules(rules: readonly Rule[] = ALL_RULES): readonly RuleFailure[] {
  const failures: RuleFailure[] = [];
  const seen = new Set<string>();
  for (const rule of rules) {
    if (seen.has(rule.id)) failures.push({ rule: rule.id, example: '', problem: 'has the id of another row' });
    seen.add(rule.id);
    if (rule.examples.match.length === 0 || rule.examples.notMatch.length === 0)
      failures.push({ rule: rule.id, example: '', problem: 'has no example' });
    for (const example of rule.examples.match)
      if (!fires(rule, example)) failures.push({ rule: rule.id, example, problem: 'does not fire' });
    for (const example of rule.examples.notMatch)
      if (fires(rule, example)) failures.push({ rule: rule.id, example, problem: 'fires but must not' });
  }
  return failures;
}

/** The same for the wrapper rows: `match` must reach the command inside, `notMatch` must not. */
export function checkWrappers(wrappers: typeof WRAPPERS = WRAPPERS): readonly RuleFailure[] {
  return wrappers.flatMap((wrapper) => {
    const rule = wrapper.programs.join(' ');
    const reaches = (command: string) => reachesInner(wrapper.programs, command);
    return [
      ...wrapper.examples.match
        .filter((one) => !reaches(one))
        .map((example): RuleFailure => ({ rule, example, problem: 'does not fire' })),
      ...wrapper.examples.notMatch
        .filter(reaches)
        .map((example): RuleFailure => ({ rule, example, problem: 'fires but must not' })),
    ];
  });
}

function reachesInner(programs: readonly string[], command: string): boolean {
  const { effects } = inspectCommand({ ...PLACE, command });
  return [...effects.values()].some(
    ({ kind, target }) => kind === 'run-program' && !programs.includes((target ?? '').split(' ')[0] ?? ''),
  );
}

function fires(rule: Rule, command: string): boolean {
  return inspectCommand({ ...PLACE, command }).rules.has(rule.id);
}
