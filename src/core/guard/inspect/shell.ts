// Shells and language interpreters: text given with -c is parsed again (shells) or hidden (other languages), a script file is
// a script nobody has read (R2; R3 from a place anyone may write to), and a program read from standard input is hidden text.
import { hasOption } from '../arguments.ts';
import { note } from '../effects.ts';
import { isTemporaryPath, locate } from '../paths.ts';
import type { Call } from '../rules/match.ts';
import { deeper, type Stdin, type Walk } from '../walk.ts';
import { literalText, type ShellWord } from '../word.ts';
import type { Claim } from './inspector.ts';

const SHELL_FLAGS = /^-[aeuxvlhmfBCEHPpTs]$/;

/** Notes that a script file is run. Its target lets the end of the walk see whether the same line wrote it. */
export function noteScript(file: ShellWord, walk: Walk, runner: string): void {
  const at = locate(file, walk);
  const shown = at.path ?? file.known;
  if (literalText(file) === undefined || shown.startsWith('/dev/') || isTemporaryPath(shown) || shown.startsWith('~')) {
    note(walk.findings, {
      level: 'R3',
      reason: `${runner} runs a program from a place the guard cannot trust: ${shown === '' ? 'known only when it runs' : shown}`,
      kind: 'run-hidden-text',
    });
    return;
  }
  note(walk.findings, {
    level: 'R2',
    reason: `${runner} runs ${shown}, which the guard has not read`,
    kind: 'run-script',
    target: shown,
  });
}

function hidden(walk: Walk, reason: string): Claim {
  note(walk.findings, { level: 'R3', reason, kind: 'run-hidden-text' });
  return 'claimed';
}

/** bash, sh, zsh, dash, ksh. */
export function inspectShell(call: Call, stdin: Stdin, walk: Walk): Claim {
  const { parsed, program } = call;
  if (hasOption(parsed, ['--version', '--help']) && call.words.length === 1) return 'table';
  if (parsed.doubtful) return hidden(walk, `${program} with an option that is known only when it runs`);
  const unknown = parsed.options.find(
    ({ name }) =>
      !SHELL_FLAGS.test(name) &&
      !['-c', '-o', '-O', '-n', '--norc', '--noprofile', '--posix', '--login'].includes(name),
  );
  if (unknown !== undefined) return hidden(walk, `${program} ${unknown.name} is an option the guard does not know`);
  const words = call.words.slice(parsed.end);
  if (words[0]?.known.startsWith('+') === true)
    return hidden(walk, `${program} ${words[0].known} is an option the guard does not know`);
  if (hasOption(parsed, ['-c'])) {
    const text = words[0];
    if (text?.kind !== 'literal') return hidden(walk, `${program} -c runs text that is known only when it runs`);
    deeper(walk, () => walk.runText(text.known));
    return 'claimed';
  }
  const script = words[0];
  if (script !== undefined && !hasOption(parsed, ['-s'])) {
    if (hasOption(parsed, ['-n']))
      note(walk.findings, { level: 'R0', reason: `${program} -n only checks the syntax`, kind: 'read-file' });
    else noteScript(script, walk, program);
    return 'claimed';
  }
  if (stdin.from === 'text' && stdin.text !== undefined) {
    const text = stdin.text;
    deeper(walk, () => walk.runText(text));
    return 'claimed';
  }
  return hidden(walk, `${program} runs whatever its input holds`);
}

const MODULES: Readonly<Record<string, string>> = {
  pytest: 'pytest',
  unittest: 'pytest',
  pip: 'pip',
  mypy: 'mypy',
  ruff: 'ruff',
  black: 'black',
  isort: 'isort',
  flake8: 'flake8',
  pylint: 'pylint',
  coverage: 'coverage',
};

/** python, python3. Modules with a table row of their own are judged by it; `-c` is hidden text. */
export function inspectPython(call: Call, stdin: Stdin, walk: Walk): Claim {
  const { program } = call;
  const first = call.words[0];
  const module = /^-[BEIsSuq]*m$/.test(first?.known ?? '') ? literalText(call.words[1]) : undefined;
  if (module !== undefined) {
    const known = MODULES[module];
    if (known !== undefined) {
      deeper(walk, () =>
        walk.runWords(
          [{ kind: 'literal', known, canBeOption: false, expanded: false, splits: false }, ...call.words.slice(2)],
          stdin,
        ),
      );
      return 'claimed';
    }
    return 'table';
  }
  return inspectInterpreter(call, stdin, walk, program, ['-c', '-m'], /^-[BEIOsSuqvx]$|^-OO$/);
}

/** node, tsx, ts-node: a script file, or hidden text with -e and -p. */
export function inspectNode(call: Call, stdin: Stdin, walk: Walk): Claim {
  if (hasOption(call.parsed, ['--test'])) {
    const odd = call.parsed.options.find(
      ({ name }) =>
        !/^--(test|test-only|test-name-pattern|test-concurrency|test-timeout|test-force-exit|experimental-(strip-types|transform-types|vm-modules|test-coverage|test-module-mocks)|enable-source-maps|no-warnings|watch)$/.test(
          name,
        ),
    );
    return odd === undefined ? 'table' : hidden(walk, `node ${odd.name} is an option the guard does not know`);
  }
  if (hasOption(call.parsed, ['--check', '-c']) && call.program === 'node') return 'table';
  return inspectInterpreter(
    call,
    stdin,
    walk,
    call.program,
    [
      '-e',
      '--eval',
      '-p',
      '--print',
      '-r',
      '--require',
      '--import',
      '--loader',
      '--experimental-loader',
      '--env-file',
      '-i',
    ],
    /^--(no-warnings|enable-source-maps|experimental-(strip-types|transform-types|vm-modules|sqlite|detect-module|wasm-modules)|trace-(warnings|uncaught|deprecation)|max-old-space-size|stack-size|watch|inspect(-brk)?|expose-gc|harmony[\w-]*|tsconfig)$|^--$/,
  );
}

/** ruby, php, lua, Rscript and the like: a script file; any option is unknown. */
export function inspectScripted(call: Call, stdin: Stdin, walk: Walk): Claim {
  return inspectInterpreter(call, stdin, walk, call.program, ['-e', '-r', '-E', '-c'], /^-[wW]$/);
}

function inspectInterpreter(
  call: Call,
  stdin: Stdin,
  walk: Walk,
  runner: string,
  code: readonly string[],
  harmless: RegExp,
): Claim {
  const { parsed } = call;
  const only = call.words.length === 1 ? (call.words[0]?.known ?? '') : '';
  if (/^(--version|-V|-v|--help|-h)$/.test(only)) return 'table';
  if (hasOption(parsed, code)) return hidden(walk, `${runner} runs code given on the command line`);
  if (parsed.doubtful) return hidden(walk, `${runner} with an option that is known only when it runs`);
  const odd = parsed.options.find(({ name }) => !harmless.test(name));
  if (odd !== undefined) return hidden(walk, `${runner} ${odd.name} is an option the guard does not know`);
  const script = call.words[parsed.end];
  if (script === undefined || script.known === '-') {
    return hidden(
      walk,
      stdin.from === 'text'
        ? `${runner} runs code given on the command line`
        : `${runner} runs whatever its input holds`,
    );
  }
  noteScript(script, walk, runner);
  return 'claimed';
}
