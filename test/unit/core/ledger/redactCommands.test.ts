import { describe, expect, it } from 'vitest';
import { redactSecrets } from '../../../../src/core/ledger/redact.ts';

describe('masking secrets in commands and texts', () => {
  it.each([
    'Authorization: Bearer abcdefghijklmnop',
    'export OPENAI_API_KEY=sk-abcdefghijklmnopqrst',
    'curl https://user:hunter22@example.com/x',
    'ghp_abcdefghijklmnopqrstuvwxyz0123',
    'AKIAIOSFODNN7EXAMPLE',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh',
    'mysql --password=hunter22',
    '{"password": "hunter22"}',
    '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----',
  ])('masks %s', (text) => {
    const masked = redactSecrets(text);
    expect(masked).toContain('[secret]');
    expect(masked).not.toMatch(/hunter22|abcdefghijklmn|IOSFODNN|eyJzdWIi|\nabc\n/);
  });
  it('leaves ordinary commands alone', () => {
    for (const text of [
      'npm test -- --grep "token bucket"',
      'git commit -m "fix: password field label"',
      'ls -la src/tokens',
    ]) {
      expect(redactSecrets(text)).toBe(text);
    }
  });
});
