// Tricks that make a dangerous command look mild: every one is R3, and no mode runs it unasked.
import { describe, expect, it } from 'vitest';
import { assess } from '../../../../src/core/guard/assess.ts';
import { judge } from '../../../../src/core/guard/judge.ts';
import { parsePolicy } from '../../../../src/core/guard/policy.ts';
import { PLACE } from './commands.ts';
import { EVASIONS } from './evasions.ts';

for (const [kind, commands] of Object.entries(EVASIONS)) {
  describe(kind, () => {
    it.each(commands)('is R3: %s', (command) => {
      const answer = assess({ shell: 'bash', command, ...PLACE });
      expect(answer.level).toBe('R3');
      expect(judge(answer, parsePolicy({ mode: 'autonomous' })).verdict).toBe('ask');
    });
  });
}
