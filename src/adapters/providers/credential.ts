// How one request proves who it is, and the headers that say so. Every path of every kind gets its authentication here,
// and only here: what an SDK or the environment would add is left out.
import type { Candidate } from '../../core/candidate.ts';
import { awsSignature, type PlainRequest } from './awsSignature.ts';
import type { AwsKeys, SignInToken } from './signIn.ts';

/** What proves who a request is from. */
export type Credential =
  /** A server that wants none. */
  | { readonly type: 'none' }
  /** The provider's own key, in the header its vendor asks for. */
  | { readonly type: 'key'; readonly secret: string }
  /** A cloud's bearer token. */
  | { readonly type: 'token'; readonly token: SignInToken }
  /** Signs each request (AWS Signature Version 4). */
  | { readonly type: 'aws'; readonly keys: AwsKeys };

/** The headers that authenticate a request; a signature covers its address and body. */
export type Authenticate = (request: PlainRequest) => Record<string, string> | Promise<Record<string, string>>;

/** What must not appear in any message. */
export function secretsOf(credential: Credential): readonly string[] {
  switch (credential.type) {
    case 'none':
      return [];
    case 'key':
      return [credential.secret];
    case 'token':
      return [credential.token.secret];
    case 'aws': {
      const { accessKeyId, secretAccessKey, sessionToken } = credential.keys;
      return [secretAccessKey, accessKeyId, ...(sessionToken === undefined ? [] : [sessionToken])];
    }
  }
}

/** Authenticates the requests of a provider of `kind` in `region`. */
export function authenticator(
  { kind, region }: Pick<Candidate, 'kind' | 'region'>,
  credential: Credential,
): Authenticate {
  switch (credential.type) {
    case 'none':
      return () => ({});
    case 'key': {
      const headers = keyHeaders(kind, credential.secret);
      return () => headers;
    }
    case 'token': {
      const headers = { ...credential.token.headers, authorization: `Bearer ${credential.token.secret}` };
      return () => headers;
    }
    case 'aws':
      return (request) => awsSignature(request, credential.keys, region);
  }
}

function keyHeaders(kind: Candidate['kind'], secret: string): Record<string, string> {
  if (kind === 'azure') return { 'api-key': secret };
  // OAuth tokens of Anthropic are bearer tokens, its API keys have their own header.
  if (kind === 'anthropic' && !secret.startsWith('sk-ant-oat')) return { 'x-api-key': secret };
  return { authorization: `Bearer ${secret}` };
}
