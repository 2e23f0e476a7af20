// Who can take a request at all: a model that surely has no eyes gets no images, one that surely has no hands gets no tools,
// and a prompt larger than a window goes where it fits. What is not known keeps nothing away: the provider knows better.
import type { Candidate, Capabilities } from '../candidate.ts';
import type { ChatMessage, ChatRequest } from '../chat.ts';
import { sizeOfRequest, type TextSize } from '../textSize.ts';

/** What a request may need of a model; named as in its capabilities. */
export type Need = 'images' | 'tools';

/** Those that can take a request, in the given order; where nobody can, what they lack. */
export interface Fit {
  readonly candidates: readonly Candidate[];
  /** Empty where somebody fits, and where nobody was given. */
  readonly lacking: readonly Need[];
}

/**
 * Chooses from `candidates`. A capability that is not known counts as given. The window only chooses between several:
 * where no window is large enough all stay, and the provider has the last word. `estimate`: tokens as a candidate counts them.
 */
export function fitting(
  candidates: readonly Candidate[],
  request: ChatRequest,
  estimate: (candidate: Candidate, size: TextSize) => number,
): Fit {
  const needs = needsOf(request);
  const able = candidates.filter(({ capabilities }) => needs.every((need) => mayDo(capabilities, need)));
  if (able.length === 0) return { candidates: [], lacking: lackingIn(candidates, needs) };
  // Counting characters takes a walk over the whole request: only where it can make a difference.
  if (able.length === 1) return { candidates: able, lacking: [] };
  const size = sizeOfRequest(request);
  const roomy = able.filter((candidate) => estimate(candidate, size) <= candidate.contextWindowTokens);
  return { candidates: roomy.length > 0 ? roomy : able, lacking: [] };
}

/** What nobody can; where each can something, but nobody all of it, all of it. */
function lackingIn(candidates: readonly Candidate[], needs: readonly Need[]): readonly Need[] {
  if (candidates.length === 0) return [];
  const nobody = needs.filter((need) => candidates.every(({ capabilities }) => !mayDo(capabilities, need)));
  return nobody.length > 0 ? nobody : needs;
}

function mayDo(capabilities: Capabilities, need: Need): boolean {
  return capabilities[need] !== false;
}

/** Tools are needed also where only the history has calls: their blocks are refused like tools themselves. */
function needsOf(request: ChatRequest): readonly Need[] {
  const hasTools = request.tools.length > 0 || request.messages.some(({ role }) => role === 'tool');
  return [...(request.messages.some(hasImage) ? (['images'] as const) : []), ...(hasTools ? (['tools'] as const) : [])];
}

function hasImage(message: ChatMessage): boolean {
  if (message.role === 'assistant') return false;
  if (message.role === 'user') return message.content.some(({ type }) => type === 'image');
  return message.content.some(({ content }) => content.some(({ type }) => type === 'image'));
}
