import { describe, expect, it } from 'vitest';
import { TROUBLE_CODES } from '../../../../src/adapters/providers/trouble.ts';
import { classify } from '../../../../src/core/faults/classify.ts';
import { observation } from '../../../support/scriptedProvider.ts';

const byCode = (code: string): ReturnType<typeof classify> =>
  classify(
    observation({
      httpStatus: 200,
      streamPhase: 'before_first_token',
      clientError: { name: 'ProviderError', code, message: 'x' },
    }),
    0,
  );

describe("troubles that Belay's own adapters find", () => {
  it.each([
    [TROUBLE_CODES.missingKey, 'T7', 'permission'],
    [TROUBLE_CODES.keyStore, 'T7', 'permission'],
    [TROUBLE_CODES.signIn, 'T7', 'permission'],
    [TROUBLE_CODES.badBaseUrl, 'T7', 'fixable'],
    [TROUBLE_CODES.wrongContentType, 'T7', 'fixable'],
    [TROUBLE_CODES.endedEarly, 'T1', null],
    [TROUBLE_CODES.malformedChunk, 'T1', null],
    [TROUBLE_CODES.contentAfterFinish, 'T1', null],
    [TROUBLE_CODES.emptyAnswer, 'T1', null],
    ['belay_malformed_tool_call', 'T5', null],
  ] as const)('%s is %s', (code, cls, detail) => {
    expect(byCode(code)).toMatchObject({ class: cls, detail });
  });

  it('are all known to the classifier', () => {
    const unknown = Object.values(TROUBLE_CODES).filter(
      (code) => code !== TROUBLE_CODES.inBandError && byCode(code).class === 'unknown',
    );
    expect(unknown).toEqual([]);
  });
});
