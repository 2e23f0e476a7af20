// What `belay doctor` found, and how it reads: aligned columns, the remedy under each trouble, a verdict at the end. With
// --json one object a line. Names come from files and providers: what moves a terminal's cursor is taken out.
import type { SettingProblem } from '../core/settings.ts';

/** One finding. `note`: worth knowing, but nothing is broken. */
export interface Finding {
  /** `node`, `ledger`, `settings`, `provider <id>/<account>@<region>`, `prices`, `keys`, `network`, `breaker`. */
  readonly check: string;
  readonly status: 'good' | 'note' | 'bad';
  readonly message: string;
  /** What to do; empty where nothing is to be done. */
  readonly remedy: string;
  /** Single settings that are wrong, each with its own remedy. */
  readonly problems: readonly SettingProblem[];
}

/** A finding without single settings. */
export function finding(check: string, status: Finding['status'], message: string, remedy = ''): Finding {
  return { check, status, message, remedy, problems: [] };
}

/** Where a path of the settings stands, for a person. */
export type PlaceOf = (path: string) => string;

const PROVIDER = 'provider ';
const MARKS: Readonly<Record<Finding['status'], string>> = { good: '✓', note: '•', bad: '✕' };
const MAX_NAME_CHARS = 48;

/** One JSON object a finding; `place` is where the setting stands in the file. */
export function doctorJson(findings: readonly Finding[], placeOf: PlaceOf): readonly string[] {
  return findings.map(({ problems, remedy, ...each }) =>
    JSON.stringify({
      ...each,
      isGood: each.status !== 'bad',
      remedy: remedy === '' ? problems.map(({ path, message }) => `${path}: ${message}`).join('; ') : remedy,
      problems: problems.map((problem) => ({ ...problem, place: placeOf(problem.path) })),
    }),
  );
}

/** The lines for a terminal. */
export function doctorText(findings: readonly Finding[], placeOf: PlaceOf): readonly string[] {
  const isProvider = ({ check }: Finding): boolean => check.startsWith(PROVIDER);
  const isNote = (each: Finding): boolean => each.status === 'note' && !isProvider(each);
  const machine = findings.filter((each) => !isProvider(each) && !isNote(each));
  const providers = findings.filter(isProvider);
  return [
    'Belay doctor',
    ...section('', machine, placeOf),
    ...section('Providers', providers, placeOf),
    ...section('Worth knowing', findings.filter(isNote), placeOf),
    '',
    verdict(findings.filter(({ status }) => status === 'bad').length),
  ];
}

function verdict(badCount: number): string {
  if (badCount === 0) return 'All is well.';
  return badCount === 1 ? '1 thing needs you; see ✕ above.' : `${badCount} things need you; see ✕ above.`;
}

function section(title: string, findings: readonly Finding[], placeOf: PlaceOf): readonly string[] {
  if (findings.length === 0) return [];
  const names = findings.map(({ check }) => oneLine(check.replace(PROVIDER, '')));
  const width = Math.min(MAX_NAME_CHARS, Math.max(...names.map((name) => name.length)));
  const lines = findings.flatMap(({ status, message, remedy, problems }, index) => [
    `  ${MARKS[status]} ${(names[index] ?? '').padEnd(width)}  ${oneLine(message)}`,
    ...problems.map((problem) => `      ${oneLine(`${placeOf(problem.path)}: ${problem.message}`)}`),
    ...(remedy === '' ? [] : [`      ${oneLine(remedy)}`]),
  ]);
  return ['', ...(title === '' ? [] : [title]), ...lines];
}

function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are what is taken out
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}
