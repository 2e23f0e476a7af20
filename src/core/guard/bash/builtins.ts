// Builtins that change the shell itself or run text: cd, eval, source, trap, alias and their kin. Text that is literally here is
// parsed again; any other is R3. Builtins that only print or test are rows of the effect table.
import { note } from '../effects.ts';
import { isTemporaryPath, resolvePath } from '../paths.ts';
import { deeper, type Walk } from '../walk.ts';
import { literalText, type ShellWord } from '../word.ts';
import { noteExported } from './assignments.ts';

type Builtin = (args: readonly ShellWord[], walk: Walk, name: string) => void;

/** The builtins judged here, by name. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['cd', changeDirectory],
  ['pushd', changeDirectory],
  ['popd', (_args, walk) => void (walk.cwds = [undefined])],
  ['export', declare],
  ['declare', declare],
  ['typeset', declare],
  ['local', declare],
  ['readonly', declare],
  ['eval', evaluate],
  ['source', sourceFile],
  ['.', sourceFile],
  ['trap', setTrap],
  ['alias', setAlias],
  ['shopt', shellOption],
  ['set', shellOption],
  ['read', readVariables],
  ['mapfile', readVariables],
  ['readarray', readVariables],
]);

function hidden(walk: Walk, reason: string): void {
  note(walk.findings, { level: 'R3', reason, kind: 'run-hidden-text' });
}

function changeDirectory(args: readonly ShellWord[], walk: Walk): void {
  const targets = args.filter((word) => !/^-[LPe@]+$/.test(word.known) && word.known !== '--');
  const target = literalText(targets[0]);
  if (targets.length !== 1 || target === undefined || target === '-' || target === '' || /^[+-]\d+$/.test(target)) {
    walk.cwds = [targets.length === 0 ? '~' : undefined];
    return;
  }
  note(walk.findings, { level: 'R0', reason: 'changes the directory of what follows' });
  walk.cwds = [...new Set(walk.cwds.map((cwd) => resolvePath(cwd, target)))];
}

function declare(args: readonly ShellWord[], walk: Walk, name: string): void {
  for (const word of args) {
    const option = /^[-+](.*)/.exec(word.known)?.[1];
    if (word.canBeOption && (word.kind === 'opaque' || option?.includes('n') === true)) {
      hidden(walk, `${name} with a name or option that is known only when it runs`);
    }
    const assigned = /^([A-Za-z_]\w*)=/.exec(word.known)?.[1];
    if (assigned === undefined && word.kind === 'opaque')
      hidden(walk, `${name} sets a variable whose name is known only when it runs`);
    else if (assigned !== undefined && name !== 'local')
      noteExported(assigned, literalText(word)?.slice(assigned.length + 1), walk);
  }
}

function evaluate(args: readonly ShellWord[], walk: Walk): void {
  if (args.every((word) => word.kind === 'literal' && !word.expanded))
    deeper(walk, () => walk.runText(args.map((word) => word.known).join(' ')));
  else hidden(walk, 'eval runs text that is known only when it runs');
}

function sourceFile(args: readonly ShellWord[], walk: Walk): void {
  const file = literalText(args[0]);
  if (file === undefined || isTemporaryPath(file) || file.startsWith('/dev/') || file.startsWith('~')) {
    hidden(walk, 'source runs text that the guard cannot see');
    return;
  }
  note(walk.findings, {
    level: 'R2',
    reason: `source runs ${file}, which the guard has not read`,
    kind: 'run-script',
    target: resolvePath(walk.cwds[0], file) ?? file,
  });
  walk.variables = new Map();
  if (!/(^|\/)\.?venv\/bin\/activate$/.test(file)) walk.cwds = [undefined];
}

function setTrap(args: readonly ShellWord[], walk: Walk): void {
  if (args.length === 0 || /^-[lp]$/.test(args[0]?.known ?? '')) return;
  const text = literalText(args[0]);
  if (text === undefined) hidden(walk, 'trap runs text that is known only when it runs');
  else if (text !== '-' && text !== '') deeper(walk, () => walk.runText(text));
}

function setAlias(args: readonly ShellWord[], walk: Walk): void {
  for (const word of args) {
    const text = literalText(word);
    if (text === '-p') continue;
    if (text === undefined || text.includes('=')) hidden(walk, 'alias gives a command name another meaning');
  }
}

function shellOption(args: readonly ShellWord[], walk: Walk, name: string): void {
  for (const word of args) {
    if (word.kind === 'opaque' && name === 'shopt')
      hidden(walk, 'shopt with an option that is known only when it runs');
    if (
      /expand_aliases|extdebug|allexport/.test(word.known) ||
      (name === 'set' && /^-[a-z]*[ak]/.test(word.known) && word.known !== '--')
    ) {
      hidden(walk, `${name} ${word.known} changes how later commands are read`);
    }
  }
}

function readVariables(args: readonly ShellWord[], walk: Walk, name: string): void {
  if (name !== 'read' && args.some((word) => word.canBeOption && /^(-[a-z]*C|$)/.test(word.known)))
    hidden(walk, `${name} -C runs a command`);
  for (const word of args) {
    if (word.kind === 'literal' && /^[A-Z]/.test(word.known)) noteIfSteering(word.known, walk, name);
  }
}

function noteIfSteering(variable: string, walk: Walk, name: string): void {
  if (/^(PATH|IFS|HOME|ENV|BASH_ENV|LD_\w+|GIT_\w+|PROMPT_COMMAND|PAGER|EDITOR)$/.test(variable)) {
    hidden(walk, `${name} sets ${variable}, which changes what later commands run`);
  }
}
