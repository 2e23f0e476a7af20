// Load: the provider has no room (T4) or the caller has used up a window (T2), in everybody's words. T4 stands above T2,
// since capacity often hides behind a rate-limit code, and waiting at a full provider helps less than going elsewhere.
import type { Rule } from '../rule.ts';
import { anyOf, listOf } from '../wordLists.ts';

export const loadRules: readonly Rule[] = [
  {
    id: 'load.overloaded-code',
    class: 'T4',
    confidence: 0.96,
    tokens:
      listOf(`overloaded_error, overloadederror, overloaded, server_is_overloaded, server_overloaded, serveroverloaded,
      engine_overloaded, engineoverloaded, engine_overloaded_error, model_overloaded, modeloverloaded,
      model_capacity_exhausted, capacity_exceeded, capacity_exhausted, nocapacity, no_capacity,
      insufficient_capacity, insufficientcapacity, queue_exceeded, queue_full, server_busy, serverbusy,
      model_busy, service_overloaded, resource_unavailable, insufficient_system_resource, model_at_capacity,
      serveroverloadederror, slow_down, modelnotreadyexception, internalserverexception.overloaded,
      model_not_ready, cuda_out_of_memory`),
  },
  {
    id: 'load.overloaded',
    class: 'T4',
    confidence: 0.9,
    hints:
      listOf(`overload, capacity, high demand, high traffic, heavy traffic, heavy load, high load, busy, too much load,
      under load, peak, excessive load, heavy usage, high volume`),
    pattern: anyOf(
      /over-?load/,
      /(?:at|over|no|out of|insufficient|not enough|lacks?|exceed(?:s|ed|ing)?|reached|limited|under|without)(?: (?:its|the|our|full|max(?:imum)?|available|current|enough|sufficient|spare|remaining|server|gpu|compute|model)){0,3} capacity/,
      /capacity (?:is |was |has been )?(?:exceeded|exhausted|reached|constraint|limit|not available|unavailable|full|issue)/,
      /capacity available/,
      /(?:high|heavy|increased|unusual|extreme|peak|excessive|elevated|too much)(?: than [a-z]+)? (?:demand|traffic|load|usage|volume)/,
      /(?:server|service|system|model|engine|backend|we are|we're|currently|is|too) (?:is |are )?(?:currently |temporarily |very |too )?busy/,
      /busy,? (?:please )?(?:try|retry)/,
    ),
  },
  {
    id: 'load.queue',
    class: 'T4',
    confidence: 0.9,
    hints: listOf(
      `too many connections, reset reason, slot unavailable, queue, pending requests, worker, out of memory, memory, vram, slots, instances, replicas`,
    ),
    pattern: anyOf(
      /too many connections|reset reason: overflow|slots? (?:is |are )?unavailable/,
      /queue (?:is |was |has been |size |length |limit )?(?:full|exceeded|exhausted|too long|limit|overflow)/,
      /(?:maximum|max|too many) (?:pending|queued|waiting|in-?flight) requests/,
      /worker[^\n]{0,40}?request limit reached|(?:cuda|gpu|hip|metal)?[ _]?out of (?:gpu )?memory/,
      /(?:not enough|insufficient) (?:gpu |available )?(?:memory|vram)/,
      /no (?:available|free|idle) (?:slots?|workers?|instances?|gpus?)|no (?:slots?|workers?|instances?|gpus?|replicas?) (?:are )?(?:available|free)/,
    ),
  },
  {
    id: 'load.overloaded-chinese',
    class: 'T4',
    confidence: 0.92,
    hints: ['访问量', '繁忙', '过载', '负载', '拥挤', '排队', '资源不足', '高峰', '算力', '饱和', '满载', '爆满'],
    pattern:
      /访问量(?:过大|太大|过高)|(?:服务器|系统|服务|模型|当前)?[^\n]{0,6}?繁忙|过载|负载(?:过高|较高|已满|过大)|饱和|满载|爆满|拥挤|排队|资源不足|高峰|算力(?:不足|紧张)/,
  },

  {
    id: 'load.rate-code',
    class: 'T2',
    confidence: 0.93,
    tokens: listOf(`rate_limit_exceeded, rate_limit_error, ratelimiterror, rate_limit, rate_limited, ratelimited,
      ratelimitexceeded, rate_limit_reached, too_many_requests, toomanyrequests, too_many_requests_error,
      toomanyrequestsexception, throttled, throttling, throttlingexception, throttlingerror,
      throttling.ratequota, throttling.burstrate, limitexceededexception, limit_requests, limit_burst_rate,
      userratelimitexceeded, quotaexceeded, quota_exceeded, quota_exhausted, usage_limit_reached,
      usage_limit_exceeded, rpm_limit_exceeded, tpm_limit_exceeded, concurrency_limit_exceeded,
      too_many_concurrent_requests, requests_limit_reached, rate_limit_reached_error, limitexceeded,
      request_limit_exceeded, daily_limit_exceeded, upstream_rate_limited, agent_mode_limit_exceeded,
      requestlimitexceeded, throttlederror, tokens_per_minute, requests_per_minute, slowdown, chatratelimited`),
  },
  {
    id: 'load.rate-kind',
    class: 'T2',
    tier: 'generic',
    confidence: 0.85,
    tokens: ['resource_exhausted', 'resourceexhausted'],
  },
  {
    id: 'load.rate',
    class: 'T2',
    confidence: 0.88,
    hints: listOf(`rate limit, rate-limit, ratelimit, rate_limit, too many, per minute, per day, per hour, per second,
      throttl, concurren, token rate, request rate, requests rate, call rate`),
    pattern: anyOf(
      /rate[ _-]?limit|too many (?:requests|tokens, please wait|concurrent|calls|attempts)/,
      /(?:requests?|tokens?|queries|calls)(?: per| \/) ?(?:minute|day|hour|second|min|sec|month)|throttl/,
      /concurren(?:t|cy)[^\n]{0,30}?(?:limit|exceed|reached|too (?:high|many)|maximum)/,
      /(?:limit|maximum)[^\n]{0,20}?concurren|(?:token|request|call)s? rate (?:limit|exceed|is too)/,
    ),
  },
  {
    id: 'load.window',
    class: 'T2',
    secondary: 'T7',
    confidence: 0.86,
    hints: ['limit', 'quota', 'exhausted'],
    pattern: anyOf(
      /(?:hit|reached|exceeded|exhausted|used up) (?:your|the|its|this|all of your|all your) [^\n]{0,30}?(?:limit|quota|capacity|allowance|usage)/,
      /(?:usage|message|request|session|hourly|daily|weekly|5-hour|5 hour|model) limit (?:has been |was |is )?(?:reached|exceeded|hit)/,
      /(?:limit|quota|usage)[^\n]{0,30}?(?:will )?resets? (?:in|at|after|on|\d)/,
      /quota (?:has been |was |is )?(?:exceeded|exhausted|reached)|exceeded (?:the )?quota/,
      /resource (?:has been )?exhausted|limit reached/,
    ),
  },
  {
    id: 'load.rate-chinese',
    class: 'T2',
    confidence: 0.9,
    hints: ['并发', '频率', '频繁', '限流', '速率', '次数', '请稍后', '达到上限', '使用上限'],
    pattern: anyOf(
      /并发[^\n]{0,12}?(?:过高|超|限制|上限)|频率[^\n]{0,10}?(?:过高|超|限制)|频繁|限流|速率(?:限制|过快)/,
      /(?:请求|调用)次数[^\n]{0,12}?(?:超|过多|上限|限制)|(?:达到|超出|超过)[^\n]{0,12}?(?:使用)?上限/,
    ),
  },

  // GitHub turns rate limits away with 403; the headers say so, the words alone would not do.
  {
    id: 'load.turned-away',
    class: 'T2',
    confidence: 0.9,
    facts: ['told-to-come-back'],
    statuses: [403],
    hints: ['rate limit', 'too many requests', 'abuse detection'],
    pattern: /rate limit|too many requests|abuse detection/,
  },
  { id: 'load.in-flight-budget', class: 'T2', secondary: 'T7', confidence: 0.88, facts: ['in-flight-budget'] },
  {
    id: 'load.vscode-extension',
    class: 'T2',
    secondary: 'T7',
    confidence: 0.85,
    tokens: ['blocked'],
    pattern: /^the extension has been temporarily blocked due to making too many requests[^\n]{0,60}$/,
  },
];
