// Refusals and policy blocks of every family (T8). They come first of all: no wording beside them makes them anything else,
// and none is ever retried, compressed around or sent to another model. A wrong T8 costs a question to a person; a missed
// one walks around somebody's safety rule.
import type { Rule } from '../rule.ts';
import { anyOf, listOf } from '../wordLists.ts';

export const refusalRules: readonly Rule[] = [
  {
    id: 'refusal.code',
    class: 'T8',
    confidence: 0.97,
    tokens: listOf(`content_filter, content_policy_violation, contentpolicyviolationerror, content_policy,
      responsibleaipolicyviolation, responsible_ai_policy_violation, moderation_blocked, moderation_error,
      content_moderation, contentmoderation, content_filtered, contentfiltered, policy_violation,
      usage_policy_violation, usage_policy, safety_violation, safety_violations, safety_error, safety_block,
      safety, prohibited_content, blocklist, spii, recitation, image_safety, model_armor, jailbreak,
      cyber_policy, cyber_policy_violation, bio_policy, image_content_policy_violation, refusal,
      guardrail_intervened, guardrails_intervened, guardrail_violation, guardrail_blocked, input_guardrail,
      data_inspection_failed, datainspectionfailed, sensitive_content, sensitive, content_blocked,
      contentblocked, blocked_by_policy, request_blocked, prompt_blocked, blockedpromptexception,
      stopcandidateexception, responseblockederror, prompt_blocked_error, flagged, content_violation,
      invalid_prompt_safety, unsafe_content, harmful_content, input_moderation, output_moderation,
      safety_check, response.refusal.done, response.refusal.delta, hooks_failed, intervened`),
  },
  { id: 'refusal.guardrail-status', class: 'T8', confidence: 0.9, statuses: [446] },
  // vscode.lm's LanguageModelError.Blocked, unless it is the editor's own sentence about the extension (permanent.ts, load.ts).
  {
    id: 'refusal.vscode',
    class: 'T8',
    confidence: 0.95,
    tokens: ['blocked'],
    pattern: /^(?!the requestor is blocked|the extension has been temporarily blocked due to making too many requests)/,
  },
  {
    id: 'refusal.vscode-service',
    class: 'T8',
    confidence: 0.95,
    tokens: ['responsibleaiservice', 'offtopic', 'off_topic'],
  },
  {
    id: 'refusal.filter',
    class: 'T8',
    confidence: 0.93,
    hints: ['filter', 'moderat', 'flagged'],
    pattern: anyOf(
      /content[ _-]?(?:management|filter(?:ing|ed|s)?)[ _-]?(?:polic|system|was|is|trigger|block|result: true)/,
      /(?:blocked|filtered|rejected|stopped|refused|flagged|denied) (?:by|due to|because of|under|for violating) [^\n]{0,60}?(?:content|safety|filter|moderat|policy|policies|responsible ai|guardrail)/,
      /content[ _-]?filter\b|requires moderation|(?:was|were|been|is|are) flagged|flagged (?:as|for|by) /,
      /moderation (?:endpoint|system|service|model|api|check|filter|policy)?[^\n]{0,30}?(?:flagged|blocked|rejected|failed|violat)/,
      /(?:failed|violat\w+|blocked by|rejected by|did not pass) (?:the )?(?:input |output |content )?moderation/,
    ),
  },
  {
    id: 'refusal.policy',
    class: 'T8',
    confidence: 0.93,
    hints: ['polic', 'guideline', 'terms'],
    pattern: anyOf(
      /(?:content|usage|safety|acceptable[ -]use|responsible[ -]ai|moderation)[ _-]polic(?:y|ies)(?![^\n]{0,3}fallback)/,
      /violat\w* [^\n]{0,60}?(?:polic|guideline|terms of (?:service|use)|community standards)/,
      /(?:usage|content|community|safety) guidelines|policy[ _]violation/,
      /against (?:our|the|my|openai's|anthropic's|google's) (?:[a-z]+ )?(?:polic|guideline)/,
    ),
  },
  {
    id: 'refusal.safety',
    class: 'T8',
    confidence: 0.9,
    hints: listOf(`safety, harm, unsafe, sensitive, inappropriate, high risk, content exists risk, prohibited,
      objectionable, offensive`),
    pattern: anyOf(
      /safety (?:system|filter|reason|setting|check|policy|guideline|violation|concern|classifier|rating|measure|block|refus)/,
      /(?:for|due to|because of|triggered (?:our|the)) safety|harm_category/,
      /harmful (?:content|request|output|material)|unsafe (?:content|request|prompt|input|output)/,
      /(?:sensitive|inappropriate|prohibited|objectionable|offensive|disallowed) (?:content|material|words?|information|text|topics?|language|input|request)/,
      /considered high risk|content exists risk/,
    ),
  },
  {
    id: 'refusal.blocked',
    class: 'T8',
    confidence: 0.9,
    hints: listOf(
      `block, prohibited, guardrail, refus, responsible, cyber, jailbreak, public code, recitation, copyright`,
    ),
    pattern: anyOf(
      /(?:output|input|prompt|response|completion|answer|content|generation|message|candidate|text|request)s? (?:pattern |content )?(?:was |were |has been |have been |is |got )?blocked(?! by (?:cors|a firewall|the firewall|cloudflare))/,
      /block(?:ed)?[ _]?reason:? ?(?!:? ?unspecified|:? ?blocked_reason_unspecified)\w|prohibited[ _]?content/,
      /blocked by (?:the |our |a |an )?(?:[a-z]+ )?(?:guardrail|filter|safety|polic)/,
      /guardrails? (?:has |have )?(?:intervened|blocked|triggered|violat)|guardrail (?:checks?|rules?|polic(?:y|ies))[^\n]{0,40}?(?:failed|denied|violat|not pass)/,
      /(?:triggered|tripped|violated) (?:a |the |an )?(?:[a-z]+ )?guardrail/,
      /(?:model|assistant|claude|gpt) (?:has )?(?:refused|declined) /,
      /refus(?:ed|al|es) to (?:answer|respond|comply|help|generate|fulfil)|responsible ai|violative cyber/,
      /cyber(?:security)? safeguards?|jailbreak (?:attempt|detected)|match(?:es|ed|ing) public code/,
      /due to recitation|copyright(?:ed)? (?:content|material|violation)/,
    ),
  },
  {
    id: 'refusal.declined',
    class: 'T8',
    confidence: 0.88,
    hints: listOf(`unable to respond, cannot respond, can't respond, can't assist, cannot assist, can't help with,
      cannot help with, limited access to this content, not able to assist, unable to assist, unable to help,
      can't discuss, will not comply`),
    pattern: anyOf(
      /unable to (?:respond|assist|help)[^\n]{0,20}?(?:to|with) (?:this|that|your)/,
      /can(?:not|'t) (?:respond to|assist with|help with|discuss|fulfill) (?:this|that|your|such)/,
      /limited access to this content|not able to assist|will not comply/,
    ),
  },
  {
    id: 'refusal.chinese',
    class: 'T8',
    confidence: 0.92,
    hints: listOf(
      `敏感, 违规, 不安全, 不适当, 不当内容, 安全审核, 内容审核, 内容安全, 违反, 审查, 风险, 拒绝回答, 无法回答, 不合规, 涉政, 色情, 违法`,
    ),
    pattern: anyOf(
      /敏感(?:内容|信息|词)?|违规|不安全|不适当|不当内容|安全审核|内容审核|内容安全|违反[^\n]{0,20}?(?:政策|规定|法规|协议|法律|准则)/,
      /审查[^\n]{0,6}?(?:不通过|未通过|失败)|(?:高|存在|内容)风险|拒绝回答|无法回答|不合规|涉政|色情|违法/,
    ),
  },
];
