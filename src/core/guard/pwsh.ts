// PowerShell without a parser: a text of plain words that calls one reading cmdlet, or git, can be judged; everything with a
// metacharacter and every other command is R3. A real parser is a port (PLATFORM) and can only add to this.
import { note, notUnderstood } from './effects.ts';
import { CALLER_STDIN, noteSecretRead, type Walk } from './walk.ts';
import { literalWord, type ShellWord } from './word.ts';

const METACHARACTERS = /[;|&<>(){}$`"@#,%!^\n*?[\]=\u2018-\u201f\u2013-\u2015]/;
const READERS = new Set(
  'get-childitem gci dir ls get-content gc cat type select-string sls get-location gl pwd write-output echo write test-path get-item gi get-itemproperty gp resolve-path rvpa get-command gcm get-help help get-process gps ps get-service gsv get-date get-host get-module gmo get-variable get-alias gal get-member gm measure-object measure select-object sort-object get-filehash get-acl get-psdrive gdr get-history compare-object split-path join-path convert-path get-culture get-uptime get-timezone get-computerinfo get-eventlog get-winevent get-hotfix'.split(
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
    words.slice(1).forEach((word) => noteSecretRead(walk, word));
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

function plainWords(text: string): readonly ShellWord[] | undefined {
  const quoted = text.includes("'");
  if (quoted || METACHARACTERS.test(text)) return undefined;
  return text === '' ? [] : text.split(/[ \t]+/).map((word) => literalWord(word));
}
