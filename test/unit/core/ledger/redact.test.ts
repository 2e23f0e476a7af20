import { describe, expect, it } from 'vitest';
import { redactCommand, redactSecrets } from '../../../../src/core/ledger/redact.ts';

/** A secret that nothing but its place marks as one. */
const X = 'cAnArY7z9Qw3';

describe('a secret', () => {
  it.each([
    `deploy --password ${X}`,
    `deploy --password=${X}`,
    `deploy --password="${X} x"`,
    `deploy --password \\\n  ${X}`,
    `x --password a,${X}`,
    `DB_PASSWORD=none-${X},${X} run`,
    `x --api-key ${X}`,
    `x --token ${X}`,
    `x --client-secret ${X}`,
    `Connect -Password ${X}`,
    `curl -u bob:${X} http://x`,
    `curl -u "bob:${X} y" http://x`,
    `curl --user=bob:${X} http://x`,
    `DB_PASS=${X} run`,
    `DB_PASSWORD=${X} run`,
    `APP_SECRET='${X} a' run`,
    `MY_TOKEN=${X} run`,
    `MY_KEY=${X}`,
    `export PRIVATE_KEY=${X}`,
    `PGPASSWORD=${X} psql`,
    `AWS_SESSION_TOKEN=${X}`,
    `aws_secret_access_key = ${X}`,
    `PASSWORD="a\\"${X}" x`,
    `$env:API_TOKEN = "${X}"`,
    `passphrase: correct ${X}`,
    `AccountName=a;AccountKey=${X}==;Endpoint=b`,
    `curl -H "Authorization: ${X}" x`,
    `curl -H 'Authorization: Digest ${X}' x`,
    `Bearer ${X}`,
    `X-Api-Key: ${X}`,
    `Cookie: session=${X}`,
    `psql postgres://u:${X}@h/db`,
    `psql postgres://u:p@${X}@h/db`,
    `https://h/?sig=${X}&a=b`,
    `hf_${X}`,
    `sk-${X}`,
    `sk-proj-${X}`,
    `ghp_${X}`,
    `gho_${X}`,
    `github_pat_${X}`,
    `xoxb-${X}`,
    `AKIA${X.toUpperCase()}AB`,
    `AIzaSyA-${X}${X}`,
    `eyJhbGciOi.eyJzdWIi.${X}`,
    `-----BEGIN RSA PRIVATE KEY-----\n${X}\n-----END RSA PRIVATE KEY-----`,
    `${X}${X}\n-----END PRIVATE KEY-----`,
    `{"password":"${X}"}`,
    `"{\\"password\\":\\"${X} b\\"}"`,
    `{"api_key": "${X}"}`,
    `mysql -u root -p${X} db`,
    `sshpass -p ${X} ssh host`,
    `echo ${X} | docker login --password-stdin`,
    `psql -c "ALTER USER a PASSWORD '${X}'"`,
  ])('is masked in %s', (text) => {
    const masked = redactSecrets(text);
    expect(masked.toLowerCase()).not.toContain(X.toLowerCase());
    expect(masked).toContain('[secret]');
    expect(redactSecrets(masked)).toBe(masked);
  });

  it.each([
    [['deploy', '--password', X]],
    [['deploy', `--password=${X}`]],
    [['x', '--api-key', X]],
    [['curl', '-u', `bob:${X}`, 'http://x']],
    [['env', `DB_PASSWORD=${X}`, 'run']],
    [['curl', '-H', `Authorization: ${X}`]],
    [['sh', '-c', `curl -d "{\\"password\\":\\"${X}\\"}" x`]],
    [['/usr/bin/sshpass', '-p', X, 'ssh']],
    [['mysql', `-p${X}`]],
  ])('is masked in the words %j', (words) => {
    expect(JSON.stringify(redactCommand(words, redactSecrets))).not.toContain(X);
  });

  it("is found with the caller's own mask in every word, and what is left is valid Unicode", () => {
    const halves = (text: string): string => text.replaceAll('😀', '😀'.slice(0, 1));
    expect(redactCommand(['a 😀', 'b'], halves)).toEqual(['a \ufffd', 'b']);
    expect(redactCommand('a 😀', halves)).toBe('a \ufffd');
  });
});

describe('what is no secret', () => {
  it.each([
    'echo same >> log',
    'npm test -- --grep "token parser"',
    'PWD=/home/ada ls',
    'const token: string = next()',
    'TOKEN=true run',
    'max_tokens: 4096',
    'Unexpected token identifier',
    'src/token/guide.md',
    'http://localhost:3000/@scope/pkg',
    'docker login --password-stdin registry.example',
    'git commit -m "rename the password field"',
  ])('is kept: %s', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });
});

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

describe('masking', () => {
  it('takes time in proportion to the text, whatever it is made of', () => {
    const pieces = [
      'a',
      'a_',
      '-',
      '--a-',
      '"',
      '\\',
      '\\"',
      "'",
      'eyJ',
      'A',
      'http://',
      'key=',
      '-u x:',
      'password:"',
    ];
    const more = [
      'pass:',
      'mysql ',
      'AAAA\n',
      'echo ',
      '-----BEGIN PRIVATE KEY-----',
      'token ',
      'sk-',
      '?key',
      'login a ',
    ];
    for (const piece of [...pieces, ...more]) {
      const text = piece.repeat(Math.ceil(65_536 / piece.length));
      const startedMs = cpuMs();
      redactSecrets(text);
      expect(cpuMs() - startedMs, JSON.stringify(piece)).toBeLessThan(500);
    }
  });
});
