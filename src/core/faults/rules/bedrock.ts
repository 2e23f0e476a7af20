// AWS Bedrock: exception names (in x-amzn-errortype, __type, the SDK error's name, or an event frame inside a 200).
import type { Rule } from '../rule.ts';
import { listOf } from '../wordLists.ts';

export const bedrockRules: readonly Rule[] = [
  {
    id: 'bedrock.throttled',
    class: 'T2',
    confidence: 0.94,
    tokens: listOf(`throttlingexception, toomanyrequestsexception, provisionedthroughputexceededexception,
      requestlimitexceeded`),
  },
  {
    id: 'bedrock.quota',
    class: 'T7',
    detail: 'quota',
    secondary: 'T2',
    confidence: 0.85,
    tokens: ['servicequotaexceededexception'],
  },
  {
    id: 'bedrock.denied',
    class: 'T7',
    detail: 'permission',
    confidence: 0.95,
    tokens: listOf(`accessdeniedexception, unrecognizedclientexception, expiredtokenexception, expiredtoken,
      invalidsignatureexception, missingauthenticationtokenexception, incompletesignature,
      credentialsprovidererror, optinrequired, notauthorizedexception, invalidclienttokenid,
      signaturedoesnotmatch, tokenrefreshrequired, ssotokenprovidererror`),
  },
  {
    id: 'bedrock.not-found',
    class: 'T7',
    detail: 'fixable',
    confidence: 0.9,
    tokens: ['resourcenotfoundexception', 'modelnotfoundexception'],
  },
  {
    id: 'bedrock.validation',
    class: 'T7',
    detail: 'fixable',
    tier: 'generic',
    confidence: 0.85,
    tokens: ['validationexception', 'serializationexception', 'invalidrequestexception'],
  },
  { id: 'bedrock.not-ready', class: 'T4', secondary: 'T1', confidence: 0.85, tokens: ['modelnotreadyexception'] },
  {
    id: 'bedrock.throughput',
    class: 'T7',
    detail: 'fixable',
    confidence: 0.9,
    hints: ['on-demand throughput', 'inference profile'],
    pattern: /with on-demand throughput is(?:n't| not) supported|id or arn of an inference profile/,
  },
];
