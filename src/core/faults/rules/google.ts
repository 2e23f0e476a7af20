// Gemini, Vertex AI and Google's RPC errors. Google says "quota" for every window: it opens again by itself, so it is T2 with
// T7 beside it, unless the limit is zero or the account has no billing.
import type { Rule } from '../rule.ts';
import { listOf } from '../wordLists.ts';

export const googleRules: readonly Rule[] = [
  // `limit: 0`: the retry hint in the same message can never work.
  {
    id: 'google.limit-zero',
    class: 'T7',
    detail: 'quota',
    secondary: 'T2',
    confidence: 0.93,
    hints: ['limit: 0', 'limit:0', 'quota_limit_value: 0', 'limit of 0'],
    pattern: /limit(?:_value)?:? ?(?:of )?0(?!\d|\.\d)/,
  },
  {
    id: 'google.window',
    class: 'T2',
    secondary: 'T7',
    confidence: 0.88,
    tokens: listOf(
      `resource_exhausted, quota_exhausted, rate_limit_exceeded, ratelimitexceeded, userratelimitexceeded`,
    ),
    families: ['google'],
  },
  {
    id: 'google.quota',
    class: 'T2',
    secondary: 'T7',
    confidence: 0.85,
    hints: ['quota'],
    pattern: /exceeded your current quota|quota exceeded|check quota|exhausted your/,
    families: ['google'],
    statuses: [429],
  },
  { id: 'google.capacity', class: 'T4', secondary: 'T2', confidence: 0.95, tokens: ['model_capacity_exhausted'] },
  {
    id: 'google.setup',
    class: 'T7',
    detail: 'permission',
    confidence: 0.93,
    tokens:
      listOf(`api_key_invalid, service_disabled, consumer_invalid, user_project_denied, api_key_ip_address_blocked,
      iam_permission_denied, project_invalid`),
  },
  {
    id: 'google.place',
    class: 'T7',
    detail: 'permission',
    confidence: 0.92,
    hints: ['user location'],
    pattern: /user location is not supported/,
  },
];
