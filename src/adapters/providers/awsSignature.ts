// Signs a request to Amazon Bedrock (AWS Signature Version 4, docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html).
// The signer is loaded at the first call. Only the host, the content type and AWS's own headers are signed, so that a proxy may change the others.
import { createHash, createHmac } from 'node:crypto';
import { exportsOf } from './commonJs.ts';
import type { AwsKeys } from './signIn.ts';

/** A request before it is authenticated. */
export interface PlainRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

type Digest = ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

/** SHA-256 as the signer asks for it; with a secret: HMAC. */
class Sha256 {
  readonly #secret: Bytes | undefined;
  #hash: Digest;

  constructor(secret?: Bytes) {
    this.#secret = secret;
    this.#hash = started(secret);
  }

  update(data: Bytes): void {
    this.#hash.update(bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    this.#hash = started(this.#secret);
  }
}

function started(secret: Bytes | undefined): Digest {
  return secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
}

function bytesOf(data: Bytes): string | Uint8Array {
  if (typeof data === 'string') return data;
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** The headers that carry the signature; `region` is where the request goes. */
export async function awsSignature(
  { method, url, headers, body }: PlainRequest,
  keys: AwsKeys,
  region: string,
): Promise<Record<string, string>> {
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  const { SignatureV4 } = exportsOf(await import('@smithy/signature-v4'));
  const signer = new SignatureV4({
    service: 'bedrock',
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    sha256: Sha256,
  });
  const contentType = headers['content-type'];
  const signed = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host, ...(contentType === undefined ? {} : { 'content-type': contentType }) },
    body,
  });
  return Object.fromEntries(
    Object.entries(signed.headers).flatMap(([name, value]) =>
      name === 'host' || name === 'content-type' ? [] : [[name.toLowerCase(), value]],
    ),
  );
}
