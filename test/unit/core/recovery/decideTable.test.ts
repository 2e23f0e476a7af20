// Fault x level x criticality x budget x preset against the document, every cell (tables in test/support/decisionTable.ts).
import { describe, expect, it } from 'vitest';
import type { FaultClass, PermanentDetail } from '../../../../src/core/faults/fault.ts';
import type { EffectLevel } from '../../../../src/core/ledger/entry.ts';
import { decide } from '../../../../src/core/recovery/decide.ts';
import type { Decision } from '../../../../src/core/recovery/decision.ts';
import { bare, facts, policies, rich, type Change } from '../../../support/decisionInputs.ts';
import { decisionTable, doubtTable, type Actor, type World } from '../../../support/decisionTable.ts';

interface Variant {
  readonly class: FaultClass;
  readonly detail: PermanentDetail | null;
  readonly hasNewEvidence: boolean;
}

const plain = (faultClass: FaultClass): Variant => ({ class: faultClass, detail: null, hasNewEvidence: false });
const VARIANTS: Readonly<Record<string, Variant>> = {
  T1: plain('T1'),
  T2: plain('T2'),
  T3: plain('T3'),
  T4: plain('T4'),
  T5: plain('T5'),
  T6: plain('T6'),
  T7: plain('T7'),
  'T7/fixable': { ...plain('T7'), detail: 'fixable' },
  'T7/permission': { ...plain('T7'), detail: 'permission' },
  'T7/quota': { ...plain('T7'), detail: 'quota' },
  T8: plain('T8'),
  'V1+': { ...plain('V1'), hasNewEvidence: true },
  'V1-': plain('V1'),
  unknown: plain('unknown'),
};
const BUDGETS = [
  { step: 3, task: 10, tenant: 600 },
  { step: 1, task: 10, tenant: 600 },
  { step: 0, task: 0, tenant: 0 },
];
const CRITICALITIES = ['low', 'medium', 'high'] as const;
const PRESETS = ['document', 'plus'] as const;

/** Rows of a table by variant; every variant exactly once. */
function read(text: string): Map<string, readonly string[]> {
  const rows = new Map<string, readonly string[]>();
  for (const line of text.trim().split('\n')) {
    const [names = '', ...cells] = line.split('|').map((part) => part.trim());
    for (const name of names.split(/\s+/)) {
      expect(rows.has(name), `${name} twice`).toBe(false);
      rows.set(name, cells.join(' ').split(/\s+/));
    }
  }
  expect([...rows.keys()].sort()).toEqual(Object.keys(VARIANTS).sort());
  return rows;
}

const LETTERS: Readonly<Record<Decision['action'], string>> = {
  RETRY: 'R',
  RECONCILE: 'K',
  COMPRESS: 'C',
  DEGRADE_MODEL: 'M',
  DEGRADE_TOOL: 'D',
  DEGRADE_SCOPE: 'S',
  REPLAN: 'P',
  ESCALATE: 'E',
  FAIL: 'F',
};

/** A decision as the tables write it. */
function coded({ action, target, rung }: Decision): string {
  const letter = LETTERS[action];
  if (action === 'RETRY') return `R${target === 'same' ? 's' : target === 'other-candidate' ? 'o' : `?${target}`}`;
  if (target === 'other-account') return `${letter}a`;
  return letter === 'M' || letter === 'D' || letter === 'S' ? `${letter}${rung.slice(1)}` : letter;
}

const LEVELS: Readonly<Record<Actor, readonly EffectLevel[]>> = {
  model: ['R0'],
  tool: ['R0'],
  write: ['R1', 'R2'],
  irreversible: ['R3'],
};

function changeFor(name: string, level: EffectLevel, budget: number, criticality: number): Change {
  const { hasNewEvidence, ...fault } = VARIANTS[name]!;
  return {
    fault,
    action: { level, criticality: CRITICALITIES[criticality]! },
    budget: BUDGETS[budget]!,
    evidence: { hasNewEvidence, sameRejections: fault.class === 'V1' ? 1 : 0 },
  };
}

let cells = 0;

function compare(change: Change, wanted: string, where: string): void {
  cells++;
  const decision = decide(facts(change));
  expect(coded(decision), `${where}: ${decision.rule}`).toBe(wanted);
}

describe('every cell of the decision table', () => {
  for (const preset of PRESETS) {
    for (const actor of Object.keys(LEVELS) as Actor[]) {
      for (const world of ['rich', 'bare'] as World[]) {
        it(`is as written: ${preset}, ${actor}, ${world}`, () => {
          const policy = policies[preset];
          for (const [name, wanted] of read(decisionTable[preset][actor][world])) {
            expect(wanted, name).toHaveLength(9);
            for (const level of LEVELS[actor]) {
              for (const [index, code] of wanted.entries()) {
                const change = changeFor(name, level, Math.floor(index / 3), index % 3);
                const options = world === 'rich' ? rich : bare;
                const kind = actor === 'model' ? 'model' : 'tool';
                const effect =
                  level === 'R0' ? {} : { entry: 'RECONCILED_ABSENT' as const, canProbe: true, isProbed: true };
                const all = { ...change, policy, options, effect, action: { ...change.action, kind } } as const;
                compare(all, code, `${preset} ${actor} ${world} ${name} ${level} column ${index}`);
              }
            }
          }
        });
      }
    }
  }

  for (const level of ['R1', 'R2', 'R3'] as const) {
    for (const state of ['untried', 'tried'] as const) {
      it(`is as written for a write in doubt: ${level}, probe ${state}`, () => {
        const effect = { entry: 'UNKNOWN', canProbe: true, isProbed: state === 'tried' } as const;
        for (const [name, wanted] of read(doubtTable[level][state])) {
          const isAsAbsent = wanted.join(' ') === 'as absent';
          for (const preset of PRESETS) {
            // Never told as failed while it may have happened.
            const absent = read(decisionTable[preset].write.bare)
              .get(name)!
              .map((code) => (code === 'F' ? 'E' : code));
            for (let index = 0; index < 9; index++) {
              const change = changeFor(name, level, Math.floor(index / 3), index % 3);
              const action = { ...change.action, kind: 'tool' } as const;
              const code = isAsAbsent ? absent[index]! : wanted[index % 3]!;
              compare(
                { ...change, action, effect, policy: policies[preset] },
                code,
                `${preset} ${level} ${name} ${index}`,
              );
            }
          }
        }
      });
    }
  }

  it('was compared', () => {
    expect(cells).toBe(14 * 9 * (2 * 2 * (1 + 1 + 2 + 1) + 3 * 2 * 2));
  });
});
