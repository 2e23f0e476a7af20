// Requests that do not fit (T6), however worded and under whatever status: more tokens than the context window, more bytes
// than the endpoint takes, and one request larger than a whole rate window (waiting never helps, shrinking does).
// "Too many tokens" alone is a rate in some dialects, so every wording here names the prompt, the context or a length.
import type { Rule } from '../rule.ts';
import { anyOf, listOf } from '../wordLists.ts';

export const sizeRules: readonly Rule[] = [
  {
    id: 'size.code',
    class: 'T6',
    confidence: 0.97,
    tokens: listOf(`context_length_exceeded, contextlengthexceeded, context_window_exceeded, contextwindowexceedederror,
      contextoverflowerror, context_overflow, exceed_context_size_error, model_context_window_exceeded,
      tokens_limit_reached, token_limit_exceeded, string_above_max_length, request_too_large,
      requesttoolargeerror, payload_too_large, payloadtoolarge, model_max_prompt_tokens_exceeded,
      max_prompt_tokens_exceeded, prompt_too_long, input_too_long, inputtoolong, request_entity_too_large,
      requestentitytoolarge, context_too_large, max_context_length_exceeded, input_tokens_exceeded,
      contentlengthexceeded, context_limit_exceeded, prompt_tokens_exceeded, message_length_exceeds_limit,
      context_size_exceeded, und_err_response_exceeded_size`),
  },
  { id: 'size.over-window', class: 'T6', secondary: 'T2', confidence: 0.93, facts: ['request-over-window'] },
  {
    id: 'size.too-large',
    class: 'T6',
    exceptFacts: ['image-too-large'],
    confidence: 0.9,
    hints:
      listOf(`too large, too big, payload size, maximum allowed number of bytes, body exceed, maximum size, max size, maxlength, bytes >, mb maximum,
      exceeds the limit`),
    pattern: anyOf(
      /(?:request|payload|body|prompt|input|entity|message|context|conversation|content)(?: body| size| payload| entity)? (?:is |was |are )?too (?:large|big)/,
      /(?:payload|request|body|input|prompt)(?: body)?(?: size| length)? exceed|maximum allowed number of bytes/,
      /exceeds? (?:the )?max(?:imum)? (?:request |payload |body )?size|expected maxlength: \d/,
      /exceeds [\d.]+ ?[kmg]i?b maximum|\d bytes > \d+ bytes/,
      /prompt token count[^\n]{0,30}?exceeds the limit|tokens? (?:count )?[^\n]{0,30}?exceeds the limit of/,
    ),
  },
  {
    id: 'size.context',
    class: 'T6',
    exceptFacts: ['output-limit'],
    confidence: 0.92,
    hints: ['context'],
    pattern: anyOf(
      /(?:maximum|max|model's|model|available|supported|total|exceeds?(?: the)?|exceeded(?: the)?|reached(?: the)?|over(?:flow)?s?|larger than the|longer than the|beyond the|outside the|than its)[^\n]{0,30}?context(?:[ _-]?(?:window|length|size|limit))/,
      /context[ _-]?(?:window|length|size|limit)[^\n]{0,60}?(?:exceed|overflow|too (?:long|large|small)|reached|is only|of only|limit|full|not enough|is \d)/,
      /context (?:the )?overflow|exceeds? (?:the )?(?:model'?s? )?context/,
      /context (?:is )?(?:too (?:long|large)|full|exceeded)|n_keep|n_ctx/,
      /model (?:is |was )?loaded with context length/,
    ),
  },
  {
    id: 'size.prompt',
    class: 'T6',
    confidence: 0.92,
    hints: ['prompt', 'input', 'conversation', 'messages', 'request', 'history', 'decoder'],
    pattern: anyOf(
      /max(?:imum)? prompt length/,
      /(?:prompt|input|conversation|messages?|request|history|inputs?)(?: text| length| tokens?| \([^)\n]{1,40}\))? (?:is |are |was |were |has become |became )?(?:too long|longer than)/,
      /(?:prompt|input)s?[`' ]{1,3}(?:must have (?:less|fewer) than|contains? (?:too many|[\d,]+) tokens[^\n]{0,60}?(?:too large|exceed|maximum|more than))/,
      /range of input length/,
      /input (?:token|text|length|characters?)[^\n]{0,60}?(?:exceed|too long|longer|over the|maximum number|limit of)/,
      /input[s`' ]{0,3} tokens? ?\+/,
      /(?:reduce|shorten|trim|decrease)(?: the)? (?:length of |size of |number of tokens in )?(?:the |your )?(?:input|prompt|messages?|conversation|history|context|either one)(?![^\n]{0,60}?or try again)/,
      /(?:total )?number of (?:input |prompt )?tokens[^\n]{0,60}?(?:exceed|cannot|must|greater|larger|more than)/,
      /prompt exceeds|decoder prompt[^\n]{0,60}?longer/,
      /exceeds? (?:the )?max(?:imum)?[ _](?:input|prompt|sequence|model|total)[ _](?:length|tokens|len)/,
      /too many (?:input|prompt) tokens/,
      /tokens? in (?:the |your )?(?:prompt|messages|input)[^\n]{0,40}?(?:exceed|cannot|too)/,
    ),
  },
  {
    id: 'size.token-limit',
    class: 'T6',
    confidence: 0.88,
    hints: ['token'],
    pattern: anyOf(
      /exceeds? (?:the )?token limit/,
      /(?:exceed(?:s|ed)?|over|above|beyond) (?:the |this |its )?(?:model'?s? )?(?:maximum |max )?token (?:limit|count|budget) (?:for|of) (?:this |the )?(?:model|request|prompt|\d)/,
      /exceeded model token limit|tokens? (?:exceeds?|>) (?:the )?(?:maximum|limit|model)/,
      /maximum (?:number of )?tokens (?:allowed|per request|for this model)|max(?:imum)?[ _]total[ _]tokens/,
      /must be <= ?\d|input tokens (?:exceed|limit)|\d tokens > \d/,
    ),
  },
  // As a rate (429) the same words mean a window that opens again.
  {
    id: 'size.token-limit-told',
    class: 'T6',
    confidence: 0.86,
    hints: ['token limit'],
    pattern: /(?:^|[^s])\btoken limit (?:was |is |has been )?(?:exceeded|reached)/,
    exceptStatuses: [429],
  },
  {
    id: 'size.chinese',
    class: 'T6',
    confidence: 0.9,
    hints: ['上下文', '过长', '超长', '长度', '超出', '超过'],
    pattern: anyOf(
      /上下文[^\n]{0,16}?(?:超|过长|限制|溢出)|(?:输入|提示词|消息|文本|请求)[^\n]{0,12}?(?:过长|超长|太长)|(?<!(?:响应|回复|回答|输出)[^\n]{0,8})长度[^\n]{0,12}?(?:超|过长|限制)/,
      /(?:超出|超过)[^\n]{0,16}?(?:上下文|长度|最大.{0,4}token|token.{0,4}(?:上限|限制))/,
    ),
  },
];
