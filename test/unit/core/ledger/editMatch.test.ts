import { describe, expect, it } from 'vitest';
import { matchEdit } from '../../../../src/core/ledger/editMatch.ts';
import { redactSecrets } from '../../../../src/core/ledger/redact.ts';

describe('matching an edit', () => {
  it('replaces a single place and says its line', () => {
    expect(matchEdit('a\nb\nc', 'b', 'x$&')).toEqual({ kind: 'single', text: 'a\nx$&\nc', line: 2 });
  });
  it('counts overlapping places', () => {
    expect(matchEdit('aaa', 'aa', 'b')).toMatchObject({ kind: 'several', count: 2 });
  });
  it('keeps CRLF and a byte order mark', () => {
    expect(matchEdit('\ufeffa\r\nb\r\nc\r\n', 'a\nb\n', 'x\ny\n')).toEqual({
      kind: 'single',
      text: '\ufeffx\r\ny\r\nc\r\n',
      line: 1,
    });
    expect(matchEdit('a\r\nb\n', 'a\n', 'x')).toMatchObject({ kind: 'none' });
  });
  it('sees an insertion that is there already instead of repeating it', () => {
    expect(matchEdit('a\nnew\nb\n', 'a\n', 'a\nnew\n')).toEqual({ kind: 'already-applied', line: 1 });
    expect(matchEdit('await foo()', 'foo()', 'await foo()')).toEqual({ kind: 'already-applied', line: 1 });
    expect(matchEdit('a\nb\n', 'a\n', 'a\nnew\n')).toMatchObject({ kind: 'single', text: 'a\nnew\nb\n' });
  });
  it('takes a new text that is there once for applied, but not a blank or an ambiguous one', () => {
    expect(matchEdit('x = 2\n', 'x = 1', 'x = 2')).toEqual({ kind: 'already-applied', line: 1 });
    expect(matchEdit('x = 2\n', 'x = 1', '')).toMatchObject({ kind: 'none' });
    expect(matchEdit('}\n}\n', 'x = 1', '}')).toMatchObject({ kind: 'none' });
    expect(matchEdit('same', 'same', 'same')).toEqual({ kind: 'already-applied', line: 1 });
  });
  it('shows the nearest place, or nothing when nothing is like it', () => {
    const text = 'function a() {\n  return one + two;\n}\nfunction b() {\n  return three;\n}\n';
    const match = matchEdit(text, 'function b() {\n  return four;\n}', 'x');
    expect(match).toMatchObject({ kind: 'none', nearest: { line: 4, excerpt: 'function b() {\n  return three;\n}' } });
    expect(matchEdit(text, 'zebra crossing', 'x')).toEqual({ kind: 'none', nearest: null });
  });
  it('fills only an empty text from an empty search', () => {
    expect(matchEdit('', '', 'hi')).toEqual({ kind: 'single', text: 'hi', line: 1 });
    expect(matchEdit('x', '', 'hi').kind).toBe('none');
  });
});

describe('masking secrets', () => {
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
