// Words of the Chat Completions answer that the streamed and the whole form share.
import type { FinishReason, Usage } from '../../core/chat.ts';
import type { CallSummary } from '../../engine/controller.ts';

const finishWords: Readonly<Record<Exclude<FinishReason, 'other' | 'refusal'>, string>> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  truncated: 'length',
  'content-filter': 'content_filter',
};

/**
 * `finish_reason`. A refusal that came with its own text ends with `stop`, as OpenAI's do; one without any text is told as
 * `content_filter`, so that no client takes silence for an answer.
 */
export function finishWord(reason: FinishReason, rawReason: string | undefined, hasRefusalText: boolean): string {
  if (reason === 'refusal') return hasRefusalText ? 'stop' : 'content_filter';
  if (reason === 'other') return rawReason ?? 'other';
  return finishWords[reason];
}

/** The `usage` object. */
export function usageObject(usage: Usage): Record<string, unknown> {
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cachedInputTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedInputTokens } }),
  };
}

/** The `belay` extension of an answer that Belay writes itself; the cost is of all attempts, losers included. */
export function belayObject(summary: CallSummary): Record<string, unknown> {
  const { costUsd, unpricedAttempts, candidate, attempts, rung } = summary;
  return { costUsd, ...(unpricedAttempts === undefined ? {} : { unpricedAttempts }), candidate, attempts, rung };
}
