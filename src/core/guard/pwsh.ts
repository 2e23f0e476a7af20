// PowerShell without a parser: a text of plain words that calls one reading cmdlet, or git, can be judged; everything with a
// metacharacter and every other command is R3. A real parser is a port (PLATFORM) and can only add to this.
import { note, notUnderstood } from './effects.ts';
import { CALLER_STDIN, noteSecretRead, type Walk } from './walk.ts';
import { literalWord, type ShellWord } from './word.ts';

const METACHARACTERS = /[;|&<>(){}$`"@#,%!^\n*?[\]=\u2018-\u201f\u2013-\u2015]/;
const READERS = new Set(
  'get-childitem gci dir ls get-content gc cat type select-string sls get-location gl pwd write-output echo write test-path get-item gi get-itemproperty gp resolve-path rvpa get-command gcm get-help help get-process gps ps get-service gsv get-date get-host get-module gmo get-alias gal measure-object measure select-object sort-object get-filehash get-acl get-psdrive gdr compare-object split-path join-path convert-path get-culture get-uptime get-timezone get-computerinfo get-eventlog get-winevent get-hotfix'.split(
    ' ',
  ),
);

/** Judges one PowerShell text. */
export function inspectPwsh(text: string, walk: Walk): void {
  const words = plainWords(text.trim());
  if (words === undefined) {
    notUnderstood(
      walk.findings,
      'PowerShell text with quotes, pipes, variables or other syntax cannot be judged without a parser',
    );
    return;
  }
  const name = words[0]?.known;
  if (name === undefined) return;
  if (READERS.has(name.toLowerCase())) {
    note(walk.findings, { level: 'R0', reason: `${name} only reads`, kind: 'read-file' });
    words.slice(1).forEach((word) => noteArgument(word, name, walk));
  } else if (name === 'git') {
    walk.runWords(words, CALLER_STDIN);
  } else {
    note(walk.findings, {
      level: 'R3',
      reason: `${name} is not on the list of reading PowerShell commands`,
      kind: 'unknown-program',
      target: name,
    });
  }
}

// Parameters that choose what is read and how it is shown. PowerShell completes a beginning, so those that could also mean
// another (-o for -OutVariable) are not here.
const PARAMETERS =
  /^-(path|literalpath|name|filter|include|exclude|recurse|force|file|directory|depth|raw|totalcount|tail|head|first|last|readcount|encoding|pattern|simplematch|casesensitive|context|list|quiet|notmatch|allmatches|property|unique|descending|skip|line|word|character|algorithm|pathtype|isvalid|leaf|parent|extension|childpath|resolve|id|module|listavailable|commandtype|syntax|examples|full|detailed|format|hidden|readonly|system|expandproperty)$/i;

/** Reads by name through a provider: the environment and the registry are not files, and a share is another machine. */
function noteArgument(word: ShellWord, name: string, walk: Walk): void {
  noteSecretRead(walk, word);
  const text = word.known;
  if (/^[-\u2212]/.test(text) && !PARAMETERS.test(text) && !/^-\d+$/.test(text))
    note(walk.findings, {
      level: 'R3',
      reason: `${name} ${text} is a parameter the guard does not know`,
      kind: 'unknown-program',
    });
  const provider = /^(?:[\w.]+\\)*(\w+)::?/.exec(text)?.[1]?.toLowerCase();
  if (provider?.startsWith('env') === true)
    note(walk.findings, {
      level: 'R0',
      reason: `${name} reads the environment, which may hold secrets`,
      kind: 'read-secret',
      target: 'environment',
    });
  else if (provider !== undefined && !/^[a-z]:[\\/]?/i.test(text))
    note(walk.findings, {
      level: 'R3',
      reason: `${name} reads ${text}, which is not a file`,
      kind: 'read-system',
    });
  if (/^[\\/]{2}/.test(text))
    note(walk.findings, {
      level: 'R3',
      reason: `${name} reads from another machine, and tells it who asks`,
      kind: 'network-read',
    });
}

function plainWords(text: string): readonly ShellWord[] | undefined {
  const quoted = text.includes("'");
  if (quoted || METACHARACTERS.test(text)) return undefined;
  return text === '' ? [] : text.split(/[ \t]+/).map((word) => literalWord(word));
}
