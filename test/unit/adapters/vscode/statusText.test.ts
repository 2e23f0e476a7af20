import { describe, expect, it } from 'vitest';
import {
  statusLines,
  statusLook,
  type StatusFacts,
  type Translate,
} from '../../../../src/adapters/vscode/statusText.ts';
import { emptySnapshot, type LaneState, type Snapshot } from '../../../../src/core/snapshot.ts';

const t: Translate = (text, ...args) =>
  text.replace(/\{(\d)\}/g, (_whole, index: string) => String(args[Number(index)]));
const facts = (snapshot: Partial<Snapshot>, rest: Partial<StatusFacts> = {}): StatusFacts => ({
  engine: 'running',
  rung: 'L0',
  snapshot: { ...emptySnapshot, ...snapshot },
  ...rest,
});
const lane = (status: LaneState['status']): LaneState => ({
  attempt: status,
  candidate: 'a',
  status,
  startedAtMs: 0,
  firstTokenMs: null,
  elapsedMs: null,
  note: '',
});
const race = (...lanes: LaneState[]): Snapshot['race'] => ({ call: 'c', role: 'chat', model: '*', lanes });
const totals = { ...emptySnapshot.totals, unknownEffects: 2 };

describe('the status bar text', () => {
  it('says ok while nothing is wrong, also before the engine is needed', () => {
    expect(statusLook(facts({}), t)).toEqual({ text: '$(shield) Belay: ok', severity: 'none' });
    expect(statusLook({ engine: 'idle', rung: 'L0', snapshot: null }, t).text).toBe('$(shield) Belay: ok');
  });

  it('counts the attempts of a race from two on', () => {
    expect(statusLook(facts({ race: race(lane('running')) }), t).text).toBe('$(shield) Belay: ok');
    expect(statusLook(facts({ race: race(lane('running'), lane('streaming'), lane('failed')) }), t).text).toBe(
      '$(sync~spin) Belay: hedging 2',
    );
  });

  it('names the rung of a fallback', () => {
    expect(statusLook(facts({}, { rung: 'L2' }), t).text).toBe('$(warning) Belay: L2 fallback');
    expect(statusLook(facts({}, { rung: 'L1' }), t).text).toBe('$(shield) Belay: ok');
  });

  it('puts questions before unknown effects, and those before a race', () => {
    const questions = [{ id: 'q', title: 'x', level: null }];
    expect(statusLook(facts({ questions, totals }), t)).toEqual({
      text: '$(question) Belay: 1 waiting',
      severity: 'warning',
    });
    expect(statusLook(facts({ totals, race: race(lane('running'), lane('running')) }), t)).toEqual({
      text: '$(circle-slash) Belay: 2 unknown',
      severity: 'warning',
    });
  });

  it('says that the engine cannot start before everything else', () => {
    expect(statusLook({ engine: 'failed', rung: 'L0', snapshot: null }, t)).toEqual({
      text: '$(error) Belay: cannot start',
      severity: 'error',
    });
  });
});

describe('the tooltip', () => {
  it('tells what the day has cost where that has a limit', () => {
    const spending = { usd: 1.5, extraUsd: 0.2, limitUsd: null };
    expect(statusLines(facts({ spending }), t).join()).not.toContain('Today');
    expect(statusLines(facts({ spending: { ...spending, limitUsd: 5 } }), t)).toContain('Today $1.50 of $5.00');
  });

  it('tells calls, cost and mended faults, and the last warning with its remedy', () => {
    const notices = [
      { severity: 'warning' as const, message: 'The disk is full.', remedy: 'Free some space.', atMs: 0 },
    ];
    const snapshot = {
      totals: { ...totals, calls: 3, attempts: 5, costUsd: 0.5, faults: 2, faultsMended: 1 },
      notices,
    };
    expect(statusLines(facts(snapshot), t)).toEqual([
      '3 calls, 5 attempts, $0.50',
      '2 faults, 1 mended',
      '2 effects with an unknown result',
      'The disk is full. Free some space.',
    ]);
  });
});
