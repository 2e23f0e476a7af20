// Names that others give and that every object has, wherever they index something; and text that is cut in the middle.
import { describe, expect, it } from 'vitest';
import type { Assessment } from '../../../src/core/guard/assessment.ts';
import { assess } from '../../../src/core/guard/assess.ts';
import { assessTool } from '../../../src/core/guard/tools.ts';
import { processedIn } from '../../../src/core/providers/residency.ts';
import { toolCallProblem } from '../../../src/core/toolCalls.ts';
import { cut } from '../../../src/engine/agentFiles.ts';

const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

describe.each(NAMES)('the name %s', (name) => {
  const levelOf = (command: string): Assessment => assess({ shell: 'bash', command, cwd: '/w', workspace: '/w' });

  it('is a program and a module like any other that nobody knows', () => {
    for (const command of [`python -m ${name}`, name, `${name} --fast a`]) {
      const unknown = command.replace(name, 'nobody_knows_it');
      expect(levelOf(command).level).toBe('R3');
      const reasons = levelOf(command).reasons.map((reason) => reason.replaceAll(name, 'nobody_knows_it'));
      expect(reasons).toEqual(levelOf(unknown).reasons);
    }
  });

  it('is a host whose place is the one that was named for it', () => {
    const at = { baseUrl: `https://${name}/v1`, kind: 'openai-compatible', model: 'm', region: 'eu' } as const;
    expect(processedIn(at)).toBe(processedIn({ ...at, baseUrl: 'https://nobody.example/v1' }));
  });
});

describe('text that is cut', () => {
  const long = '😀'.repeat(40_000);

  it.each(['', 'x', 'xy'])('has no half of a character, whatever comes before it (%j)', (lead) => {
    const call = { type: 'tool-call', id: '1', name: lead + long, argsText: '{}' } as const;
    expect(toolCallProblem([call], [])?.isWellFormed()).toBe(true);
    expect(cut(lead + long).isWellFormed()).toBe(true);
    expect(assessTool(lead + long, {}).reasons.every((reason) => reason.isWellFormed())).toBe(true);
  });
});
