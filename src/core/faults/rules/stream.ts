// What goes wrong inside a 200: stop reasons, emptiness, truncation, errors in the stream, pages in place of answers.
// Most of these are silent failures: the status says success, only the content tells.
import type { Rule } from '../rule.ts';
import { anyOf, listOf } from '../wordLists.ts';

export const streamRules: readonly Rule[] = [
  // Stop reasons. A refusal in any dialect is T8 and nothing else.
  {
    id: 'stream.refused',
    class: 'T8',
    confidence: 0.98,
    finishes:
      listOf(`content_filter, content-filter, contentfilter, refusal, refused, safety, recitation, prohibited_content,
      blocklist, spii, image_safety, image_prohibited_content, image_recitation, guardrail_intervened,
      guardrails, content_filtered, model_armor, sensitive, error_toxic, toxic, moderation, blocked,
      policy_violation, content_policy, responsible_ai, safety_violation, jailbreak`),
  },
  { id: 'stream.marked-refusal', class: 'T8', confidence: 0.97, facts: ['marked-refusal'] },
  {
    id: 'stream.refusal-words',
    class: 'T8',
    secondary: 'V1',
    confidence: 0.6,
    facts: ['refusal-words'],
    operations: ['model_read'],
  },
  {
    id: 'stream.context-window',
    class: 'T6',
    secondary: 'V1',
    confidence: 0.95,
    finishes: listOf(`model_context_window_exceeded, context_length_exceeded, context_window_exceeded, context_limit,
      context_length`),
  },
  {
    id: 'stream.bad-call',
    class: 'T5',
    secondary: 'V1',
    confidence: 0.95,
    finishes: listOf(`malformed_function_call, unexpected_tool_call, malformed_tool_call, malformed_tool_use,
      invalid_tool_call, too_many_tool_calls, tool_use_failed, malformed_model_output, tool_error`),
  },
  { id: 'stream.broken-call', class: 'T5', secondary: 'V1', confidence: 0.9, facts: ['broken-tool-call'] },
  {
    id: 'stream.truncated',
    class: 'V1',
    confidence: 0.95,
    finishes:
      listOf(`length, max_tokens, max_output_tokens, max_completion_tokens, model_length, token_limit, max_length,
      truncated, incomplete, max_new_tokens, output_limit, length_limit`),
  },
  {
    id: 'stream.odd-end',
    class: 'V1',
    tier: 'generic',
    confidence: 0.6,
    finishes:
      listOf(`other, unknown, finish_reason_unspecified, language, no_image, repetition, missing_thought_signature,
      degenerate, loop`),
  },
  {
    id: 'stream.no-resources',
    class: 'T4',
    confidence: 0.9,
    finishes: ['insufficient_system_resource', 'overloaded', 'engine_overloaded', 'capacity'],
  },
  {
    id: 'stream.time-limit',
    class: 'T3',
    secondary: 'V1',
    confidence: 0.8,
    finishes: ['timeout', 'time_limit', 'deadline'],
  },
  {
    id: 'stream.ended-in-error',
    class: 'T1',
    confidence: 0.85,
    finishes:
      listOf(`error, network_error, abort, aborted, server_error, internal_error, failed, interrupted, cancelled,
      canceled`),
  },

  // Silent failures told by shape.
  { id: 'stream.empty-answer', class: 'V1', confidence: 0.9, facts: ['empty-answer'] },
  {
    id: 'stream.empty-told',
    class: 'V1',
    secondary: 'T1',
    confidence: 0.8,
    hints: ['empty', 'no content', 'no output', 'no assistant', 'no response text', 'blank'],
    pattern: anyOf(
      /(?:returned|received|got|produced|was|is|provided|contains?) (?:an? )?(?:empty|blank) (?:response|answer|message|completion|content|output|result)/,
      /(?:response|completion|answer|message|content|output) (?:was|is|were) empty/,
      /empty (?:response|completion|answer) (?:from|without|with no|received|returned)/,
      /(?:did not (?:provide|return)|without) any (?:text|content|assistant messages)/,
      /no (?:content|output|assistant messages?) (?:was |were )?(?:generated|returned|produced|in the response)/,
    ),
    operations: ['model_read'],
  },
  {
    id: 'stream.no-bytes',
    class: 'T1',
    secondary: 'V1',
    confidence: 0.8,
    facts: ['empty-body'],
    operations: ['model_read'],
  },
  {
    id: 'stream.page',
    class: 'T7',
    detail: 'fixable',
    secondary: 'T1',
    confidence: 0.85,
    facts: ['html-in-place-of-answer'],
  },
  {
    id: 'stream.page-told',
    class: 'T7',
    detail: 'fixable',
    secondary: 'T1',
    tier: 'generic',
    confidence: 0.7,
    statuses: [200],
    hints: ['unexpected token'],
    pattern: /unexpected token '?<'?/,
  },
  {
    id: 'stream.cut-json',
    class: 'T1',
    secondary: 'V1',
    confidence: 0.85,
    facts: ['cut-json'],
    operations: ['model_read', 'tool_read'],
  },
  {
    id: 'stream.not-json',
    class: 'T1',
    secondary: 'V1',
    confidence: 0.7,
    hints: ['json', 'parse'],
    pattern: anyOf(
      /unterminated string|unexpected end of (?:json )?(?:input|data|file)|is not valid json|unexpected token/,
      /invalid json response|failed to parse (?:the )?(?:response|stream|chunk|sse|server)/,
      /error parsing (?:response|stream|chunk|sse)|expecting value: line|incomplete json/,
    ),
    operations: ['model_read'],
  },
  {
    id: 'stream.unfinished',
    class: 'T1',
    secondary: 'V1',
    confidence: 0.85,
    facts: ['unfinished-stream'],
    operations: ['model_read'],
  },
  {
    id: 'stream.ended-early',
    class: 'T1',
    confidence: 0.85,
    hints: ['stream', 'incomplete chunked', 'message_stop', '[done]', 'sse', 'completed'],
    pattern: anyOf(
      /stream (?:has |was |is )?(?:ended|closed|disconnected|interrupted|terminated|aborted|error|read error|broke)/,
      /stream_(?:read_)?error|incomplete (?:chunked read|stream|response body)/,
      /(?:before|without) (?:a |the |any )?(?:response\.completed|message_stop|\[done\]|terminal|finish[_ ]reason|completion event)/,
      /error in (?:sse|the stream)|stream.{0,30}before completion/,
    ),
    operations: ['model_read', 'tool_read'],
  },
  {
    id: 'stream.broke',
    class: 'T1',
    tier: 'generic',
    confidence: 0.6,
    facts: ['stream-broke'],
    operations: ['model_read', 'tool_read'],
  },
  {
    id: 'stream.error-event',
    class: 'T1',
    tier: 'generic',
    confidence: 0.55,
    facts: ['error-in-success'],
    operations: ['model_read'],
  },

  // Answers that do not fit what was asked for.
  {
    id: 'stream.off-schema',
    class: 'V1',
    secondary: 'T5',
    confidence: 0.9,
    tokens:
      listOf(`ai_noobjectgeneratederror, ai_typevalidationerror, ai_nocontentgeneratederror, ai_nooutputgeneratederror,
      ai_nooutputspecifiederror, outputparserexception, output_parsing_failure, lengthfinishreasonerror,
      zoderror, structuredoutputvalidationerror, ai_invalidresponsedataerror`),
    operations: ['model_read'],
  },
  {
    id: 'stream.off-schema-told',
    class: 'V1',
    secondary: 'T5',
    confidence: 0.8,
    hints: ['schema', 'no object generated', 'could not parse', 'judge', 'verif'],
    pattern: anyOf(
      /(?:response|answer|output|object|completion)(?: of the model)? (?:did not|does not|doesn't|didn't|failed to) (?:match|conform|fit|validate|satisfy)/,
      /no object generated|could not parse (?:llm|the model|structured) (?:output|response)/,
      /(?:judge|verifier|verification) (?:rejected|failed)/,
    ),
    operations: ['model_read'],
  },

  // History (table 4: sustained p95, all-5xx): no hiccup of one request any more.
  {
    id: 'history.failing',
    class: 'T4',
    secondary: 'T1',
    confidence: 0.7,
    facts: ['recently-failing'],
    statuses: [500, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530],
    operations: ['model_read'],
  },
  {
    id: 'history.slow',
    class: 'T4',
    secondary: 'T3',
    tier: 'generic',
    confidence: 0.55,
    facts: ['recently-slow'],
    operations: ['model_read'],
  },
];
