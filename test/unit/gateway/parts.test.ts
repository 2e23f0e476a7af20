// The gateway's small pure parts: context, headers, metrics, failures, the log of calls, routes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../src/core/chat.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { emptySnapshot } from '../../../src/core/snapshot.ts';
import { failureProblem, retryHeaders, summaryHeaders } from '../../../src/gateway/callFailures.ts';
import { CallLog } from '../../../src/gateway/callLog.ts';
import { isTooDeep, MAX_DEPTH } from '../../../src/gateway/jsonDepth.ts';
import { boundedLabels } from '../../../src/gateway/labels.ts';
import { prometheusText } from '../../../src/gateway/metrics.ts';
import { parseBelayHeaders, policyOf, requestContext } from '../../../src/gateway/requestContext.ts';
import { headerText } from '../../../src/gateway/responseWriter.ts';
import { boundedList } from '../../../src/gateway/runningCall.ts';
import { explainStart } from '../../../src/gateway/startFault.ts';
import { openaiChatBody } from '../../../src/gateway/wires/openaiChatBody.ts';
import { jsonPath } from '../../../src/gateway/wires/problem.ts';
import { summaryOf } from '../../support/fakeController.ts';

const { settings } = parseSettings({ 'belay.criticality': 'high' });

function request(messages: ChatRequest['messages'], system = 'S'): ChatRequest {
  return { model: 'm', system: [{ type: 'text', text: system }], messages, tools: [], toolChoice: { type: 'auto' } };
}

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] }) as const;
const model = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] }) as const;

function context(messages: ChatRequest['messages'], userAgent?: string, system?: string) {
  const belay = parseBelayHeaders({});
  if (!belay.ok) throw new Error(belay.error.message);
  return requestContext({
    belay: belay.value,
    userAgent,
    request: request(messages, system),
    settings,
    names: { tenant: 'local' },
    nowMs: 500,
  });
}

describe('the context of a caller that says nothing', () => {
  it('has the defaults of the settings, and the turn as its step', () => {
    expect(context([user('a'), model('b'), user('c')], 'claude-cli/2.1 (external)')).toMatchObject({
      tenant: 'local',
      client: 'claude-cli',
      step: 2,
      role: 'chat',
      criticality: 'high',
      qualityFloor: 0.92,
      deadlineMs: 120_500,
    });
    expect(context([user('a')], '<script>').client).toBe('unknown');
  });

  it('has one task for one conversation and another for another client, system prompt or first message', () => {
    const task = context([user('a')], 'x/1').task;
    expect(task).toMatch(/^auto-[0-9a-f]{32}$/);
    expect(context([user('a'), model('b'), user('c')], 'x/2').task).toBe(task);
    expect(context([user('b')], 'x/1').task).not.toBe(task);
    expect(context([user('a')], 'y/1').task).not.toBe(task);
    expect(context([user('a')], 'x/1', 'T').task).not.toBe(task);
  });
});

describe('x-belay headers', () => {
  it('choose the commit policy', () => {
    for (const [hold, policy] of [
      ['true', 'hold'],
      ['1', 'hold'],
      ['false', 'stream'],
      ['0', 'stream'],
    ] as const) {
      const read = parseBelayHeaders({ 'x-belay-hold': hold });
      expect(read.ok && policyOf(read.value)).toBe(policy);
    }
  });

  it('are values or a named problem, never a throw', () => {
    const name = fc.constantFrom(
      'task',
      'step',
      'role',
      'hold',
      'quality-floor',
      'deadline-ms',
      'criticality',
      'request-id',
      'x',
      '__proto__',
    );
    fc.assert(
      fc.property(name, fc.string(), (header, value) => {
        const read = parseBelayHeaders(Object.fromEntries([[`x-belay-${header}`, value]]));
        if (!read.ok) expect(read.error).toMatchObject({ status: 400, param: `x-belay-${header}` });
      }),
    );
  });
});

describe('header text', () => {
  it('is printable ASCII whatever goes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(headerText(text)).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
    expect(headerText('a\r\nb\ud800')).toBe('a%0D%0Ab%EF%BF%BD');
  });
});

describe('a failure', () => {
  const failure = {
    fault: null,
    message: 'm',
    status: 503,
    retryAfterMs: null,
    afterCommit: false,
    summary: summaryOf(),
  };

  it('keeps a status of 400 to 599 and no other', () => {
    for (const status of [400, 429, 599]) expect(failureProblem({ ...failure, status }).status).toBe(status);
    for (const status of [0, 200, 302, 600, 1.5, NaN]) expect(failureProblem({ ...failure, status }).status).toBe(500);
  });

  it('rounds Retry-After up to whole seconds', () => {
    const after = (retryAfterMs: number | null) =>
      retryHeaders(failureProblem({ ...failure, retryAfterMs }))['retry-after'];
    expect([after(null), after(0), after(1), after(1000), after(1001)]).toEqual([undefined, '0', '1', '1', '2']);
  });

  it('names no candidate where none answered', () => {
    expect(summaryHeaders(summaryOf({ candidate: null }))).toEqual({
      'x-belay-rung': 'L0',
      'x-belay-attempts': '2',
      'x-belay-cost-usd': '0.0125',
    });
  });
});

describe('the log of calls', () => {
  it('forgets the oldest beyond its capacity', () => {
    const log = new CallLog(2);
    for (const requestId of ['a', 'b', 'c', 'b']) log.noteSummary(summaryOf({ requestId }));
    expect([log.has('a'), log.has('b'), log.has('c')]).toEqual([false, true, true]);
  });

  it('leaves out events of calls it did not see start', () => {
    const log = new CallLog(2);
    const ids = { tenant: 't', client: 'c', task: 't', step: 1, call: 'x', attempt: '1' };
    log.noteEvent({ seq: 1, atMs: 0, ids, body: { type: 'attempt-launched', candidate: 'a', reason: 'first' } });
    expect(log.has('x')).toBe(false);
  });
});

describe('Prometheus text', () => {
  it('has a help, a type and a value line for each figure, with labels escaped', () => {
    const row = {
      id: 'a"b\\c\nd',
      mu: 1,
      sigma: 0,
      rho: 1,
      latencyMs: 1,
      cost: 1,
      decay: 1,
      utility: 0.5,
      lowerBound: 0.5,
    };
    const ranking = { mode: 'literal', rows: [row], hedgeSet: [], failureProbability: 0, why: '', atMs: 0 };
    const snapshot = {
      ...emptySnapshot,
      rankings: { chat: ranking },
      totals: { ...emptySnapshot.totals, costUsd: 0.25 },
    };
    const text = prometheusText(snapshot, {
      openCalls: 2,
      requests: new Map([
        ['200', 3],
        ['429', 1],
      ]),
    });
    expect(text).toContain('# TYPE belay_cost_usd_total counter\nbelay_cost_usd_total 0.25\n');
    expect(text).toContain('belay_candidate_utility{role="chat",candidate="a\\"b\\\\c\\nd"} 0.5\n');
    expect(text).toContain('belay_gateway_requests_total{status="429"} 1\n');
    for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? \S+)$/);
  });
});

describe('what is bounded', () => {
  it('is the depth of a body, told without parsing it', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 190, max: 205 }), (inner, levels) => {
        const value = Array.from({ length: levels }).reduce(
          (nested: unknown, _, i) => (i % 2 ? [nested] : { a: nested }),
          inner,
        );
        expect(isTooDeep(Buffer.from(JSON.stringify(value)))).toBe(depthOf(value) > MAX_DEPTH);
      }),
    );
    expect(isTooDeep(Buffer.from(`{"a":"${'['.repeat(500)}\\\\","b":"\\"${'{'.repeat(500)}"}`))).toBe(false);
    expect(isTooDeep(Buffer.from(`"${'['.repeat(500)}`))).toBe(false);
  });

  it('is a list of names in a header', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { minLength: 1 }), (names) => {
        const list = boundedList(names);
        expect(list).toMatch(/^[\x20-\x7e]*$/);
        expect(list.length).toBeLessThan(1_100);
        expect(list).not.toMatch(/%[0-9A-F]?\.\.\./);
      }),
    );
    expect(boundedList(['a', 'b'])).toBe('a, b');
    expect(boundedList(Array.from({ length: 500 }, (_, i) => `field${i}`))).toMatch(/^field0, .* and \d+ more$/);
  });

  it('is the number of labels, and of roles in the metrics', () => {
    const label = boundedLabels(2);
    expect(['a', 'b', 'c', 'a', 'constructor'].map(label)).toEqual(['a', 'b', 'other', 'a', 'other']);
    const row = {
      ...{ id: 'x', mu: 1, sigma: 0, rho: 1, latencyMs: 1, cost: 1 },
      decay: 1,
      utility: 0.5,
      lowerBound: 0,
    };
    const ranking = { mode: 'literal', rows: [row], hedgeSet: [], failureProbability: 0, why: '', atMs: 0 };
    const rankings = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`role${i}`, ranking]));
    const text = prometheusText({ ...emptySnapshot, rankings }, { openCalls: 0, requests: new Map() });
    expect(text.match(/role="/g)).toHaveLength(51);
    expect(text.match(/role="other"/g)).toHaveLength(1);
  });

  it('is an answer that is held to be sent whole', () => {
    const collector = openaiChatBody({ requestId: 'r1', createdSeconds: 1 }, 'm', 1_000);
    for (let i = 0; i < 20; i++) collector.add({ parts: [{ type: 'text-delta', text: 'x'.repeat(100) }] });
    collector.add({ parts: [{ type: 'finish', reason: 'stop' }] });
    const end = collector.finish(summaryOf());
    expect(end).toMatchObject({ ok: false, error: { status: 502, code: 'answer_too_large' } });
  });
});

describe('words for a person', () => {
  it('say why a port cannot be used', () => {
    const because = (code: string) => explainStart(Object.assign(new Error('x'), { code }), 80);
    expect(because('EACCES').kind).toBe('port-forbidden');
    expect(because('EMFILE').message).toContain('EMFILE');
  });

  it('write a JSON path as people do', () => {
    expect(jsonPath(['messages', 2, 'content', 0, 'a b'])).toBe('messages[2].content[0]["a b"]');
    expect(jsonPath([])).toBe('body');
  });
});
