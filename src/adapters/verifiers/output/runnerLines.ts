// Lines in which a package manager says what it runs and that it failed, in exactly their forms: they report nothing of their own.
const BANNER = /^> (?:\S+ )?[\w:.@/-]+(?: \/\S+)?$/;
const COMMAND = /^> \S/;
/** Of pnpm, yarn and bun; each names the exit code, which must be the one it ended with. */
const FAILURES: readonly RegExp[] = [
  /^(?: ELIFECYCLE |\[ELIFECYCLE\]) ?Command failed with exit code (\d{1,10})\.$/,
  /^error Command failed with exit code (\d{1,10})\.$/,
  /^error: script "[^"]{1,100}" exited with code (\d{1,10})$/,
];
const YARN =
  /^(?:yarn run v\d[\d.]{0,20}|info Visit https:\/\/yarnpkg\.com\/en\/docs\/cli\/run for documentation about this command\.)$/;
/** What yarn runs, below its version, and bun, above its failure. */
const DOLLAR = /^\$ \S/;

/** Indices of the lines that are a package manager's. */
export function runnerLines(lines: readonly string[], exitCode: number): ReadonlySet<number> {
  const found = new Set<number>();
  const isFailure = (line: string): boolean => FAILURES.some((form) => form.exec(line)?.[1] === String(exitCode));
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1] ?? '';
    if (BANNER.test(line) && COMMAND.test(next)) found.add(index).add(index + 1);
    else if (DOLLAR.test(line) && (YARN.test(lines[index - 1] ?? '') || isFailure(next))) found.add(index);
    else if (YARN.test(line) || isFailure(line)) found.add(index);
  }
  return found;
}
