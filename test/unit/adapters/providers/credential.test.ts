import { describe, expect, it } from 'vitest';
import type { PlainRequest } from '../../../../src/adapters/providers/awsSignature.ts';
import { authenticator, secretsOf } from '../../../../src/adapters/providers/credential.ts';
import { AWS_KEYS, AWS_REGION, signatureViolations } from '../../../support/awsWire.ts';

const request: PlainRequest = {
  method: 'POST',
  url: new URL('https://bedrock-runtime.eu-central-1.amazonaws.com/model/a.b-v1%3A0/x?b=2&a=1%20z'),
  headers: { 'content-type': 'application/json', 'user-agent': 'x' },
  body: '{"text":"Grüße"}',
};
const place = { kind: 'openai', region: AWS_REGION } as const;
const token = { secret: 't', expiresAtMs: null, headers: { 'x-goog-user-project': 'p' } } as const;

describe('the proof of a request', () => {
  it.each([
    ['openai', 'k', { authorization: 'Bearer k' }],
    ['azure', 'k', { 'api-key': 'k' }],
    ['anthropic', 'k', { 'x-api-key': 'k' }],
    ['anthropic', 'sk-ant-oat01-x', { authorization: 'Bearer sk-ant-oat01-x' }],
    ['bedrock', 'k', { authorization: 'Bearer k' }],
    ['gemini', 'k', { authorization: 'Bearer k' }],
  ] as const)('of %s with key "%s" stands where the vendor wants it', async (kind, secret, headers) => {
    expect(await authenticator({ ...place, kind }, { type: 'key', secret })(request)).toEqual(headers);
  });

  it('is a token with what goes with it, or nothing', async () => {
    expect(await authenticator(place, { type: 'token', token })(request)).toEqual({
      authorization: 'Bearer t',
      'x-goog-user-project': 'p',
    });
    expect(await authenticator(place, { type: 'none' })(request)).toEqual({});
  });

  it('is a signature that AWS would accept, over this address, type and body only', async () => {
    const keys = { ...AWS_KEYS, expiresAtMs: null };
    const proof = await authenticator({ kind: 'bedrock', region: AWS_REGION }, { type: 'aws', keys })(request);
    const { pathname, search, host } = request.url;
    const sent = {
      method: 'POST',
      path: pathname + search,
      headers: { ...proof, host, 'content-type': 'application/json' },
      bodyText: request.body,
    };
    expect(signatureViolations(sent)).toEqual([]);
    expect(signatureViolations({ ...sent, bodyText: '{}' })).toEqual(['payload hash', 'signature']);
    expect(signatureViolations({ ...sent, path: `${pathname}?a=1` })).toEqual(['signature']);
    expect(signatureViolations({ ...sent, headers: { ...sent.headers, host: 'elsewhere' } })).toEqual(['signature']);
    expect(signatureViolations({ ...sent, headers: { ...sent.headers, 'user-agent': 'y' } })).toEqual([]);
    const other = await authenticator({ kind: 'bedrock', region: 'us-east-1' }, { type: 'aws', keys })(request);
    expect(signatureViolations({ ...sent, headers: { ...sent.headers, ...other } })).toContainEqual(
      expect.stringMatching(/^scope .*us-east-1/),
    );
  });

  it('names all its secrets', () => {
    expect(secretsOf({ type: 'none' })).toEqual([]);
    expect(secretsOf({ type: 'key', secret: 'k' })).toEqual(['k']);
    expect(secretsOf({ type: 'token', token })).toEqual(['t']);
    const named = secretsOf({ type: 'aws', keys: { ...AWS_KEYS, expiresAtMs: null } });
    expect([...named].sort()).toEqual(Object.values(AWS_KEYS).sort());
  });
});
