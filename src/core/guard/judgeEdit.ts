// The verdict on an edit that goes through Belay's own edit path: its before-image is kept, so it can be undone. Where the mode
// alone would ask, `balanced` lets such an edit through; rules, the floor and secrets count as for everything else.
import type { Assessment } from './assessment.ts';
import { judge, type Judgement } from './judge.ts';
import type { Policy } from './policy.ts';

/** Judges an edit whose before-image is kept. `assessment` comes from assessTool. */
export function judgeEdit(assessment: Assessment, policy: Policy): Judgement {
  const judgement = judge(assessment, policy);
  const isByModeAlone = judgement.verdict === 'ask' && judgement.rule === 'mode balanced';
  const isSecret = assessment.effects.some((effect) => effect.kind === 'read-secret');
  if (!isByModeAlone || isSecret || assessment.level === 'R3') return judgement;
  return {
    verdict: 'allow',
    rule: 'mode balanced, undoable edit',
    reasons: ['its before-image is kept, so it can be undone', ...judgement.reasons],
  };
}
