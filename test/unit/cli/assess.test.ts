import { describe, expect, it } from 'vitest';
import { assessCommand } from '../../../src/cli/assess.ts';
import { memoryIo } from './memoryIo.ts';

async function run(lines: readonly object[]): Promise<{ code: number; answers: unknown[] }> {
  const { io, lines: written } = memoryIo([lines.map((line) => JSON.stringify(line)).join('\n')]);
  const code = await assessCommand(io, '/w');
  return { code, answers: written.map((line) => JSON.parse(line) as unknown) }; // the command wrote them
}

describe('belay assess', () => {
  it('prints level, reasons, effects and whether the command was understood', async () => {
    const { code, answers } = await run([
      { id: 'read', shell: 'bash', command: 'cat notes.txt', cwd: '/w', workspace: '/w' },
      { id: 'wipe', shell: 'bash', command: 'rm -rf /' },
      { id: 'broken', shell: 'bash', command: 'echo "' },
    ]);
    expect(code).toBe(0);
    expect(answers).toMatchObject([
      { id: 'read', level: 'R0', parsed: true },
      { id: 'wipe', level: 'R3', parsed: true },
      { id: 'broken', level: 'R3', parsed: false },
    ]);
    for (const answer of answers) {
      expect(Object.keys(answer as object)).toEqual(['id', 'level', 'reasons', 'effects', 'parsed']); // an object by the match above
    }
  });

  it('names the field of a bad line and assesses the others', async () => {
    const { code, answers } = await run([
      { id: 1, shell: 'fish', command: 'ls' },
      { id: 2, shell: 'bash' },
      { id: 3, shell: 'bash', command: 'ls' },
    ]);
    expect(code).toBe(2);
    expect(JSON.stringify(answers[0])).toContain('shell: ');
    expect(JSON.stringify(answers[1])).toContain('command: ');
    expect(answers[2]).toMatchObject({ id: 3, level: 'R0' });
  });
});
