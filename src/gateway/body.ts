// Reads a request body of a bounded size and depth and parses it. A body that is too large is refused before it is kept,
// one that nests too deep before it is parsed.
import type { IncomingMessage } from 'node:http';
import type { Result } from '../engine/ports.ts';
import { isTooDeep, MAX_DEPTH } from './jsonDepth.ts';
import { badRequest } from './wires/problem.ts';
import type { WireProblem } from './wires/wire.ts';

/** The parsed JSON body, the problem to answer with, or null when the client has gone. */
export async function readJsonBody(
  request: IncomingMessage,
  maxBytes: number,
  onReady: () => void,
): Promise<Result<unknown, WireProblem> | null> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return {
      ok: false,
      error: { ...badRequest('content-encoding', 'content-encoding: send the body uncompressed.'), status: 415 },
    };
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return { ok: false, error: tooLarge(maxBytes) };
  onReady();
  const bytes = await collect(request, maxBytes);
  if (bytes === 'gone') return null;
  return bytes === 'too-large' ? { ok: false, error: tooLarge(maxBytes) } : parseJson(bytes);
}

function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too-large' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (result: Buffer | 'too-large' | 'gone'): void => {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      // A socket that breaks later must not become an uncaught error.
      request.on('error', () => undefined);
      resolve(result);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) {
        request.pause();
        settle('too-large');
      } else {
        chunks.push(chunk);
      }
    };
    const onEnd = (): void => settle(Buffer.concat(chunks, size));
    const onGone = (): void => settle('gone');
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  });
}

function parseJson(bytes: Buffer): Result<unknown, WireProblem> {
  if (isTooDeep(bytes)) {
    const message = `body: nested more than ${MAX_DEPTH} levels deep. Send a flatter one.`;
    return { ok: false, error: badRequest('body', message, 'invalid_body') };
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { ok: false, error: badRequest('body', 'body: expected UTF-8 text.', 'invalid_body') };
  }
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    // V8 quotes the body in its message; only the position is passed on.
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const where = position === undefined ? 'it ends too early' : `it is not valid JSON at character ${position}`;
    return { ok: false, error: badRequest('body', `body: expected a JSON object, but ${where}.`, 'invalid_body') };
  }
}

function tooLarge(maxBytes: number): WireProblem {
  return {
    status: 413,
    message: `The request body is larger than ${maxBytes} bytes. Send less, or raise belay.advanced limits.gatewayBodyBytes.`,
    code: 'body_too_large',
    param: null,
    retryAfterMs: null,
  };
}
