// What the readers find in real output of real programs (test/support/verifierOutputs; those of Go are written by its format).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOutput } from '../../../src/adapters/verifiers/output/readOutput.ts';
import type { CheckReason } from '../../../src/core/recovery/checks.ts';
import type { CheckReading } from '../../../src/engine/ports.ts';

const folder = join(import.meta.dirname, '../../support/verifierOutputs');
const outputOf = (name: string): string => readFileSync(join(folder, `${name}.txt`), 'utf8');
const read = (stdout: string, exitCode = 1): CheckReading =>
  readOutput({ command: 'npm test' }, { exitCode, stdout, stderr: '' }, '/repo');
const short = ({ kind, name, file, line, message }: CheckReason): string =>
  `${kind} ${name} | ${file ?? '-'}:${line ?? '-'} | ${message}`;
const reasonsOf = (name: string): readonly string[] => read(outputOf(name)).reasons.map(short);

describe('reasons from the output of', () => {
  it('the TypeScript compiler, plain', () => {
    expect(reasonsOf('tscPlain')).toEqual([
      "type TS2322 | src/price.ts:4 | Type 'number' is not assignable to type 'string'.",
      "type TS2322 | src/price.ts:5 | Type 'string' is not assignable to type 'number'.",
      "type TS2551 | src/price.ts:5 | Property 'curency' does not exist on type 'Price'. Did you mean 'currency'?",
      "type TS2322 | src/price.ts:8 | Type 'string' is not assignable to type 'number'.",
    ]);
  });

  it('the TypeScript compiler in colours, with the same reasons', () => {
    expect(reasonsOf('tscPretty')).toEqual(reasonsOf('tscPlain'));
  });

  it('the TypeScript compiler about its settings', () => {
    expect(reasonsOf('tscConfig')[0]).toMatch(/^type TS6046 \| bad\.json:1 \| Argument for '--target' option/);
  });

  it('ESLint as JSON: errors, no warnings', () => {
    expect(reasonsOf('eslintJson')).toEqual([
      'lint parsing | src/broken.js:1 | Parsing error: Unexpected token ;',
      "lint no-unused-vars | src/sum.js:3 | 'spare' is assigned a value but never used.",
      "lint eqeqeq | src/sum.js:4 | Expected '!==' and instead saw '!='.",
    ]);
  });

  it('ESLint for people', () => {
    expect(reasonsOf('eslintStylish')).toEqual([
      'lint parsing | src/broken.js:1 | Parsing error: Unexpected token ;',
      "lint no-unused-vars | src/sum.js:3 | 'spare' is assigned a value but never used",
      "lint eqeqeq | src/sum.js:4 | Expected '!==' and instead saw '!='",
    ]);
  });

  it('Vitest for people', () => {
    expect(reasonsOf('vitestText')).toEqual([
      "test test/broken.test.js | test/broken.test.js:1 | Error: Cannot find module '../missing.js' imported from /repo/test/broken.test.js",
      'test total > adds what is bought | test/total.test.js:4 | AssertionError: expected 4 to be 3 // Object.is equality',
      'test total > knows an object | test/total.test.js:5 | AssertionError: expected { a: 1, b: [ 1, 2 ] } to deeply equal { a: +0, b: [ 1, 2 ] }',
    ]);
    expect(read(outputOf('vitestText'))).toMatchObject({ ranTests: 3, quality: 1 / 3 });
  });

  it('Vitest as JSON', () => {
    const [broken, adds, knows] = reasonsOf('vitestJson');
    expect(broken).toMatch(/^test test\/broken\.test\.js \| test\/broken\.test\.js:- \| Cannot find module/);
    expect(adds).toBe(
      'test total adds what is bought | test/total.test.js:4 | AssertionError: expected 4 to be 3 // Object.is equality',
    );
    expect(knows).toContain('| test/total.test.js:5 |');
  });

  it('Jest for people', () => {
    expect(reasonsOf('jestText')).toEqual([
      'test total > adds what is bought | test/total.test.js:3 | expect(received).toBe(expected) // Object.is equality Expected: 3 Received: 4',
      'test throws | test/total.test.js:7 | TypeError: the price list is empty',
      "test test/broken.test.js | test/broken.test.js:1 | Cannot find module '../missing.js' from 'test/broken.test.js'",
    ]);
    expect(read(outputOf('jestText'))).toMatchObject({ ranTests: 3, quality: 1 / 3 });
  });

  it('Jest as JSON', () => {
    const [adds, throws, broken] = reasonsOf('jestJson');
    expect(adds).toMatch(
      /^test total adds what is bought \| test\/total\.test\.js:3 \| Error: expect\(received\)\.toBe/,
    );
    expect(throws).toMatch(/^test throws \| test\/total\.test\.js:7 \| TypeError: the price list is empty/);
    expect(broken).toMatch(/^test test\/broken\.test\.js \| .* Cannot find module/);
    expect(read(outputOf('jestJson'))).toMatchObject({ ranTests: 3, quality: 1 / 3 });
  });

  it("Node's test runner for people", () => {
    expect(reasonsOf('nodeSpec')).toEqual([
      'test test/broken.test.js | test/broken.test.js:1 | test failed',
      'test adds what is bought | test/total.test.js:5 | AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 4 !== 3',
      'test knows an object | test/total.test.js:8 | AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal: + actual - expected { + a: 1, - a: 0, b: [ 1, 2 ] }',
      'test throws | test/total.test.js:10 | TypeError [Error]: the price list is empty',
    ]);
    expect(read(outputOf('nodeSpec'))).toMatchObject({ ranTests: 5, quality: 1 / 5 });
  });

  it("Node's test runner as TAP, the same tests at the same places", () => {
    expect(reasonsOf('nodeTap')).toEqual([
      'test test/broken.test.js | test/broken.test.js:1 | test failed',
      'test adds what is bought | test/total.test.js:5 | Expected values to be strictly equal: 4 !== 3',
      'test knows an object | test/total.test.js:8 | Expected values to be strictly deep-equal: + actual - expected { + a: 1, - a: 0, b: [ 1, 2 ] }',
      'test throws | test/total.test.js:10 | the price list is empty',
    ]);
    expect(read(outputOf('nodeTap'))).toMatchObject({ ranTests: 5, quality: 1 / 5 });
  });

  it('pytest', () => {
    expect(reasonsOf('pytest')).toEqual([
      'test TestTotal::test_adds | test_total.py:6 | assert 4 == 3 + where 4 = total([1, 2])',
      'test test_each[1] | test_total.py:11 | AssertionError: one is not one assert 2 == 1 + where 2 = total([1])',
      'test test_each[2] | test_total.py:11 | AssertionError: one is not one assert 3 == 2 + where 3 = total([2])',
      'test test_raises | test_total.py:13 | ValueError: the price list is empty',
      'test test_with_db | test_total.py:16 | RuntimeError: no database',
    ]);
    expect(read(outputOf('pytest'))).toMatchObject({ ranTests: 6, quality: 1 / 6 });
  });

  it('pytest where a file cannot be loaded', () => {
    expect(reasonsOf('pytestBroken')).toEqual([
      "test test_broken.py | test_broken.py:1 | ModuleNotFoundError: No module named 'missing_module'",
    ]);
  });

  it('go test: each failed subtest, and errors of the compiler', () => {
    expect(reasonsOf('goTest')).toEqual([
      'test TestTotal/of_two | total_test.go:14 | Total(1, 2) = 4, want 3',
      'test TestTotal/of_none | total_test.go:14 | Total() = 1, want 0',
      'test TestRound | round_test.go:21 | Error Trace: round_test.go:21 Error: Not equal',
      'type go | internal/cart/cart_test.go:9 | undefined: Total',
      'type go | internal/cart/cart_test.go:12 | cannot use "x" (untyped string constant) as int value in argument to Add',
    ]);
  });

  it('go test as events', () => {
    expect(reasonsOf('goTestJson')).toEqual(['test TestTotal | total_test.go:14 | Total(1, 2) = 4, want 3']);
    expect(read(outputOf('goTestJson'))).toMatchObject({ ranTests: 2, quality: 1 / 2 });
  });

  it('cargo test', () => {
    expect(reasonsOf('cargoTest')).toEqual([
      'test tests::fails_with_error | -:- | Error: "no shop"',
      'test tests::throws | src/lib.rs:20 | the price list is empty',
      'test tests::adds_what_is_bought | src/lib.rs:9 | assertion `left == right` failed: of a small list left: 4 right: 3',
    ]);
    expect(read(outputOf('cargoTest'))).toMatchObject({ ranTests: 4, quality: 1 / 4 });
  });

  it('cargo where it does not compile, in both forms', () => {
    expect(reasonsOf('cargoCompile')).toEqual([
      'type E0425 | src/lib.rs:4 | cannot find value `unknown` in this scope',
      'type E0308 | src/lib.rs:3 | mismatched types',
    ]);
    expect(reasonsOf('cargoShort').map((text) => text.split(' | ').slice(0, 2))).toEqual(
      reasonsOf('cargoCompile').map((text) => text.split(' | ').slice(0, 2)),
    );
  });

  it('a program that nobody knows: its exit code and its last lines', () => {
    expect(read('step 1\nstep 2\nno shop today\n', 3).reasons.map(short)).toEqual([
      'exit npm test | -:- | exit code 3: step 1 step 2 no shop today',
    ]);
  });
});

describe('a reading', () => {
  it.each([
    ['Vitest', ' Test Files  1 failed (1)\n      Tests  1 failed | 3 passed (4)\n', 3 / 4],
    [
      'Vitest about a file that cannot be run',
      ' Test Files  1 failed | 1 passed (2)\n      Tests  3 passed (3)\n',
      null,
    ],
    ['Jest', 'Tests:       2 failed, 1 passed, 3 total\n', 1 / 3],
    [
      'Jest, and a second run that ended well',
      'Tests:       2 failed, 2 total\nTests:       2 passed, 2 total\n',
      1 / 2,
    ],
    ['pytest', 'FAILED test_a.py::test_x - assert 1 == 2\n1 failed, 2 passed in 0.03s\n', 2 / 3],
    ["Node's test runner", '# tests 4\n# pass 3\n# fail 1\n', 3 / 4],
    ['a TAP stream', 'TAP version 13\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP\n1..3\n', 1 / 2],
    ['cargo test', 'test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured\n', 1 / 2],
    ['go test', '--- FAIL: TestSum (0.00s)\n    sum_test.go:3: no\nFAIL\tshop\t0.1s\n', null],
    ['Mocha', '  3 passing (10ms)\n  1 failing\n', 3 / 4],
    ['AVA', '  1 test failed\n', 0],
    ['Playwright', '  1 failed\n    a.spec.ts:3:1 › adds\n  3 passed (2.1s)\n', 3 / 4],
    ['Bun', ' 3 pass\n 1 fail\nRan 4 tests across 1 files. [8.00ms]\n', 3 / 4],
    ['Deno', 'FAILED | 3 passed | 1 failed (12ms)\n', 3 / 4],
    ['Jasmine', '4 specs, 1 failure\n', 3 / 4],
    ['unittest', 'Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n', 1 / 2],
    ['the TypeScript compiler', outputOf('tscPlain'), null],
    ['ESLint', outputOf('eslintJson'), null],
  ])('has not passed where %s reports a failure, with exit code 0 as well', (_, stdout, quality) => {
    const reading = read(stdout, 0);
    expect(reading.reasons.length).toBeGreaterThan(0);
    if (quality === null) expect(reading.quality).toBeNull();
    else expect(reading.quality).toBeCloseTo(quality);
  });

  it('passes with exit code 0 where nothing reports a failure', () => {
    const passed = (stdout: string): CheckReading => read(stdout, 0);
    expect(passed('')).toEqual({ reasons: [], quality: 1, ranTests: null, unread: null });
    expect(passed('  3 passing (10ms)\n  1 pending\n')).toMatchObject({ reasons: [], quality: 1, ranTests: 3 });
    expect(passed('2 passed, 1 xpassed in 0.03s\n')).toMatchObject({ reasons: [], ranTests: 3 });
    expect(passed('TAP version 13\nok 1 - a\nnot ok 2 - b # TODO\n1..2\n')).toMatchObject({ reasons: [], ranTests: 1 });
    expect(passed('Ran 3 tests in 0.001s\n\nOK\n')).toMatchObject({ reasons: [], ranTests: 3 });
  });

  it('tells that no test was run', () => {
    expect(read('ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0\n', 0).ranTests).toBe(0);
    expect(read(outputOf('pytestNone'), 5).ranTests).toBe(0);
    expect(read('?   \tshop\t[no test files]\n', 0).ranTests).toBe(0);
    expect(read('ok  \tshop\t0.003s [no tests to run]\n', 0).ranTests).toBe(0);
    expect(read('ok  \tshop\t0.003s\n', 0).ranTests).toBe(1);
    expect(read('built\n', 0).ranTests).toBeNull();
  });

  it('tells what it has not read beside errors of types', () => {
    const banner = '\n> shop@1.0.0 typecheck\n> tsc --noEmit\n\n';
    const plain = outputOf('tscPlain');
    const long = `src/a.ts(1,1): error TS2322: not assignable.\n${'  and so on\n'.repeat(10)}`;
    for (const whole of [
      plain,
      banner + plain,
      `${banner}${long}`,
      `yarn run v1.22.22\n$ tsc\n${plain}error Command failed with exit code 2.\n`,
    ])
      expect(read(whole, 2).unread).toBeNull();
    expect(read(`${plain}boundaries: forbidden\n`, 2).unread).toBe('boundaries: forbidden');
    expect(read(`${plain}error Command failed with exit code 1.\n`, 2).unread).toContain('exit code 1');
    expect(read(`${plain}${'x'.repeat(10)}\n[7 of 9 bytes left out]\n${plain}`, 2).unread).toContain('left out');
    expect(read(`src/a.ts(1,1): error TS2322: Type '[secret]' is none.\n`, 2).unread).toContain('masked');
    expect(read(`src/a.ts(1,1): error TS2322: ${'x'.repeat(3000)}\n`, 2).unread).toContain('too long');
    expect(read(`${plain.split('\n')[0] ?? ''}\n`.repeat(70_000), 2).unread).toContain('too long');
  });

  it('counts two errors of one line as two', () => {
    const at = (column: number): string => `src/a.ts(4,${column}): error TS2304: Cannot find name 'x'.\n`;
    expect(read(at(9) + at(20) + at(9), 2).reasons).toHaveLength(2);
  });

  it('sees the summary at the end of a hundred thousand lines', () => {
    expect(read(`${'.\n'.repeat(100_000)}# pass 3\n# fail 1\n`, 0).quality).toBe(3 / 4);
  });

  it('counts the tests of several runners in one command together', () => {
    const both = `${outputOf('jestText')}\n${outputOf('pytest')}`;
    expect(read(both)).toMatchObject({ ranTests: 9, quality: 2 / 9 });
  });

  it('never throws and always has a reason, whatever was printed', () => {
    const pieces = fc.constantFrom(
      ...['tscPlain', 'jestText', 'nodeTap', 'pytest', 'cargoTest', 'vitestJson'].flatMap((name) =>
        outputOf(name).split('\n'),
      ),
      '[{"filePath":"a","messages":[{',
      '{"num',
      'not ok 1',
      '  ---',
      '---- a stdout ----',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }),
        fc.integer({ min: 1, max: 255 }),
        (lines, code) => {
          const { reasons, quality } = read(lines.join('\n'), code);
          expect(reasons.length).toBeGreaterThan(0);
          if (quality !== null) expect(quality).toBeLessThan(1);
        },
      ),
    );
  });

  it('reads ten megabytes of one character in little time', { timeout: 5000 }, () => {
    const { reasons } = read(`${'x'.repeat(5_000_000)}\n${' '.repeat(5_000_000)}\n${'- '.repeat(100_000)}`);
    expect(reasons).toHaveLength(1);
  });
});
