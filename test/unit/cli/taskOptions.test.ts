import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseTaskOptions } from '../../../src/cli/task.ts';

const errorOf = (options: Readonly<Record<string, string>>): string => {
  const parsed = parseTaskOptions(options, tmpdir());
  return parsed.ok ? 'taken' : parsed.error;
};
const config = 'belay.yaml';

describe('the options of belay task', () => {
  it('need exactly one of a goal and a task to go on with', () => {
    expect(errorOf({ config })).toContain('either --goal TEXT');
    expect(errorOf({ config, goal: 'x', resume: 'task-1' })).toContain('either --goal TEXT');
    expect(errorOf({ config, goal: '  ' })).toContain('--goal is empty');
    expect(errorOf({ config, goal: 'x' })).toBe('taken');
    expect(errorOf({ config, resume: 'task-1' })).toBe('taken');
  });

  it('are named one by one when they cannot be used', () => {
    expect(errorOf({ goal: 'x' })).toContain('--config FILE');
    expect(errorOf({ config, goal: 'x', workspace: './no-such-folder' })).toContain('--workspace');
    expect(errorOf({ config, goal: 'x', criticality: 'huge' })).toContain('--criticality');
    for (const qualityFloor of ['-0.1', '1.1', 'high'])
      expect(errorOf({ config, goal: 'x', qualityFloor })).toContain('0 to 1');
    for (const deadlineS of ['0', '-1', 'soon', 'Infinity'])
      expect(errorOf({ config, goal: 'x', deadlineS })).toContain('--deadline-s');
  });

  it('take paths from where the person stands and have the defaults that the help names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'belay-options-'));
    try {
      const parsed = parseTaskOptions({ config, goal: 'x' }, folder);
      expect(parsed).toMatchObject({
        ok: true,
        value: {
          workspace: folder,
          config: join(folder, config),
          success: 'npm test',
          criticality: 'medium',
          // 3600 for a new task; a resumed one keeps its own.
          deadlineS: null,
        },
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
