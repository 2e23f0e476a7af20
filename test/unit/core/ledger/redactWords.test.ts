// Secrets in the words of a program, the places of secrets in a text, and names that hold one.
import { describe, expect, it } from 'vitest';
import { isSecretName, MASK, redactCommand, redactSecrets, secretSpans } from '../../../../src/core/ledger/redact.ts';

const same = (text: string): string => text;
const words = (command: string): string => [redactCommand(command.split(' '), same)].flat().join(' ');

describe('the words of a command', () => {
  it.each([
    ['deploy --token abc', `deploy --token ${MASK}`],
    ['deploy -token abc', `deploy -token ${MASK}`],
    ['deploy --api-key abc --verbose', `deploy --api-key ${MASK} --verbose`],
    ['sshpass -p abc ssh host', `sshpass -p ${MASK} ssh host`],
    ['/usr/bin/sshpass -p abc', `/usr/bin/sshpass -p ${MASK}`],
    ['redis-cli -a abc ping', `redis-cli -a ${MASK} ping`],
    ['curl -u ada:abc https://a.example', `curl -u ada:${MASK} https://a.example`],
    ['curl --user ada:a:b https://a.example', `curl --user ada:${MASK} https://a.example`],
    ['mysql -pabc app', `mysql -p${MASK} app`],
    ['/usr/bin/mariadb-dump -pabc', `/usr/bin/mariadb-dump -p${MASK}`],
  ])('%s is kept as %s', (command, masked) => {
    expect(words(command)).toBe(masked);
  });

  it.each([
    'ls -p abc',
    'sshpass -f abc',
    'redis-cli -p 6379',
    'redis-cli -p abc',
    'other -a abc',
    'curl -u ada https://a.example',
    'curl https://a.example:80/x',
    'mysql -p app',
    'mysql --a-pabc',
    'mysql x-pabc',
    'ssh -pabc host',
    'abc',
    '--token',
    'a:b',
  ])('%s has nothing to hide', (command) => {
    expect(words(command)).toBe(command);
  });

  it('are masked one by one by what the caller knows, and are valid Unicode then', () => {
    const known = (text: string): string => text.replaceAll('abc', MASK);
    expect(redactCommand(['run', 'abc', 'x\ud800'], known)).toEqual(['run', MASK, 'x\ufffd']);
    expect(redactCommand('run abc \ud800', known)).toBe(`run ${MASK} \ufffd`);
    expect(redactCommand([], known)).toEqual([]);
  });
});

describe('the places of secrets', () => {
  const parts = (text: string): readonly [string, boolean][] =>
    secretSpans(text).map(({ start, end, isByName }) => [text.slice(start, end), isByName]);

  it('are exactly what masking would take away, with what is kept left outside', () => {
    expect(parts('run --password hunter22 now')).toContainEqual(['hunter22', true]);
    expect(parts('https://ada:hunter22@a.example/')).toContainEqual(['hunter22', false]);
    expect(parts('x ghp_abcdefghijklmnopqrstuvwxyz0123 y')).toEqual([['ghp_abcdefghijklmnopqrstuvwxyz0123', false]]);
    expect(parts('Authorization: Bearer abcdefghijklmnop')).toContainEqual(['abcdefghijklmnop', true]);
    expect(parts('redis-cli -h x -a hunter22')).toContainEqual(['hunter22', true]);
    expect(parts('DB_AUTH=hunter22')).toContainEqual(['hunter22', true]);
    expect(parts('-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----')).toContainEqual([
      '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----',
      false,
    ]);
  });

  it('are none in ordinary text', () => {
    expect(parts('npm test -- --grep "token bucket"')).toEqual([]);
    expect(parts('')).toEqual([]);
  });

  it('cover every text that masking changes', () => {
    for (const text of ['export API_KEY=abcdefgh', 'mysql -h x -pabc', 'sig=1&x https://a.example/?sig=abc'])
      expect(secretSpans(text).length > 0).toBe(redactSecrets(text) !== text);
  });
});

describe('a name', () => {
  it.each(['password', 'DB_PASSWORD', 'apiKey', 'api_keys', 'clientSecret', 'accessToken', 'passphrase', 'credential'])(
    '%s holds a secret',
    (name) => {
      expect(isSecretName(name)).toBe(true);
    },
  );

  it.each(['user', 'tokens', 'tokenizer', 'passwordLength', 'key', 'secretary'])('%s does not', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it('of more than 200 characters is none', () => {
    expect(isSecretName(`${'a'.repeat(192)}password`)).toBe(true);
    expect(isSecretName(`${'a'.repeat(193)}password`)).toBe(false);
  });
});
