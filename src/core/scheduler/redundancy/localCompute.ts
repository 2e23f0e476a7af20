// Whether a candidate computes its answers on this very machine, where a second execution takes its power from the first one. In
// doubt it does not: then the start set decides as it would. Source: the redundant-execution text (seed 004), 4.1 (compute-heavy work).
import type { Candidate } from '../../candidate.ts';
import { isOwnPlace } from '../../disclosure/place.ts';
import { presetFacts, type PresetName } from '../../providers/kinds.ts';

/** Presets of servers that run a model themselves. LiteLLM is local too, but passes requests on. */
const MODEL_SERVERS = ['ollama', 'lmstudio', 'vllm', 'llamacpp'] as const satisfies readonly PresetName[];

const FAMILIES: ReadonlySet<string> = new Set(MODEL_SERVERS);
const ADDRESSES: readonly string[] = MODEL_SERVERS.map((name) => originOf(presetFacts[name].baseUrl));

/** It listens on loopback, and its preset or the usual address of such a server says that it runs the model itself. */
export function isLocalCompute(
  candidate: Pick<Candidate, 'baseUrl' | 'family' | 'kind' | 'region' | 'residency'>,
): boolean {
  if (!isOwnPlace(candidate)) return false;
  return FAMILIES.has(candidate.family) || ADDRESSES.includes(originOf(candidate.baseUrl));
}

/** Scheme, host and port; the names of this machine are one. */
function originOf(baseUrl: string): string {
  const origin = /^https?:\/\/[^/?#]+/i.exec(baseUrl)?.[0].toLowerCase() ?? '';
  return origin.replace(/^(https?:\/\/)(?:localhost|\[::1\])/, '$1127.0.0.1');
}
