// The idempotency key of a logical action: every attempt of it carries the same key, different actions never share one.
// k = SHA-256(tenant || task || i || tool || canonical(args)), HFR document 4.5; canonical is RFC 8785.
// The parts are joined as one canonical JSON array, so no choice of names can make two different actions collide.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

/** What identifies a logical action. `args` is any JSON value with well-formed strings. */
export interface KeyParts {
  readonly tenant: string;
  readonly task: string;
  /** Number of the step, or a text naming session and tool-use id for a foreign agent's call (DESIGN 4). */
  readonly step: number | string;
  readonly tool: string;
  readonly args: unknown;
}

/** RFC 8785 text of a JSON value. Throws on what JSON cannot hold (cycles, NaN, lone surrogates): that is a bug of the caller. */
export function canonicalText(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('canonicalText: the value has no JSON form');
  return text;
}

/** SHA-256 of the UTF-8 bytes of `text`, as 64 hex digits. */
export function sha256Hex(text: string): string {
  return sha256HexOfBytes(utf8ToBytes(text));
}

/** SHA-256 of bytes, as 64 hex digits. */
export function sha256HexOfBytes(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}

/** Length of `text` in UTF-8 bytes. */
export function utf8LengthBytes(text: string): number {
  return utf8ToBytes(text).length;
}

/** The key, 64 hex digits. Equal for equal parts whatever the order of object keys in `args`. */
export function idempotencyKey(parts: KeyParts): string {
  return sha256Hex(canonicalText(['belay/1', parts.tenant, parts.task, parts.step, parts.tool, parts.args]));
}
