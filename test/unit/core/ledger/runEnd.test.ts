import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../../../src/core/ledger/entry.ts';
import type { ProbeResult, RunTrace } from '../../../../src/core/ledger/reconcile.ts';
import { judgeEnd } from '../../../../src/core/ledger/runEnd.ts';

const STARTED: RunTrace = { kind: 'started' };
const REJECTED = ' ! [rejected]        main -> main (fetch first)\n';
const absent: ProbeResult = { says: 'ABSENT', probe: 'git-push', detail: 'as before' };
const made: ProbeResult = { says: 'COMMITTED', probe: 'git-push', detail: 'is there', ifStopped: '; hooks' };
const exited = (exitCode: number): RunTrace => ({ kind: 'exited', exitCode });
const ended = (exitCode: number | null, more: Partial<Evidence> = {}): Evidence => {
  return { source: 'exit', detail: '', exitCode, ...more };
};

function push(transport: string | undefined, evidence: Evidence | null = null, more: object = {}) {
  const refs = [{ ref: 'refs/heads/main', before: null, after: 'a' }];
  const data = { workspace: '/w', folder: '/w', gitDirectory: '/w/.git', remote: 'origin', addressHash: 'h', refs };
  return { probe: { kind: 'git-push', data: { ...data, transport, isAlone: true, ...more } }, evidence };
}

describe('what a probe says, by the end of the run', () => {
  it.each([
    ['on this machine, killed', 'local', ended(null), STARTED, 'ABSENT'],
    ['by ssh, killed', 'direct', ended(null), STARTED, 'UNKNOWN'],
    ['by ssh, killed, whatever code the gate found then', 'direct', ended(null), exited(1), 'UNKNOWN'],
    ['by ssh, rejected', 'direct', ended(1), exited(1), 'ABSENT'],
    ['by ssh, rejected, seen only by the gate', 'direct', null, exited(1), 'ABSENT'],
    ['by ssh, connection lost', 'direct', ended(128), exited(128), 'UNKNOWN'],
    ['by ssh, without a report', 'direct', ended(1, { stderr: ' ! [remote failure] main' }), exited(1), 'UNKNOWN'],
    ['by ssh, before a restart', 'direct', null, { kind: 'other-boot' }, 'UNKNOWN'],
    ['by ssh, something went on', 'direct', ended(1, { leftRunning: true }), exited(1), 'UNKNOWN'],
    ['by https, rejected', 'helper', ended(1, { stderr: REJECTED }), exited(1), 'ABSENT'],
    [
      'by https, a server that only says so',
      'helper',
      ended(1, { stderr: `remote:${REJECTED}` }),
      exited(1),
      'UNKNOWN',
    ],
    ['by https, code alone', 'helper', null, exited(1), 'UNKNOWN'],
    ['by an older baseline', undefined, ended(1), exited(1), 'UNKNOWN'],
  ] as const)('%s', (_, transport, evidence, trace, says) => {
    expect(judgeEnd(push(transport, evidence), trace, absent)?.says).toBe(says);
  });

  it('does not take the code of another part for that of the push', () => {
    expect(judgeEnd(push('direct', ended(1), { isAlone: false }), exited(1), absent)?.says).toBe('UNKNOWN');
    const shared = push('direct', ended(1));
    const probe = { ...shared.probe, exitIsShared: true };
    expect(judgeEnd({ ...shared, probe }, exited(1), absent)?.says).toBe('UNKNOWN');
  });

  it('tells what a stopped run left open, and only then', () => {
    const detail = (evidence: Evidence | null, trace: RunTrace) =>
      judgeEnd(push('local', evidence), trace, made)?.detail;
    expect([detail(ended(null), exited(0)), detail(null, STARTED)]).toEqual(['is there; hooks', 'is there; hooks']);
    expect([detail(ended(137), exited(137)), detail(null, exited(1))]).toEqual(['is there; hooks', 'is there']);
    expect(judgeEnd(push('local'), STARTED, null)).toBeNull();
  });
});
