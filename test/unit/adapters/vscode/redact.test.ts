import { describe, expect, it } from 'vitest';
import { Redactor } from '../../../../src/adapters/vscode/redact.ts';

describe('the redactor of the log', () => {
  it('takes out every secret it has learned, wherever it stands', () => {
    const redactor = new Redactor();
    redactor.learn('wall-key-000111');
    expect(redactor.redact('sent wall-key-000111 to x?key=wall-key-000111')).not.toContain('wall-key-000111');
  });

  it('takes out what looks like a key although nobody told it', () => {
    expect(new Redactor().redact('Authorization: Bearer abcdefghijklmnop')).not.toContain('abcdefghijklmnop');
  });

  it('does not tear words apart for a secret of a few letters', () => {
    const redactor = new Redactor();
    redactor.learn('e');
    expect(redactor.redact('the engine')).toBe('the engine');
  });
});
