// Which branches and tags a git command makes or deletes, from its words. Only forms whose whole effect is on refs: a switch
// to another commit changes files as well, renaming changes settings, and both have no probe here.
import type { GitStep } from './git.ts';

/** One ref that is made or deleted. */
export interface RefWord {
  readonly ref: string;
  readonly isDeleted: boolean;
  readonly isAnnotated: boolean;
  /** The message of an annotated tag; null: not in the words. */
  readonly message: string | null;
}

export interface RefWords {
  readonly changes: readonly RefWord[];
  /** The branch that is checked out by it; null: none. */
  readonly enters: string | null;
  /** What new refs point to. */
  readonly start: string;
}

/** Ref names that mean only themselves. */
const NAME = /^(?!HEAD$)(?!.*(?:\.\.|\/\/|\.lock(?:\/|$)|\/\.|\/$|\.$))[\w][\w./+-]*$/;
/** A revision by name, with `~` and `^`; no dates, no searches. */
const START = /^[\w][\w./+~^-]*$/;

/** Null: no command of this kind, or one whose words do not say it all. */
export function refWords({ command, rest }: GitStep): RefWords | null {
  if (command === 'branch') return branchWords(rest);
  if (command === 'checkout') return enteringWords(rest, ['-b']);
  if (command === 'switch') return enteringWords(rest, ['-c', '--create']);
  return command === 'tag' ? tagWords(rest) : null;
}

function branchWords(rest: readonly string[]): RefWords | null {
  const [first = '', ...names] = rest.filter((word) => word !== '-q' && word !== '--quiet');
  if (first === '-d' || first === '-D' || first === '--delete') return deletions('refs/heads/', names);
  const isForced = first === '-f' || first === '--force';
  return creation('refs/heads/', isForced ? names : [first, ...names], {});
}

/** `git checkout -b name`, from where HEAD is: files stay as they are. */
function enteringWords(rest: readonly string[], flags: readonly string[]): RefWords | null {
  const [flag = '', name = '', ...more] = rest.filter((word) => word !== '-q' && word !== '--quiet');
  if (!flags.includes(flag) || more.length > 0) return null;
  const made = creation('refs/heads/', [name], {});
  return made && { ...made, enters: `refs/heads/${name}` };
}

function tagWords(rest: readonly string[]): RefWords | null {
  const messages: string[] = [];
  const names: string[] = [];
  let isAnnotated = false;
  let isDeleted = false;
  // A signature belongs to the message that git shows, so only an unsigned one is known.
  let isSigned = false;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? '';
    if (word === '-d' || word === '--delete') isDeleted = true;
    else if (word === '-a' || word === '--annotate') isAnnotated = true;
    else if (word === '-s' || word === '--sign') isAnnotated = isSigned = true;
    else if (/^(?:-[asf]*m|--message)$/.test(word)) {
      messages.push(rest[++i] ?? '');
      isSigned ||= /^-[af]*s/.test(word);
    } else if (word.startsWith('--message=')) messages.push(word.slice('--message='.length));
    else if (!word.startsWith('-')) names.push(word);
    else if (word !== '-f' && word !== '--force') return null;
  }
  if (isDeleted) return isAnnotated || messages.length > 0 ? null : deletions('refs/tags/', names);
  const message = messages.length === 0 || isSigned ? null : messages.join('\n\n');
  return creation('refs/tags/', names, { isAnnotated: isAnnotated || messages.length > 0, message });
}

function creation(
  prefix: string,
  names: readonly string[],
  { isAnnotated = false, message = null }: Partial<Pick<RefWord, 'isAnnotated' | 'message'>>,
): RefWords | null {
  const [name = '', start = 'HEAD', ...more] = names;
  if (!NAME.test(name) || !START.test(start) || more.length > 0) return null;
  return { changes: [{ ref: `${prefix}${name}`, isDeleted: false, isAnnotated, message }], enters: null, start };
}

function deletions(prefix: string, names: readonly string[]): RefWords | null {
  if (names.length === 0 || !names.every((name) => NAME.test(name))) return null;
  const changes = [...new Set(names)].map((name) => {
    return { ref: `${prefix}${name}`, isDeleted: true, isAnnotated: false, message: null };
  });
  return { changes, enters: null, start: 'HEAD' };
}
