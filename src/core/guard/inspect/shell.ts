// Shells and language interpreters: text given with -c is parsed again (shells) or hidden (other languages), a script file is
// a script nobody has read (R2; R3 from a place anyone may write to), and a program read from standard input is hidden text.
import { hasOption } from '../arguments.ts';
import { note } from '../effects.ts';
import { SET_NAMES } from '../bash/builtins.ts';
import { holdsIndexCode } from '../bash/numbers.ts';
import { isTemporaryPath, locate } from '../paths.ts';
import type { Call } from '../rules/match.ts';
import { apart, deeper, noteRun, noteSecretRead, noteWrite, type Stdin, type Walk } from '../walk.ts';
import { literalText, literalWord, type ShellWord } from '../word.ts';
import type { Claim } from './inspector.ts';

const SHELL_FLAGS = /^-[euxvlfCs]$/;

/** Notes that a script file is run. Its target lets the end of the walk see whether the same line wrote it. */
export function noteScript(file: ShellWord, walk: Walk, runner: string): void {
  const at = locate(file, walk);
  const shown = at.path ?? file.known;
  noteRun(walk, shown);
  if (
    literalText(file) === undefined ||
    at.place === 'unknown' ||
    shown.startsWith('/dev/') ||
    isTemporaryPath(shown) ||
    shown.startsWith('~')
  ) {
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
    ({ name, value }) =>
      !SHELL_FLAGS.test(name) &&
      !['-c', '-n', '--norc', '--noprofile', '--login'].includes(name) &&
      !(name === '-o' && SET_NAMES.test(literalText(value) ?? '')),
  );
  if (unknown !== undefined) return hidden(walk, `${program} ${unknown.name} is an option the guard does not know`);
  const words = call.words.slice(parsed.end);
  if (words[0]?.known.startsWith('+') === true)
    return hidden(walk, `${program} ${words[0].known} is an option the guard does not know`);
  if (hasOption(parsed, ['-c'])) {
    const text = words[0];
    if (text?.kind !== 'literal') return hidden(walk, `${program} -c runs text that is known only when it runs`);
    if (words.slice(1).some((word) => holdsIndexCode(word.known)))
      return hidden(walk, `${program} -c is handed shell code as text`);
    words.slice(1).forEach((word) => noteSecretRead(walk, word));
    runApart(text.known, walk);
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
    runApart(stdin.text, walk);
    return 'claimed';
  }
  return hidden(walk, `${program} runs whatever its input holds`);
}

/** Another shell: it knows none of this one's functions, and what it changes is gone with it. */
function runApart(text: string, walk: Walk): void {
  apart(walk, () => {
    walk.functions = new Set();
    deeper(walk, () => walk.runText(text));
  });
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
  if (module === undefined)
    return inspectInterpreter(call, stdin, walk, program, ['-c', '-m'], /^-[BEIOsSuqvx]$|^-OO$/);
  const known = Object.hasOwn(MODULES, module) ? MODULES[module] : undefined;
  if (known === undefined) return inspectModule(module, call.words.slice(2), walk);
  deeper(walk, () => walk.runWords([literalWord(known), ...call.words.slice(2)], stdin));
  return 'claimed';
}

const MODULE_FLAGS: Readonly<Record<string, RegExp>> = {
  'json.tool': /^--(sort-keys|no-ensure-ascii|compact|tab|json-lines|indent=\d+)$/,
  venv: /^--(without-pip|system-site-packages|upgrade-deps)$/,
  compileall: /^-q+$/,
  py_compile: /^-q$/,
  build: /^--(wheel|sdist)$/,
  platform: /^$/,
  site: /^$/,
  sysconfig: /^$/,
  this: /^$/,
};

/** Modules of the standard library whose few options are listed; any other word or option is R3. */
function inspectModule(module: string, words: readonly ShellWord[], walk: Walk): Claim {
  const flags = Object.hasOwn(MODULE_FLAGS, module) ? MODULE_FLAGS[module] : undefined;
  const operands = words.filter((word) => !word.known.startsWith('-'));
  const fits =
    flags !== undefined &&
    words.every((word) => word.kind === 'literal' && (!word.canBeOption || flags.test(word.known))) &&
    operands.length <= (module === 'json.tool' || module === 'venv' ? 1 : flags.source === '^$' ? 0 : 20);
  if (!fits) return hidden(walk, `python -m ${module} in this form is not known to the guard`);
  if (module === 'venv' || module === 'compileall' || module === 'py_compile')
    for (const word of operands)
      noteWrite(walk, word, { level: 'R1', kind: 'write-file', verb: `python -m ${module} writes`, isOwnOutput: true });
  operands.forEach((word) => noteSecretRead(walk, word));
  if (module === 'build') noteRun(walk);
  return 'table';
}

/** `coverage run` runs what python would; the other subcommands are left to the table. */
export function inspectCoverage(call: Call, stdin: Stdin, walk: Walk): Claim {
  if (literalText(call.parsed.operands[0]) !== 'run') return 'table';
  const rest = call.words.slice(call.words.findIndex((word) => word.known === 'run') + 1);
  const own = rest.findIndex(
    (word) => !/^(-[pa]|--branch|--append|--parallel-mode|--source=[\w./,-]+)$/.test(word.known),
  );
  const inner = own < 0 ? [] : rest.slice(own);
  if (inner.length === 0) return hidden(walk, 'coverage run without a program');
  deeper(walk, () => walk.runWords([literalWord('python'), ...inner], stdin));
  return 'claimed';
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
  if (hasOption(call.parsed, ['--check', '-c']) && call.program === 'node')
    return call.parsed.options.every(({ name }) => name === '--check' || name === '-c')
      ? 'table'
      : hidden(walk, 'node --check with an option that may load code');
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
