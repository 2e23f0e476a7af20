// Levels of tools that are not Belay's own.
import { describe, expect, it } from 'vitest';
import { judge } from '../../../../src/core/guard/judge.ts';
import { assessTool } from '../../../../src/core/guard/tools.ts';
import type { ForeignTool } from '../../../../src/core/guard/foreignTool.ts';
import { definitionHash } from '../../../../src/core/ledger/toolContract.ts';

const definition = definitionHash({ schema: {}, version: '1.0.0' });
const passed = { tool: 'pay', definition, testedAtMs: 1, isPassed: true, problems: [], evidence: [] };

function levelOf(tool: Partial<ForeignTool>, name = 'pay'): string {
  return assessTool(name, {}, {}, { definition, hasProbe: false, contracts: [], ...tool }).level;
}

describe('a foreign tool', () => {
  it('is R3 where nothing is known of it, and where its annotations leave it at what the protocol assumes', () => {
    expect(levelOf({})).toBe('R3');
    expect(levelOf({ annotations: {} })).toBe('R3');
    expect(levelOf({ annotations: { idempotentHint: true } })).toBe('R3');
    expect(assessTool('pay', {}).level).toBe('R3');
  });

  it('is R0 where it says that it only reads', () => {
    expect(levelOf({ annotations: { readOnlyHint: true } })).toBe('R0');
  });

  it('is R2 without destruction only where a probe can look, else R3', () => {
    expect(levelOf({ annotations: { destructiveHint: false }, hasProbe: true })).toBe('R2');
    expect(levelOf({ annotations: { destructiveHint: false } })).toBe('R3');
  });

  it('is R1 by its own word only after its contract was passed in this version', () => {
    const annotations = { destructiveHint: false, idempotentHint: true };
    expect(levelOf({ annotations, hasProbe: true })).toBe('R2');
    expect(levelOf({ annotations })).toBe('R3');
    expect(levelOf({ annotations, contracts: [passed] })).toBe('R1');
    expect(levelOf({ annotations, contracts: [passed], definition: definitionHash({ version: '1.0.1' }) })).toBe('R3');
    expect(levelOf({ annotations, contracts: [{ ...passed, isPassed: false }] })).toBe('R3');
    expect(levelOf({ annotations, contracts: [passed] }, 'mail')).toBe('R3');
  });

  it('has the level that a person declared, R1 again only after its contract', () => {
    expect(levelOf({ declared: 'R2', annotations: { readOnlyHint: true } })).toBe('R2');
    expect(levelOf({ declared: 'R1' })).toBe('R3');
    expect(levelOf({ declared: 'R1', contracts: [passed] })).toBe('R1');
  });

  it('never takes the place of a tool of Belay by its name', () => {
    expect(levelOf({ annotations: { readOnlyHint: true } }, 'run_command')).toBe('R3');
  });

  it('says why it is less than it claims, and how to prove more', () => {
    const tool = { definition, hasProbe: false, contracts: [], declared: 'R1' as const };
    const { reasons } = assessTool('pay', {}, {}, tool);
    expect(reasons.join()).toContain('pay is R1 as a person declared');
    expect(reasons.join()).toContain('belay ledger contract --tool pay');
    const proved = assessTool('pay', {}, {}, { ...tool, contracts: [passed] });
    expect(proved.reasons.join()).not.toContain('belay ledger contract');
  });

  it('is asked about by the guard as long as it is R3', () => {
    const assessment = assessTool('pay', {}, {}, { definition, hasProbe: false, contracts: [], declared: 'R1' });
    expect(judge(assessment, { mode: 'autonomous', rules: [], problems: [] }).verdict).toBe('ask');
  });
});
