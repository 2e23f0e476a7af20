// Routers and proxies (OpenRouter, LiteLLM, gateways): their own words about choosing a provider, and what their wrappers hide.
import type { Rule } from '../rule.ts';
import { anyOf } from '../wordLists.ts';

export const routerRules: readonly Rule[] = [
  // About the account's settings, not about what was asked: no refusal, and nobody else to try.
  {
    id: 'router.no-endpoint',
    class: 'T7',
    detail: 'fixable',
    confidence: 0.93,
    hints: ['no endpoints', 'no allowed providers', 'no providers', 'data policy'],
    pattern: anyOf(
      /no endpoints? (?:found|available)|no allowed providers/,
      /no (?:available )?providers? (?:available |found )?(?:for|that|support|match)/,
      /matching your (?:guardrail|data|privacy)/,
    ),
  },
  {
    id: 'router.key-limit',
    class: 'T7',
    detail: 'quota',
    confidence: 0.93,
    hints: ['key limit exceeded', 'higher monthly limit', 'total limit'],
    pattern: /key limit exceeded|higher monthly limit|exceeded (?:the )?total limit/,
  },
  {
    id: 'router.upstream-pool',
    class: 'T2',
    secondary: 'T4',
    confidence: 0.88,
    tokens: ['upstream_provider_shared_pool'],
  },
  {
    id: 'router.no-deployment',
    class: 'T4',
    secondary: 'T2',
    confidence: 0.8,
    hints: ['no deployments available', 'no healthy'],
    pattern: /no deployments available|no healthy (?:deployments?|backends?|providers?)/,
  },
  {
    id: 'router.no-upstream',
    class: 'T1',
    secondary: 'T4',
    confidence: 0.82,
    hints: ['no healthy upstream'],
    pattern: /no healthy upstream/,
    operations: ['model_read'],
  },
  {
    id: 'router.nobody-free',
    class: 'T4',
    secondary: 'T7',
    confidence: 0.82,
    statuses: [503],
    hints: ['provider'],
    pattern: /no (?:available|suitable|healthy) (?:model )?providers?/,
  },
];
