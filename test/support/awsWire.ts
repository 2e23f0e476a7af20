// Amazon's side of the wire for tests: the event-stream framing, and the check of a request's signature, both written from
// AWS's own descriptions (Signature Version 4; event-stream encoding) and without AWS's libraries.
import { createHash, createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { IncomingHttpHeaders } from 'node:http';

/** Keys of nobody. */
export const AWS_KEYS = {
  accessKeyId: 'AKIATESTKEY123456789',
  secretAccessKey: 'test-secret-access-key-0123456789abcdef',
  sessionToken: 'test-session-token-0123456789',
} as const;

export const AWS_REGION = 'eu-central-1';

/** How far a signature's time may be off. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** A message of the event stream: text headers and a payload. */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const fields = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(value));
      // 7: the value is text.
      return Buffer.concat([
        Buffer.from([Buffer.byteLength(name)]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ]);
    }),
  );
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + fields.length + body.length, 0);
  prelude.writeUInt32BE(fields.length, 4);
  const start = Buffer.concat([prelude, checksum(prelude), fields, body]);
  return Buffer.concat([start, checksum(start)]);
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

/** A part of the model's answer: the wire's own JSON text, packed as Bedrock packs it. */
export function chunkFrame(json: string): Buffer {
  return awsFrame(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ bytes: Buffer.from(json).toString('base64') }),
  );
}

/** An exception inside the stream that Bedrock's description of its API knows (`throttlingException`, ...). */
export function exceptionFrame(type: string, message: string): Buffer {
  return awsFrame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify({ message }),
  );
}

/** A server-sent event of the Anthropic wire as Bedrock sends it; what is no event of that wire is not sent. */
export function framed(event: string): Buffer {
  const data = /(?:^|\n)data: ([^\n]*)/.exec(event)?.[1];
  if (data === undefined) return Buffer.alloc(0);
  if (!event.startsWith('event: error\n')) return chunkFrame(data);
  const { error } = JSON.parse(data) as { readonly error: { readonly type: string; readonly message: string } }; // Written by our own scripts.
  return awsFrame({ ':message-type': 'error', ':error-code': error.type, ':error-message': error.message }, '');
}

/** A request as far as it is signed. */
interface SignedRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bodyText: string;
}

/** What is wrong with a request's signature; an empty list: AWS would accept it. */
export function signatureViolations(request: SignedRequest): string[] {
  const { headers } = request;
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, day = '', region = '', service = '', names = '', signature] =
    form.exec(headers.authorization ?? '') ?? [];
  if (signature === undefined) return ['authorization: no signature'];
  const time = headerOf(headers, 'x-amz-date');
  const found: string[] = [];
  if (id !== AWS_KEYS.accessKeyId) found.push('access key');
  if (region !== AWS_REGION || service !== 'bedrock' || !time.startsWith(day))
    found.push(`scope ${day}/${region}/${service}`);
  if (!(Math.abs(Date.now() - timeOf(time)) < CLOCK_SKEW_MS)) found.push(`date ${time}`);
  if (headerOf(headers, 'x-amz-security-token') !== AWS_KEYS.sessionToken) found.push('session token');
  const signed = names.split(';');
  const wanted = ['host', 'x-amz-date', 'x-amz-security-token', ...(request.method === 'POST' ? ['content-type'] : [])];
  for (const name of wanted) if (!signed.includes(name)) found.push(`${name} is not signed`);
  if (signed.includes('user-agent') || signed.includes('accept-encoding'))
    found.push('a header is signed that proxies change');
  const hash = sha256(request.bodyText);
  if (headerOf(headers, 'x-amz-content-sha256') !== hash) found.push('payload hash');
  const text = [
    'AWS4-HMAC-SHA256',
    time,
    `${day}/${region}/${service}/aws4_request`,
    sha256(canonical(request, signed, hash)),
  ].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${AWS_KEYS.secretAccessKey}`);
  if (hmac(key, text).toString('hex') !== signature) found.push('signature');
  return found;
}

function canonical({ method, path, headers }: SignedRequest, signed: readonly string[], hash: string): string {
  const [address = '', query = ''] = path.split('?', 2);
  // Every service but S3 wants the path encoded once more than it was sent.
  const uri = address.split('/').map(strictlyEncoded).join('/');
  const pairs = [...new URLSearchParams(query)].map(
    ([name, value]) => `${strictlyEncoded(name)}=${strictlyEncoded(value)}`,
  );
  const lines = signed.map((name) => `${name}:${headerOf(headers, name).trim().replace(/ +/g, ' ')}\n`);
  return [method, uri, pairs.toSorted().join('&'), lines.join(''), signed.join(';'), hash].join('\n');
}

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function strictlyEncoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** `20260131T235959Z` in milliseconds since the epoch. */
function timeOf(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
