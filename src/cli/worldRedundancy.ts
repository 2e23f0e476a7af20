// `belay world --redundancy`: single against redundant execution with the source's own service, beside its printed table (CONTRACTS,
// world). Says no to what belongs to the scheduler study's world; the experiment itself is in bench/redundancy.
import { redundancyMarkdown, redundancyReport } from '../bench/redundancy/report.ts';
import { EXIT_CODES, type CommandIo, type ExitCode } from './io.ts';

/** Options of the other world, as typed, and what stands where they are left out. */
const FOREIGN: Readonly<Record<string, { readonly name: string; readonly left?: string }>> = {
  scenario: { name: '--scenario', left: 'static' },
  policy: { name: '--policy', left: 'all' },
  tau: { name: '--tau' },
  ablate: { name: '--ablate' },
  steps: { name: '--steps' },
  horizon: { name: '--horizon' },
  check: { name: '--check' },
  claims: { name: '--claims' },
};
const FORMATS = ['json', 'md'] as const;

/** Runs the experiment with these seeds and prints it; a wrong option ends with 2 and one message. */
export function redundancyFromOptions(
  options: Readonly<Record<string, string | boolean | undefined>>,
  seeds: readonly number[],
  io: CommandIo,
): ExitCode {
  const foreign = Object.entries(FOREIGN).find(([option, { left }]) => {
    const value = options[option];
    return value !== undefined && value !== false && value !== left;
  });
  if (foreign) return refuse(`${foreign[1].name} is for the study's world; leave it out, or --redundancy`, io);
  const format = FORMATS.find((each) => each === (options.format ?? 'json'));
  if (!format) return refuse(`--redundancy prints ${FORMATS.join(' or ')}, not "${String(options.format)}"`, io);
  const [first, ...others] = seeds;
  if (first === undefined) return refuse('--seeds names none', io);
  const report = redundancyReport([first, ...others]);
  io.out(format === 'md' ? redundancyMarkdown(report) : JSON.stringify(report));
  return EXIT_CODES.done;
}

function refuse(message: string, io: CommandIo): ExitCode {
  io.err(`world: ${message}`);
  return EXIT_CODES.badInput;
}
