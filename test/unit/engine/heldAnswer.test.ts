// V0 of a held answer (HFR table 8): what does not hold is a V1 fault of the attempt and never reaches the caller.
import { describe, expect, it } from 'vitest';
import type { ChatRequest, StreamPart } from '../../../src/core/chat.ts';
import { heldFault } from '../../../src/engine/heldAnswer.ts';
import { call, request } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers, type ScriptStep } from '../../support/scriptedProvider.ts';

const a = candidate('a');
const b = candidate('b');
const stop: StreamPart = { type: 'finish', reason: 'stop' };
const says = (text: string): readonly StreamPart[] => [{ type: 'text-delta', text }, stop];
/** Blank: an answer without any byte is a fault of transport already. */
const empty: readonly ScriptStep[] = [{ afterMs: 10, parts: says(' \n') }];
const asking = (body: object): ChatRequest => ({
  ...request,
  raw: { wire: 'openai-chat', body: body as Readonly<Record<string, unknown>>, headers: {} },
});
const schema = { type: 'object', required: ['price'], properties: { price: { type: 'number' } } };

describe('a held answer', () => {
  it('that is blank is not handed on: the next candidate answers', async () => {
    const outcome = await call([a, b], { a: [empty], b: [answers('full')] }, { policy: 'hold' });
    expect(outcome.text).toBe('full');
    const failed = outcome.log.find(({ body }) => body.type === 'attempt-failed')?.body;
    expect(failed).toMatchObject({
      fault: { class: 'V1', explicit: false, evidence: ['check.V0', 'transport empty'] },
    });
  });

  it('that nobody gives well is decided as a rejection', async () => {
    const outcome = await call([a], { a: [empty] }, { policy: 'hold' });
    expect(outcome.events.at(-1)).toMatchObject({
      type: 'failed',
      failure: { fault: { class: 'V1' }, decision: { action: 'ESCALATE', rule: 'V1/rejected' } },
    });
  });

  it.each([
    ['chat', { response_format: { type: 'json_schema', json_schema: { name: 'p', schema } } }],
    ['responses', { text: { format: { type: 'json_schema', schema } } }],
    ['messages', { output_format: { type: 'json_schema', schema } }],
  ])('of structured output has to fit the schema asked for: %s', (_, body) => {
    expect(heldFault(says('{"price": 3}'), asking(body))).toBeNull();
    expect(heldFault(says('{"price": "three"}'), asking(body))?.evidence).toEqual(['check.V0', 'field structure']);
    expect(heldFault(says('about three'), asking(body))?.class).toBe('V1');
  });

  it('passes where it was refused or cut off, which its end tells, and where the raw wire says what has no part', () => {
    expect(heldFault([{ type: 'finish', reason: 'refusal' }], request)).toBeNull();
    expect(heldFault([{ type: 'finish', reason: 'truncated' }], request)).toBeNull();
    expect(heldFault([stop], asking({}))).toBeNull();
    expect(heldFault([stop], request)).not.toBeNull();
  });

  it('has to choose the tool that was to be called', () => {
    const must: ChatRequest = { ...request, toolChoice: { type: 'required' } };
    expect(heldFault(says('no tool'), must)?.evidence).toEqual(['check.V0', 'transport tool-choice']);
  });
});
