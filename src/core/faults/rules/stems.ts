// Code words that are in no table but are made of known words (`vendor_content_filter_triggered`, `ModelRateLimitedError`):
// what such a compound means. Worth no more than prose, since it is a guess: see decide.ts.
import type { Rule } from '../rule.ts';

export const stemRules: readonly Rule[] = [
  {
    id: 'stem.refusal',
    class: 'T8',
    confidence: 0.88,
    stem: /content_?(?:filter|polic|moderat|blocked|violat|restrict|safety|risk|management)|prohibited_?content|(?:sensitive|unsafe|harmful|inappropriate|offensive|illegal|toxic)_?(?:content|word|input|output|prompt|text|data)|guardrail(?!.*(?:budget|not_?found|config))|moderation(?!.*(?:unavailable|timeout))|responsible_?ai|(?:usage|safety|acceptable_?use|policy|guideline)_?(?:polic(?:y|ies)_?)?(?:violat|breach)|safety_?(?:filter|block|violat|stop|refus|check_?fail)|polic(?:y|ies)_?violation|data_?inspection|jail_?break|refusal|(?:model|assistant|answer|response|content|prompt)_?refused|(?:input|output|prompt|response|answer)_?(?:blocked|censored|flagged|moderated)|(?:^|_)(?:hap_)?filtered$|flagged_?(?:content|input|prompt)|risk_?(?:control|content)|csam|self_?harm|hate_?speech/,
  },
  {
    id: 'stem.money',
    class: 'T7',
    detail: 'quota',
    confidence: 0.88,
    stem: /insufficient_?(?:[a-z]+_?)?(?:quota|balance|funds?|credits?)|(?:balance|credits?|funds|budget|quota|allowance)_?(?:is_?)?(?:insufficient|depleted|not_?enough|too_?low)|(?:credits?|balance|funds|budget)_?(?:exhausted|exceeded|expired)|(?:spend|spending|cost|billing)_?(?:hard_?)?limit|payment_?(?:required|failed|overdue|method)|billing_?(?:not|disabled|required|inactive|hard)|(?:subscription|trial|plan)_?(?:expired|required|inactive|ended|cancel)|account_?(?:overdue|arrear)|arrear|out_?of_?(?:credits?|funds|quota)/,
  },
  {
    id: 'stem.key',
    class: 'T7',
    detail: 'permission',
    confidence: 0.88,
    stem: /(?:invalid|missing|incorrect|expired|revoked|wrong|disabled|no)_?(?:api_?)?(?:key|auth(?:entication|orization)?_?token|access_?token|credentials?)|(?:api_?key|access_?token|auth_?token|credentials?)_?(?:is_?)?(?:invalid|missing|expired|revoked|not_?(?:found|valid|set)|required|disabled|blocked)|(?:account|user|org(?:anization)?|project|key|team)_?(?:is_?|has_?been_?)?(?:suspended|deactivated|disabled|banned|restricted|blocked|terminated|locked)|(?:permission|access)_?(?:denied|not_?granted|required)|not_?(?:authorized|permitted|entitled)|region_?not_?(?:supported|allowed|available)|country_?(?:not|blocked|restricted)|authentication_?fail|sign_?in_?required|login_?required/,
  },
  {
    id: 'stem.size',
    class: 'T6',
    confidence: 0.88,
    stem: /context_?(?:length|window|size|limit|overflow)_?(?:is_?)?(?:exceed|overflow|too|error|reached|limit)|(?:prompt|input|request|message|payload|conversation)_?(?:is_?|tokens?_?|length_?|size_?)?(?:too_?(?:long|large|big)|exceed|over_?limit|overflow)|(?:max|maximum)_?(?:context|input|prompt)_?(?:length|tokens|size)?_?exceed|exceeds?_?(?:max_?)?(?:context|input|prompt)/,
  },
  {
    id: 'stem.load',
    class: 'T4',
    confidence: 0.85,
    stem: /over_?load(?!_?(?:ed_?)?function)|(?:no|insufficient|out_?of|over|at)_?capacity|capacity_?(?:exceed|exhaust|limit|reached|unavailable|error)|queue_?(?:is_?)?(?:full|exceed|overflow|too_?long)|(?:server|service|model|engine|system)_?(?:too_?)?busy|resource_?(?:shortage|insufficient)|out_?of_?memory/,
  },
  {
    id: 'stem.rate',
    class: 'T2',
    confidence: 0.85,
    stem: /rate_?limit|too_?many_?(?:requests|concurrent|calls|tokens|connections|attempts)|throttl|(?:rpm|tpm|rpd|tpd|qps|rps)_?(?:limit|exceed)|(?:requests?|tokens?|messages?|usage|daily|hourly|weekly|session|concurrency|concurrent_?requests?)_?(?:quota_?|limits?_?)(?:was_?|is_?)?(?:exceed|reached|hit)|quota_?(?:exceed|exhaust|reached)/,
  },
  {
    id: 'stem.call',
    class: 'T5',
    confidence: 0.85,
    stem: /(?:invalid|malformed|unknown|unsupported|unexpected|bad)_?(?:tool|function)_?(?:call|use|name|argument|parameter|schema|input|choice|definition)?|(?:tool|function)_?(?:call|use)_?(?:generation_?)?(?:failed|error|invalid|parse|validation)|(?:tool|function)_?(?:not_?found|unknown|unavailable|schema_?(?:invalid|error))/,
  },
];
