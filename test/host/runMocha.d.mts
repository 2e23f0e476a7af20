/** Types of runMocha.mjs for the tests, which are TypeScript. */
export function runMocha(suites: readonly (() => Promise<unknown>)[], options?: Record<string, unknown>): Promise<void>;
