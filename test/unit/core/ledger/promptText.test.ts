import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { howToAnswer, questionAtEnd, questionIn } from '../../../../src/core/ledger/promptText.ts';

describe('a question at the end of a line', () => {
  it.each([
    'Password:',
    'Password for user postgres: ',
    'Enter password: ',
    "bob@build.example.org's password: ",
    '[sudo] password for bob: ',
    "Username for 'https://github.com': ",
    "Password for 'https://bob@github.com': ",
    "Enter passphrase for key '/home/bob/.ssh/id_ed25519': ",
    'Enter PEM pass phrase:',
    'New password: ',
    'Are you sure you want to continue connecting (yes/no/[fingerprint])? ',
    'Do you want to continue? [Y/n] ',
    'Continue? [y/N]',
    'Continue (y/n): ',
    'Proceed (Y/n)? ',
    'Ok to proceed? (y) ',
    'Is this OK? (yes) ',
    '(1/3) Stage this hunk [y,n,q,a,d,j,J,g,/,e,?]? ',
    "rm: remove regular file 'a.txt'? ",
    "mv: overwrite 'b.txt'? ",
    'replace a.txt? [y]es, [n]o, [A]ll, [N]one, [r]ename: ',
    'Overwrite a.txt? (Yes/No/All): ',
    'WARNING! This will remove all stopped containers.\rAre you sure you want to continue? [y/N] ',
    '  Enter a value: ',
    'Please enter your name: ',
    'Please select a number (1-4): ',
    'Press any key to continue . . . ',
    'Press ENTER to continue or ctrl-c to abort',
    '--More--',
    '(END)',
    '[Y] Yes  [A] Yes to All  [N] No  [L] No to All  [S] Suspend  [?] Help (default is "Y"): ',
    'Terminate batch job (Y/N)? ',
    '\u001b[36m?\u001b[39m \u001b[1mSelect a framework:\u001b[22m \u001b[2m» - Use arrow-keys. Return to submit.\u001b[22m',
    '? Project name: › ',
    'Login: ',
    'This operation requires a one-time password.\rEnter OTP: ',
    'Would you like to install it now?',
    'Database exists. Really delete it?',
  ])('is found: %j', (line) => {
    expect(questionIn(line)).not.toBeNull();
    expect(howToAnswer(questionIn(line) ?? '')).not.toContain('\n');
  });

  it.each([
    '',
    'Building for production:',
    'Compiling 34 files...',
    'Downloading 45% [=====>      ] 3.4 MB/s',
    'Tests: 12 passed, 3 running',
    'npm warn deprecated foo@1.0.0: use bar instead',
    '⠋ Installing dependencies',
    'Waiting for the server to start:',
    'Resolving deltas: 100% (123/123)',
    'GET /api/users?page=2',
    'https://example.org/?',
    'Listening on port 3000',
    'remote: Enumerating objects: 45',
    'Type checking:',
    'Enter the dragon starts at eight',
    'Choosing the best of 5:',
    'Username was changed',
    'password: hunter2',
    'warning: password for user bob expires in 3 days',
    'Selecting previously unselected package curl.',
    'error: what is this?!',
    'Continue reading at line 40',
    'Overwriting dist/index.js',
    '[y/N] means no by default, so nothing was done',
    '> ',
    '$ ',
    '>>> ',
    'x'.repeat(600) + ' [y/N] ',
  ])('is not seen in %j', (line) => {
    expect(questionIn(line)).toBeNull();
  });

  it('is given without colours and not longer than 200 characters', () => {
    expect(questionIn('\u001b[1mContinue?\u001b[0m [y/N] ')).toBe('Continue? [y/N]');
    expect(questionIn(`${'a '.repeat(150)}continue? [y/N]`)).toHaveLength(200);
  });

  it('is looked for in any text, also a hostile one, and never longer than what is shown', () => {
    const units = [
      'a',
      'A',
      ':',
      '?',
      '[',
      ']',
      '(',
      ')',
      'y',
      '/',
      'n',
      ' ',
      '\r',
      '\u001b',
      '›',
      'for ',
      'password',
      'enter ',
    ];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...units), maxLength: 5000 }), (text) => {
        expect((questionIn(text) ?? '').length).toBeLessThanOrEqual(200);
        expect((questionAtEnd(text) ?? '').length).toBeLessThanOrEqual(200);
      }),
      { seed: 20261130 },
    );
    for (const unit of units) expect(questionAtEnd(unit.repeat(100_000))).toBeNull();
  });
});

describe('a question in the end of a failed command', () => {
  it.each([
    [
      'After this operation, 4 kB of disk space will be used.\nDo you want to continue? [Y/n] Abort.\n',
      'Do you want to continue? [Y/n]',
    ],
    [
      "fatal: could not read Username for 'https://github.com': terminal prompts disabled\n",
      "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    ],
    [
      'sudo: a terminal is required to read the password; either use the -S option\nsudo: a password is required\n',
      'sudo: a password is required',
    ],
    [
      'Host key verification failed.\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n',
      'Host key verification failed.',
    ],
    [
      'Your name: Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    input("Your name: ")\nEOFError: EOF when reading a line\n',
      'EOFError: EOF when reading a line',
    ],
    ['the input device is not a TTY\n', 'the input device is not a TTY'],
    [
      'npm error code EOTP\nnpm error This operation requires a one-time password.\n',
      'npm error This operation requires a one-time password.',
    ],
    ['error: --yes required when not running interactively\n', 'error: --yes required when not running interactively'],
    ['Continue? [y/N] ', 'Continue? [y/N]'],
  ])('is found in %j', (output, question) => {
    expect(questionAtEnd(output)).toBe(question);
  });

  it.each([
    '',
    'FAIL src/a.test.ts\nExpected: true\nReceived: false\n',
    "error TS2304: Cannot find name 'x'.\n",
    'Do you want to continue? [Y/n] y\nUnpacking a\nUnpacking b\nUnpacking c\nUnpacking d\nUnpacking e\nE: failed\n',
    'make: *** [Makefile:3: all] Error 2\n',
    'error: pathspec did not match; did you mean main?\n',
  ])('is not seen in %j', (output) => {
    expect(questionAtEnd(output)).toBeNull();
  });

  it.each([
    ["Username for 'https://github.com':", 'GIT_TERMINAL_PROMPT=0'],
    ['Do you want to continue? [Y/n]', '-y'],
    ['Ok to proceed? (y)', '--yes'],
    ['[sudo] password for bob:', 'without sudo'],
    ['Are you sure you want to continue connecting (yes/no/[fingerprint])?', 'known_hosts'],
    ['--More--', '--no-pager'],
    ['Something nobody has seen before', 'option'],
  ])('is answered for %j with a word of %j', (question, word) => {
    expect(howToAnswer(question)).toContain(word);
  });
});
