// What a request and its headers become for the controller, over real sockets.
import { describe, expect, it } from 'vitest';
import { answer, summaryOf } from '../support/fakeController.ts';
import { hello, withGateway } from '../support/gatewayHarness.ts';

describe('what the controller is given', () => {
  it('is the request with the caller’s own body, and a context from the headers', async () => {
    await withGateway({ script: answer({ type: 'finish', reason: 'stop' }) }, async ({ post, controller, clock }) => {
      const body = { ...hello, seed: 7, max_tokens: 5, stop: 'END' };
      const response = await post(body, {
        'x-belay-task': 'task-9',
        'x-belay-step': '3',
        'x-belay-role': 'coder',
        'x-belay-criticality': 'high',
        'x-belay-quality-floor': '0.5',
        'x-belay-deadline-ms': '5000',
        'x-belay-hold': 'true',
        'x-belay-client': 'probe',
        'x-belay-tenant': 'team',
        'x-belay-request-id': 'mine-1',
        'openai-beta': 'assistants=v2',
        cookie: 'private=1',
      });
      const call = controller.calls[0]!;
      expect(response.headers.get('x-belay-request-id')).toBe('mine-1');
      expect(response.headers.get('x-belay-ignored-fields')).toBe('seed');
      expect(call.request).toMatchObject({
        model: 'm',
        maxOutputTokens: 5,
        stop: ['END'],
        toolChoice: { type: 'auto' },
      });
      expect(call.request.raw).toEqual({ wire: 'openai-chat', body, headers: { 'openai-beta': 'assistants=v2' } });
      expect(call.options).toEqual({ policy: 'hold', requestId: 'mine-1' });
      expect(call.context).toEqual({
        tenant: 'team',
        client: 'probe',
        task: 'task-9',
        step: 3,
        role: 'coder',
        criticality: 'high',
        qualityFloor: 0.5,
        deadlineMs: clock.nowMs() + 5000,
      });
    });
  });

  it.each([
    ['x-belay-step', '0'],
    ['x-belay-quality-floor', '2'],
    ['x-belay-deadline-ms', 'soon'],
    ['x-belay-criticality', 'huge'],
    ['x-belay-hold', 'maybe'],
    ['x-belay-request-id', '../../etc/passwd'],
    ['x-belay-task', 'a b'],
    ['x-belay-critcality', 'high'],
  ])('is nothing when %s is %s: 400 names the header', async (header, value) => {
    await withGateway({}, async ({ post, controller }) => {
      const response = await post(hello, { [header]: value });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { param: header, code: 'invalid_header' } });
      expect(controller.calls).toHaveLength(0);
    });
  });

  it('is a fresh id when the asked one is already known', async () => {
    await withGateway(
      {
        script: (call) => [
          ...answer({ type: 'finish', reason: 'stop' }).slice(0, 2),
          { type: 'finished', summary: summaryOf({ requestId: call.options.requestId ?? '' }) },
        ],
      },
      async ({ post }) => {
        const ids: (string | null)[] = [];
        for (let turn = 0; turn < 2; turn++)
          ids.push((await post(hello, { 'x-belay-request-id': 'same' })).headers.get('x-belay-request-id'));
        expect(ids[0]).toBe('same');
        expect(ids[1]).toMatch(/^req-/);
      },
    );
  });
});

describe('what callers make up', () => {
  it('does not fill a header with the names of fields that are ignored', async () => {
    await withGateway({ script: answer({ type: 'finish', reason: 'stop' }) }, async ({ post }) => {
      const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${'k'.repeat(2000)}${i}`, 1]));
      for (const stream of [true, false]) {
        const response = await post({ ...hello, ...many, stream });
        await response.text();
        const header = response.headers.get('x-belay-ignored-fields') ?? '';
        expect(header).toMatch(/^k{100}\.\.\., .* and \d+ more$/);
        expect(header.length).toBeLessThan(1_100);
      }
    });
  });

  it('counts the roles beyond the first 50 as one', async () => {
    await withGateway({ script: answer({ type: 'finish', reason: 'stop' }) }, async ({ post, controller }) => {
      for (let i = 0; i < 60; i++) await post(hello, { 'x-belay-role': `role${i}` });
      await post(hello, { 'x-belay-role': 'role7' });
      const roles = controller.calls.map(({ context }) => context.role);
      expect(new Set(roles).size).toBe(51);
      expect(roles.slice(50, 60).every((role) => role === 'other')).toBe(true);
      expect(roles[60]).toBe('role7');
    });
  });
});
