// Checkpoints of every version ever written are read; what a version did not hold is not known rather than guessed.
import { describe, expect, it } from 'vitest';
import {
  CHECKPOINT_VERSION,
  configurationDrift,
  readTaskState,
  taskStateText,
  type TaskState,
} from '../../../../src/core/recovery/checkpoint.ts';
import { settingsVersion } from '../../../../src/core/recovery/settingsVersion.ts';
import { parseSettings } from '../../../../src/core/settings.ts';

/** As the Belay before this one wrote it. */
const VERSION_1 = {
  status: 'running',
  goal: 'mend it',
  model: 'any',
  successCommand: 'npm test',
  criticality: 'high',
  workspace: '/repo',
  step: 3,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'mend it' }] }],
  results: [],
  attempts: 4,
  degraded: 1,
  costUsd: 0.25,
  idleAnswers: 0,
  lastEditor: 'a',
  lastRejection: '[["exit"],["exit"],1]',
};

const read = (version: number, state: object): TaskState => {
  const result = readTaskState(version, JSON.stringify(state));
  if (!result.ok) throw new Error(result.error);
  return result.state;
};

describe('a checkpoint of version 1', () => {
  it('is read, and what it did not hold is told as not known', () => {
    expect(read(1, VERSION_1)).toEqual({
      ...VERSION_1,
      control: 'RUN_STEP',
      qualityFloor: null,
      deadlineMs: null,
      policyVersion: null,
      settingsVersion: null,
      lowest: { rung: 'L3', candidate: null },
      editRung: 'L3',
      answer: null,
      degradedEdits: [],
      unlabelled: 1,
      avoided: [],
      verifyMs: null,
      escalation: null,
    });
    expect(read(1, { ...VERSION_1, degraded: 0 })).toMatchObject({ editRung: 'L0', unlabelled: 0 });
  });
});

describe('a checkpoint of version 2', () => {
  const full: TaskState = {
    ...read(1, VERSION_1),
    control: 'VERIFY',
    qualityFloor: 0.95,
    deadlineMs: 1_700_000_000_000,
    policyVersion: '2.0.0 document 12345678',
    settingsVersion: 'abcdef01',
    lowest: { rung: 'L2', candidate: 'b' },
    answer: { rung: 'L2', candidate: 'b' },
    degradedEdits: [{ toolCall: 'c1', rung: 'L2', substitute: 'b', isChecked: true }],
    avoided: ['a'],
    verifyMs: 1234,
    escalation: {
      atMs: 5,
      step: 3,
      rule: 'V1/budget',
      reason: 'used up',
      evidence: 'exit code 1',
      committed: ['edit a.txt (R2, COMMITTED)'],
      open: [],
      proposal: 'go on by hand',
    },
  };

  it('comes back as it was saved', () => {
    expect(CHECKPOINT_VERSION).toBe(2);
    expect(readTaskState(CHECKPOINT_VERSION, taskStateText(full))).toEqual({ ok: true, state: full });
  });

  it('is damaged where a part of it is missing, and refused where it is newer', () => {
    const { deadlineMs: _, ...lacking } = full;
    expect(() => read(2, lacking)).toThrow('damaged');
    expect(() => read(3, full)).toThrow('reads versions 1 to 2');
  });
});

describe('configuration drift', () => {
  const now = { policyVersion: 'p2', settingsVersion: 's2' };

  it('names what differs, and nothing where nothing does or nothing was known', () => {
    expect(configurationDrift({ policyVersion: 'p1', settingsVersion: 's2' }, now)).toEqual([
      'the recovery policy was p1 and is p2',
    ]);
    expect(configurationDrift({ policyVersion: 'p1', settingsVersion: 's1' }, now)).toHaveLength(2);
    expect(configurationDrift(now, now)).toEqual([]);
    expect(configurationDrift({ policyVersion: null, settingsVersion: null }, now)).toEqual([]);
  });

  it('is seen in any setting', () => {
    const versionOf = (raw: Record<string, unknown>): string => settingsVersion(parseSettings(raw).settings);
    expect(versionOf({})).toBe(versionOf({}));
    expect(versionOf({})).not.toBe(versionOf({ 'belay.advanced': { retry: { maxRetriesPerTask: 9 } } }));
    expect(versionOf({})).not.toBe(versionOf({ 'belay.mode': 'literal' }));
  });
});
