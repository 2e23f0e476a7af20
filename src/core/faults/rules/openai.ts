// OpenAI, Azure OpenAI, GitHub Models, Copilot and Codex: codes and sentences that only they use.
import type { Rule } from '../rule.ts';
import { listOf } from '../wordLists.ts';

export const openaiRules: readonly Rule[] = [
  // A prompt that the platform itself flagged comes as an ordinary code.
  { id: 'openai.invalid-prompt', class: 'T8', confidence: 0.9, tokens: ['invalid_prompt'], hints: ['prompt'] },
  {
    id: 'openai.plan-window',
    class: 'T2',
    secondary: 'T7',
    confidence: 0.92,
    tokens: ['usage_limit_reached', 'usage_not_included_window'],
  },
  {
    id: 'openai.usage-not-included',
    class: 'T7',
    detail: 'quota',
    confidence: 0.92,
    tokens: ['usage_not_included', 'deactivated_workspace'],
  },
  {
    id: 'openai.retry-limit',
    class: 'T2',
    tier: 'generic',
    confidence: 0.75,
    hints: ['exceeded retry limit'],
    pattern: /exceeded retry limit, last status: 429/,
  },
  // Groq: the model's own answer was no JSON; asked again it may be.
  {
    id: 'groq.bad-generation',
    class: 'V1',
    secondary: 'T5',
    confidence: 0.88,
    families: ['groq'],
    tokens: ['json_validate_failed'],
    operations: ['model_read'],
  },
  // Azure: a new deployment needs minutes, but only its existence cures this.
  {
    id: 'azure.deployment',
    class: 'T7',
    detail: 'fixable',
    confidence: 0.92,
    tokens: ['deploymentnotfound', 'invalidresourcename', 'resourcenotfound'],
  },
  {
    id: 'azure.auth',
    class: 'T7',
    detail: 'permission',
    confidence: 0.93,
    tokens: listOf(`principalunauthorized, authenticationtypedisabled, invalidauthenticationtoken,
      accessdeniedtrafficblocked, subscriptionnotfound, subscriptionblocked`),
  },
  // Copilot through VS Code: an answer without any content is told as an error of this sentence.
  {
    id: 'copilot.no-choices',
    class: 'V1',
    confidence: 0.85,
    hints: ['no choices', 'no response was returned'],
    pattern: /(?:contain(?:s|ed)|returned|had|with) no choices|no response was returned/,
    operations: ['model_read'],
  },
  {
    id: 'github.no-model',
    class: 'T7',
    detail: 'permission',
    confidence: 0.9,
    tokens: listOf(`no_access, unavailable_model, model_not_accessible, feature_flag_blocked`),
  },
];
