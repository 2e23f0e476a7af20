// Anthropic's API and Claude Code's own sentences.
import type { Rule } from '../rule.ts';
import { anyOf } from '../wordLists.ts';

export const anthropicRules: readonly Rule[] = [
  {
    id: 'anthropic.usage-limits',
    class: 'T7',
    detail: 'quota',
    secondary: 'T2',
    confidence: 0.94,
    hints: ['usage limits', 'regain access'],
    pattern: /reached your specified api usage limits|regain access on/,
  },
  {
    id: 'anthropic.key-scope',
    class: 'T7',
    detail: 'permission',
    confidence: 0.92,
    hints: ['only authorized for use with'],
    pattern: /only authorized for use with/,
  },
  {
    id: 'anthropic.acceleration',
    class: 'T2',
    confidence: 0.88,
    hints: ['acceleration'],
    pattern: /acceleration limit|usage increase rate/,
  },
  {
    id: 'anthropic.window',
    class: 'T2',
    secondary: 'T7',
    confidence: 0.88,
    hints: ['limit'],
    pattern: anyOf(
      /limit ?[·∙•|-] ?resets|claude (?:ai |pro |max |opus |sonnet )?usage limit reached/,
      /you've hit your (?:[a-z0-9 -]+ )?limit/,
    ),
  },
  {
    id: 'anthropic.stream-idle',
    class: 'T3',
    secondary: 'T1',
    confidence: 0.85,
    hints: ['stream idle'],
    pattern: /\bstream idle (?:timeout|for)/,
    operations: ['model_read', 'tool_read'],
  },
];
