// Situations that no vendor owns: connections of a read.
import { describe, expect, it } from 'vitest';
import { thrown, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'reset',
    seen: { clientError: thrown('Error', 'read ECONNRESET', 'ECONNRESET') },
    is: 'T1',
    action: 'RETRY',
  },
  { name: 'refused', seen: { clientError: thrown('TypeError', 'fetch failed', 'ECONNREFUSED') }, is: 'T1' },
  {
    name: 'name lookup failed for now',
    seen: { clientError: thrown('Error', 'getaddrinfo EAI_AGAIN models.test', 'EAI_AGAIN') },
    is: 'T1',
  },
  {
    name: 'name unknown',
    seen: { clientError: thrown('Error', 'getaddrinfo ENOTFOUND models.test', 'ENOTFOUND') },
    is: 'T1',
    beside: 'T7',
  },
  {
    name: 'host never filled in',
    seen: { clientError: thrown('Error', 'getaddrinfo ENOTFOUND your-resource.models.test', 'ENOTFOUND') },
    is: 'T7',
    detail: 'fixable',
  },
  {
    name: 'no headers in time',
    seen: { clientError: thrown('TypeError', 'fetch failed', 'UND_ERR_HEADERS_TIMEOUT') },
    is: 'T3',
  },
  {
    name: 'no connection in time',
    seen: { clientError: thrown('TypeError', 'fetch failed', 'UND_ERR_CONNECT_TIMEOUT') },
    is: 'T1',
    beside: 'T3',
  },
  {
    name: 'other side closed',
    seen: { clientError: thrown('SocketError', 'other side closed', 'UND_ERR_SOCKET') },
    is: 'T1',
  },
  {
    name: 'axios timeout',
    seen: { clientError: thrown('AxiosError', 'timeout of 60000ms exceeded', 'ECONNABORTED') },
    is: 'T3',
  },
  {
    name: 'our own timer',
    seen: { clientError: thrown('TimeoutError', 'The operation was aborted due to timeout') },
    is: 'T3',
  },
  {
    name: 'python read timeout',
    seen: { clientError: thrown('ReadTimeout', 'The read operation timed out') },
    is: 'T3',
  },
  {
    name: 'certificate expired',
    seen: { clientError: thrown('Error', 'certificate has expired', 'CERT_HAS_EXPIRED') },
    is: 'T7',
    detail: 'permission',
  },
  {
    name: 'certificate of a company proxy',
    seen: { clientError: thrown('TypeError', 'fetch failed: self-signed certificate in certificate chain') },
    is: 'T7',
  },
  {
    name: 'not a URL',
    seen: { clientError: thrown('TypeError', 'Failed to parse URL from localhost/v1', 'ERR_INVALID_URL') },
    is: 'T7',
    detail: 'fixable',
  },
  {
    name: 'gateway timeout',
    seen: { httpStatus: 504, body: '<html><body><h1>504 Gateway Time-out</h1></body></html>' },
    is: 'T1',
    beside: 'T3',
  },
  { name: 'request timeout', seen: { httpStatus: 408, body: '' }, is: 'T3' },
  {
    name: 'cloudflare gave up waiting',
    seen: { httpStatus: 524, body: '<!DOCTYPE html><html><title>524: A timeout occurred</title></html>' },
    is: 'T3',
  },
];

describe('connections of a read', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});
