// Who may talk to the gateway: the token first and in constant time, then Host and Origin, so that a web page can reach it
// neither directly nor by rebinding a name to 127.0.0.1. There are no CORS headers anywhere.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { WireProblem } from './wires/wire.ts';

/** A shared secret, or the explicit wish to have none (loopback only). */
export type GatewayAuth = { readonly token: string } | { readonly auth: 'none' };

export interface Admission {
  /** Null when the request may go on. `needsToken` is false for what says nothing (health, HEAD /). */
  refuse(headers: IncomingHttpHeaders, needsToken: boolean): WireProblem | null;
}

/** The checks for a gateway that listens on `port`. */
export function createAdmission(auth: GatewayAuth, port: number): Admission {
  const expected = 'token' in auth ? digest(auth.token) : null;
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`, ...(port === 80 ? ['127.0.0.1', 'localhost'] : [])]);
  return {
    refuse: (headers, needsToken) => {
      if (needsToken && expected && !hasToken(headers, expected)) return tokenProblem;
      if (!hosts.has((headers.host ?? '').toLowerCase())) return hostProblem(port);
      return isFromBrowser(headers) ? browserProblem : null;
    },
  };
}

/** Hashes make both sides equally long, so that the comparison tells nothing, not even the length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

function hasToken(headers: IncomingHttpHeaders, expected: Buffer): boolean {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const apiKey = headers['x-api-key'];
  const isBearer = timingSafeEqual(digest(bearer), expected);
  const isApiKey = timingSafeEqual(digest(typeof apiKey === 'string' ? apiKey : ''), expected);
  return isBearer || isApiKey;
}

/** Pages send Origin with every POST and Sec-Fetch-Site with everything; agents send neither. */
function isFromBrowser(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin !== undefined || (site !== undefined && site !== 'none');
}

const tokenProblem: WireProblem = {
  status: 401,
  message:
    'The token is missing or wrong. Send the token of this Belay gateway as "Authorization: Bearer TOKEN" or "x-api-key: TOKEN".',
  code: 'invalid_token',
  param: null,
  retryAfterMs: null,
};

function hostProblem(port: number): WireProblem {
  return {
    status: 403,
    message: `The Host header is not this gateway. Use http://127.0.0.1:${port} or http://localhost:${port} as the base URL.`,
    code: 'host_not_allowed',
    param: 'host',
    retryAfterMs: null,
  };
}

const browserProblem: WireProblem = {
  status: 403,
  message: 'The gateway does not answer web pages. Call it from an agent or a program, without an Origin header.',
  code: 'origin_not_allowed',
  param: 'origin',
  retryAfterMs: null,
};
