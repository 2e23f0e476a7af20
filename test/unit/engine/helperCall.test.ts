// Calls that Belay makes for the sake of another call, in a whole controller: a summary or an opinion takes neither the time of
// the answer nor what the call may retry with, whatever its own model does.
import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatRequest } from '../../../src/core/chat.ts';
import type { RequestContext } from '../../../src/core/context.ts';
import { virtualClock, type VirtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { CallEvent } from '../../../src/engine/controller.ts';
import { inTime } from '../../../src/engine/helperCall.ts';
import type { ProviderEvent, ProviderPort } from '../../../src/engine/ports.ts';
import { intentOf, must } from '../../support/memoryEntries.ts';
import { protectedWorld, type Window } from '../../support/protectedWorld.ts';
import { observation } from '../../support/scriptedProvider.ts';

const HELLO: ProviderEvent = {
  parts: [{ type: 'response-start' }, { type: 'text-delta', text: 'hi' }, { type: 'finish', reason: 'stop' }],
};
const tooLarge: ProviderEvent = {
  failed: observation({
    httpStatus: 400,
    body: { error: { code: 'context_length_exceeded', message: 'too long' } },
  }),
};
const broken: ProviderEvent = { failed: observation({ httpStatus: 500 }) };
const FOREVER = 1e9;

type Kind = 'summary' | 'opinion' | 'call';

/** A provider whose every attempt takes some time and then gives one event; `play` says which, by what it is asked. */
function playing(
  play: (kind: Kind, nth: number, model: string) => { readonly ms: number; readonly gives: ProviderEvent },
): {
  readonly make: (clock: VirtualClock) => ProviderPort;
  readonly seen: readonly string[];
} {
  const seen: string[] = [];
  const make = (clock: VirtualClock): ProviderPort => ({
    async *stream(request, candidate, signal) {
      const told = request.system[0]?.text ?? '';
      const kind = told.startsWith('You shorten') ? 'summary' : told.startsWith('You name') ? 'opinion' : 'call';
      seen.push(`${kind} ${candidate.model}`);
      const nth = seen.filter((each) => each.startsWith(kind)).length;
      const { ms, gives } = play(kind, nth, candidate.model);
      try {
        await clock.sleep(ms, signal);
      } catch {
        return;
      }
      yield gives;
    },
  });
  return { make, seen };
}

const turns = (count: number, chars: number): readonly ChatMessage[] => [
  { role: 'user', content: [{ type: 'text', text: 'go' }] },
  ...Array.from({ length: count }, (_, index): readonly ChatMessage[] => [
    {
      role: 'assistant',
      content: [{ type: 'tool-call', id: `c${index}`, name: 'read_file', argsText: '{"path":"a"}' }],
    },
    {
      role: 'tool',
      content: [
        {
          ...{ type: 'tool-result', callId: `c${index}`, isError: false },
          content: [{ type: 'text', text: 'x'.repeat(chars) }],
        },
      ],
    },
  ]).flat(),
];

async function ask(
  clock: VirtualClock,
  { controller }: Window,
  messages: readonly ChatMessage[],
): Promise<CallEvent | null> {
  const context: RequestContext = {
    ...{ tenant: 't', client: 'c', task: 'k', step: 1, role: 'chat', criticality: 'medium', qualityFloor: 0.5 },
    deadlineMs: clock.nowMs() + 120_000,
  };
  const request: ChatRequest = { model: 'any', system: [], messages, tools: [], toolChoice: { type: 'auto' } };
  let last: CallEvent | null = null;
  const read = async (): Promise<void> => {
    const { signal } = new AbortController();
    for await (const event of controller.complete(request, context, { policy: 'stream' }, signal)) last = event;
  };
  await clock.run(read());
  return last;
}

const decided = (window: Window): readonly string[] =>
  window.told('decision-made').map(({ action, rule, stepBudgetLeft }) => `${action} ${rule} ${stepBudgetLeft}`);

const models = (...more: readonly (readonly [string, string, number])[]): Record<string, unknown> => ({
  'belay.callDeadlineSeconds': 20,
  'belay.providers': [
    {
      ...{ id: 'a', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/a', keyless: true },
      models: more.map(([name, tier, contextWindowTokens]) => ({ name, tier, contextWindowTokens })),
    },
  ],
});

describe('a summary that is never written', () => {
  it('near the limit leaves the answer its time: turns are left out instead', async () => {
    const { make, seen } = playing((kind) => ({ ms: kind === 'summary' ? FOREVER : 3000, gives: HELLO }));
    const world = protectedWorld([], make, {}, models(['m', 'large', 8000]));
    const window = await world.open();
    const last = await ask(world.clock, window, turns(120, 400));
    expect(seen).toEqual(['summary m', 'call m']);
    expect(last).toMatchObject({ type: 'finished', summary: { rung: 'L1', outcome: 'answered' } });
    expect(world.clock.nowMs()).toBeLessThanOrEqual(14_000);
  });

  it('after a refusal is waited for no longer than the deadline of the call allows', async () => {
    const { make, seen } = playing((kind, nth) => {
      if (kind === 'summary') return { ms: FOREVER, gives: HELLO };
      return nth === 1 ? { ms: 15_000, gives: tooLarge } : { ms: 1000, gives: HELLO };
    });
    const world = protectedWorld([], make, {}, models(['m', 'large', 200_000]));
    const last = await ask(world.clock, await world.open(), turns(60, 400));
    expect(seen).toEqual(['call m', 'summary m', 'call m']);
    expect(last?.type).toBe('finished');
    expect(world.clock.nowMs()).toBeLessThanOrEqual(20_000);
  });

  it('is not even asked for where there is no time: turns are left out at once', async () => {
    const { make, seen } = playing((kind, nth) => {
      if (kind === 'summary') return { ms: FOREVER, gives: HELLO };
      return nth === 1 ? { ms: 17_800, gives: tooLarge } : { ms: 500, gives: HELLO };
    });
    const world = protectedWorld([], make, {}, models(['m', 'large', 200_000]));
    const last = await ask(world.clock, await world.open(), turns(60, 400));
    expect(seen).toEqual(['call m', 'call m']);
    expect(last?.type).toBe('finished');
  });
});

describe('what a helper takes of the retries of its call', () => {
  it('is nothing where an opinion fails: it is asked once, and all retries are left', async () => {
    const { make, seen } = playing((kind, nth) => {
      if (kind === 'opinion') return { ms: 10, gives: broken };
      if (nth > 1) return { ms: 10, gives: nth > 2 ? HELLO : broken };
      return { ms: 10, gives: { failed: observation({ httpStatus: 418, body: { error: { message: 'hm' } } }) } };
    });
    const advanced = { faults: { opinionModel: 'judge' }, breaker: { isEnabled: false } };
    const settings = models(['m', 'large', 200_000], ['judge', 'small', 200_000]);
    const routes = { any: { candidates: ['*/m@*'], pinned: true } };
    const world = protectedWorld([], make, advanced, { ...settings, 'belay.routes': routes });
    const window = await world.open();
    const last = await ask(world.clock, window, turns(1, 10));
    expect(seen).toEqual(['call m', 'opinion judge', 'call m', 'call m']);
    expect(last?.type).toBe('finished');
    expect(decided(window)).toEqual(['FAIL T1/step-budget 0', 'RETRY unknown/probe 2', 'RETRY T1/retry 1']);
  });

  it('is nothing where a summary fails, and one token of the task where it is paid for near the limit', async () => {
    const { make, seen } = playing((kind, nth) => {
      if (kind === 'summary') return { ms: 10, gives: broken };
      return { ms: 10, gives: nth > 2 ? HELLO : broken };
    });
    const world = protectedWorld([], make, { breaker: { isEnabled: false } }, models(['m', 'large', 8000]));
    const window = await world.open();
    const last = await ask(world.clock, window, turns(120, 400));
    expect(seen).toEqual(['summary m', 'call m', 'call m', 'call m']);
    expect(last?.type).toBe('finished');
    const steps = window.told('decision-made').map(({ rule, stepBudgetLeft, taskBudgetLeft }) => ({
      ...{ rule, stepBudgetLeft, taskBudgetLeft },
    }));
    expect(steps.slice(1)).toEqual([
      { rule: 'T6/near-limit', stepBudgetLeft: 3, taskBudgetLeft: 9 },
      { rule: 'T1/retry', stepBudgetLeft: 2, taskBudgetLeft: 8 },
      { rule: 'T1/retry', stepBudgetLeft: 1, taskBudgetLeft: 7 },
    ]);
  });
});

describe('a request that is too large and cannot be made smaller', () => {
  it('since its open effects fill what could be left out: a larger window takes it', async () => {
    const { make, seen } = playing((_, __, model) => ({ ms: 100, gives: model === 'm' ? tooLarge : HELLO }));
    const world = protectedWorld([], make, {}, models(['m', 'large', 20_000], ['wide', 'small', 900_000]));
    const window = await world.open();
    for (let index = 0; index < 400; index++) {
      const title = `npm publish package-${index} --tag latest --access public`;
      must(await world.store.write({ prepare: { ...intentOf(`pub${index}`, 'R3'), task: 'k', title } }));
    }
    const last = await ask(world.clock, window, turns(4, 500));
    expect(last).toMatchObject({ type: 'finished', summary: { rung: 'L3' } });
    expect(seen).toEqual(['call m', 'call wide']);
    expect(decided(window)).toEqual(['DEGRADE_MODEL T6/degrade 2']);
  });
});

describe('a token that was taken for a compression', () => {
  it('that cannot be made after all is used for a larger window', async () => {
    const { make, seen } = playing((_, __, model) => ({ ms: 100, gives: model === 'm' ? tooLarge : HELLO }));
    const settings = models(['m', 'large', 20_000], ['wide', 'small', 900_000]);
    // One retry in a step: what the token was taken for is all there is.
    const world = protectedWorld([], make, { retry: { maxAttemptsPerStep: 2 } }, settings);
    const window = await world.open();
    const { store } = world;
    for (let index = 0; index < 400; index++)
      must(await store.write({ prepare: { ...intentOf(`pub${index}`, 'R3'), task: 'k' } }));
    // Between the decision and the compression another window leaves 400 effects open.
    const known = store.entries.bind(store);
    let looks = 0;
    Object.assign(store, {
      entries: (query: Parameters<typeof known>[0]) =>
        looks++ === 0 ? Promise.resolve({ ok: true, value: [] }) : known(query),
    });
    const last = await ask(world.clock, window, turns(4, 500));
    expect(last).toMatchObject({ type: 'finished', summary: { rung: 'L3' } });
    expect(seen).toEqual(['call m', 'call wide']);
    expect(decided(window)).toEqual(['DEGRADE_MODEL T6/degrade 0']);
  });
});

describe('waiting in time', () => {
  it('ends a moment after the limit, whatever is waited for, and with the caller', async () => {
    const clock = virtualClock();
    const never = new Promise<never>(() => undefined);
    const gone = new AbortController();
    let isAborted = false;
    const ask = (signal: AbortSignal): Promise<never> => {
      signal.addEventListener('abort', () => (isAborted = true));
      return never;
    };
    expect(await clock.run(inTime({ clock, limitMs: 1000, signal: gone.signal }, ask))).toBeNull();
    expect([clock.nowMs(), isAborted]).toEqual([1500, true]);
    void clock.sleep(100).then(() => gone.abort());
    expect(await clock.run(inTime({ clock, limitMs: 1000, signal: gone.signal }, ask))).toBeNull();
    expect(clock.nowMs()).toBe(1600);
  });
});
