// Who gets code, through the whole controller on the virtual clock: questions, answers, waiting, settings that change.
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import type { StorePort } from '../../../src/engine/ports.ts';
import { scopeKey, type DisclosureScope } from '../../../src/core/disclosure/permit.ts';
import { DisclosureBook } from '../../../src/engine/disclosureBook.ts';
import { permittedProvider } from '../../../src/engine/disclosureProvider.ts';
import { classify } from '../../../src/core/faults/classify.ts';
import { candidate } from '../../support/candidates.ts';
import { ask, disclosureWorld, farId, farProvider, type DisclosureOptions } from '../../support/disclosureWorld.ts';
import { answers, fails, observation, scriptedProvider } from '../../support/scriptedProvider.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';

const A = farId('a');
const B = farId('b');
const two = { 'belay.providers': [farProvider('a'), farProvider('b')] };
const both = { [A]: [answers('from a')], [B]: [answers('from b')] };
const allowB = { 'belay.disclosure.rules': [{ vendor: 'acme-b', verdict: 'allow' }] };
const only = (id: string): Pick<DisclosureOptions, 'raw' | 'scripts'> => ({
  raw: { 'belay.providers': [farProvider(id)] },
  scripts: { [farId(id)]: [answers(`from ${id}`)] },
});
const sentTo = (world: { provider: { seen: readonly { candidate: string }[] } }): readonly string[] =>
  world.provider.seen.map((each) => each.candidate);

describe('a call that nobody may serve unasked', () => {
  it('waits for the answer and is then served', async () => {
    const world = await disclosureWorld({ ...only('a'), answer: () => 'allow', answerAfterMs: 30_000 });
    const told = await world.clock.run(ask(world));
    expect(told.text).toBe('from a');
    expect(world.provider.seen[0]?.atMs).toBe(30_000);
    expect(world.questions[0]).toMatchObject({
      kind: 'disclosure',
      disclosure: { vendor: 'acme-a', region: 'eu-west-1', residency: 'eu', role: 'chat', workspace: 'repo' },
    });
    const bodies = world.events.map(({ body }) => body.type);
    expect(bodies.slice(0, 3)).toEqual(['call-started', 'question-asked', 'question-answered']);
    expect(world.controller.snapshot().questions).toEqual([]);
  });

  it('ends in one clear failure where the person denies, and is not asked about again in this session', async () => {
    const world = await disclosureWorld({ ...only('a') });
    const told = await world.clock.run(ask(world));
    expect(told.status).toBe(403);
    expect(told.failure).toBe(
      'Nothing was sent: nobody who may serve this call may get its code for the role chat: acme-a in eu-west-1 (you denied it when asked in this session). To be asked again, run "Belay: Forget Disclosure Answers"; or add a rule with the verdict allow to belay.disclosure.rules in your user settings.',
    );
    await world.clock.run(ask(world));
    expect(world.questions).toHaveLength(1);
    expect(sentTo(world)).toEqual([]);
  });

  it('ends at its deadline where nobody answers; the question stays, and its answer counts for the next call', async () => {
    let answered: 'allow' | null = null;
    const world = await disclosureWorld({ ...only('a'), answer: () => answered, answerAfterMs: 200_000 });
    answered = 'allow';
    const told = await world.clock.run(ask(world, { deadlineMs: 9000 }));
    expect(world.clock.nowMs()).toBe(9000);
    expect(told.failure).toContain('acme-a in eu-west-1 (nobody answered in time whether it may)');
    const next = world.clock.run(ask(world, { deadlineMs: 1e9 }));
    await world.clock.advance(200_000);
    expect((await next).failure).toContain('nobody answered in time');
    expect((await world.clock.run(ask(world))).text).toBe('from a');
    expect(world.questions).toHaveLength(1);
  });

  it('ends as cancelled when its caller goes', async () => {
    const world = await disclosureWorld({ ...only('a'), answer: () => null });
    const abort = new AbortController();
    const reading = ask(world, {}, {}, abort.signal);
    await world.clock.advance(1000);
    abort.abort();
    expect((await world.clock.run(reading)).events).toEqual([]);
    expect(world.events.map(({ body }) => body).filter((body) => body.type === 'call-finished')).toMatchObject([
      { outcome: 'cancelled', attempts: 0 },
    ]);
  });

  it('is one question for all that wait, and one at a time for all scopes', async () => {
    let open = 0;
    let mostOpen = 0;
    const world = await disclosureWorld({ raw: two, scripts: both });
    const counted = await disclosureWorld({
      raw: two,
      scripts: both,
      ports: {
        approval: {
          ask: async (question) => {
            mostOpen = Math.max(mostOpen, ++open);
            counted.questions.push(question);
            await counted.clock.sleep(5000);
            open--;
            return { choice: 'allow', note: '', by: 'Ada' };
          },
        },
      },
    });
    await counted.clock.run(Promise.all([ask(counted), ask(counted), ask(counted, { role: 'coder' })]));
    await counted.clock.advance(60_000);
    expect(counted.questions.map(({ disclosure }) => `${disclosure?.vendor} ${disclosure?.role}`).sort()).toEqual([
      'acme-a chat',
      'acme-a coder',
      'acme-b chat',
      'acme-b coder',
    ]);
    expect(mostOpen).toBe(1);
    await world.controller.dispose();
  });

  it('counts a dialog that breaks as a no', async () => {
    const world = await disclosureWorld({
      ...only('a'),
      ports: { approval: { ask: () => Promise.reject(new Error('refused to show dialog')) } },
    });
    expect((await world.clock.run(ask(world))).status).toBe(403);
    expect(sentTo(world)).toEqual([]);
  });

  it('wakes up when a rule decides meanwhile, and the question that waits in line is not asked', async () => {
    const world = await disclosureWorld({ raw: two, scripts: both, answer: () => null });
    const reading = ask(world);
    await world.clock.advance(1000);
    world.reconfigure(allowB);
    expect((await world.clock.run(reading)).text).toBe('from b');
    expect(world.questions).toHaveLength(1);
  });
});

describe('a call that somebody may serve', () => {
  it('is served at once while others are asked about, who may serve the next', async () => {
    const world = await disclosureWorld({
      raw: { ...two, ...allowB },
      scripts: both,
      answer: () => 'allow',
      answerAfterMs: 50,
    });
    expect((await world.clock.run(ask(world))).text).toBe('from b');
    expect(world.questions.map(({ disclosure }) => disclosure?.vendor)).toEqual(['acme-a']);
    world.reconfigure({ ...allowB, 'belay.disclosure.rules': [{ vendor: 'acme-b', verdict: 'deny' }] });
    expect((await world.clock.run(ask(world))).text).toBe('from a');
  });

  it('is never helped by one that is denied: no failover, no hedge, no retry', async () => {
    const raw = {
      ...two,
      'belay.disclosure.rules': [
        { vendor: 'acme-b', verdict: 'allow' },
        { vendor: '*-a', verdict: 'deny' },
      ],
    };
    for (const script of [fails(500), fails(429), [{ hang: true } as const]]) {
      const world = await disclosureWorld({ raw, scripts: { [A]: [answers('never')], [B]: [script] } });
      const told = await world.clock.run(ask(world, { deadlineMs: 60_000 }));
      expect(told.failure).not.toBe(null);
      expect(new Set(sentTo(world))).toEqual(new Set([B]));
    }
  });

  it('is served by a smaller window where the larger one is denied or only asked about', async () => {
    const providers = [farProvider('a'), farProvider('b', { models: [{ name: 'm', contextWindowTokens: 1024 }] })];
    const text = 'word '.repeat(20_000);
    for (const rules of [[], [{ vendor: 'acme-a', verdict: 'deny' }]]) {
      const raw = {
        'belay.providers': providers,
        'belay.disclosure.rules': [...rules, { vendor: 'acme-b', verdict: 'allow' }],
      };
      const world = await disclosureWorld({ raw, scripts: both, answer: () => null });
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
      expect((await world.clock.run(ask(world, {}, { messages }))).text).toBe('from b');
      expect(world.questions).toHaveLength(rules.length === 0 ? 1 : 0);
    }
  });

  it('goes to a lower tier where nobody of its own may get code, and says so', async () => {
    const raw = {
      'belay.providers': [farProvider('a'), farProvider('b', { models: [{ name: 'm', tier: 'small' }] })],
      'belay.disclosure.rules': [{ vendor: 'acme-a', verdict: 'deny' }, { verdict: 'allow' }],
    };
    const world = await disclosureWorld({ raw, scripts: both });
    expect((await world.clock.run(ask(world))).text).toBe('from b');
    expect(world.events.map(({ body }) => body)).toContainEqual(
      expect.objectContaining({ type: 'decision-made', action: 'DEGRADE_MODEL', rule: 'T7/disclosure', rung: 'L0' }),
    );
    const critical = await world.clock.run(ask(world, { criticality: 'high' }));
    expect(critical.failure).toContain('belay.disclosure.rules denies vendor acme-a');
  });

  it('never degrades to a lower tier that is denied', async () => {
    const raw = {
      'belay.providers': [farProvider('a'), farProvider('b', { models: [{ name: 'm', tier: 'small' }] })],
      'belay.disclosure.rules': [{ vendor: 'acme-b', verdict: 'deny' }, { verdict: 'allow' }],
    };
    const world = await disclosureWorld({ raw, scripts: { [A]: [fails(503)], [B]: [answers('never')] } });
    expect((await world.clock.run(ask(world))).failure).toContain('No answer after');
    expect(new Set(sentTo(world))).toEqual(new Set([A]));
  });
});

describe('a pinned route to a candidate that may get no code', () => {
  it('is a clear error', async () => {
    const raw = {
      ...two,
      'belay.routes': { mine: { candidates: [A], pinned: true } },
      'belay.disclosure.residency': ['us'],
      'belay.disclosure.rules': [{ verdict: 'allow' }],
    };
    const world = await disclosureWorld({ raw, scripts: both });
    expect((await world.clock.run(ask(world, {}, { model: 'mine' }))).failure).toBe(
      'Nothing was sent: nobody who may serve this call may get its code for the role chat: acme-a in eu-west-1 (belay.disclosure.residency allows us only, and eu-west-1 is in eu). Change belay.disclosure.rules or belay.disclosure.residency in your user settings, or add a provider that they allow.',
    );
    expect(sentTo(world)).toEqual([]);
  });
});

describe('settings that change during a call', () => {
  const retried = { [A]: [fails(500, {}, 1000), answers('from a')] };

  it('are obeyed by its next attempt', async () => {
    const raw = { 'belay.providers': [farProvider('a')], 'belay.disclosure.rules': [{ verdict: 'allow' }] };
    const world = await disclosureWorld({ raw, scripts: retried });
    const reading = ask(world);
    await world.clock.advance(500);
    world.reconfigure({ 'belay.disclosure.rules': [{ verdict: 'allow' }, { vendor: 'acme-a', verdict: 'deny' }] });
    const told = await world.clock.run(reading);
    expect(told.failure).toMatch(/^Nothing more was sent: .*belay\.disclosure\.rules denies vendor acme-a/);
    expect(sentTo(world)).toEqual([A]);
  });

  it('stop a hedge that was already planned, at the provider port', async () => {
    const raw = {
      ...two,
      'belay.disclosure.rules': [{ verdict: 'allow' }],
      'belay.routes': { m: { candidates: [A, B], order: 'listed' } },
    };
    const world = await disclosureWorld({
      raw,
      scripts: { [A]: [answers('from a', 20_000)], [B]: [answers('never')] },
    });
    const reading = ask(world);
    await world.clock.advance(100);
    world.reconfigure({ 'belay.disclosure.rules': [{ verdict: 'allow' }, { vendor: 'acme-b', verdict: 'deny' }] });
    expect((await world.clock.run(reading)).text).toBe('from a');
    expect(sentTo(world)).toEqual([A]);
    const denied = world.events.flatMap(({ body }) => (body.type === 'attempt-failed' ? [body] : []));
    expect(denied).toMatchObject([{ candidate: B, costUsd: 0, fault: { class: 'T7', detail: 'permission' } }]);
  });
});

describe('the role of a call', () => {
  it('decides with the rules, whoever named it', async () => {
    const raw = {
      ...only('a').raw,
      'belay.disclosure.rules': [
        { role: 'chat', verdict: 'allow' },
        { role: 'coder', verdict: 'deny' },
      ],
    };
    const world = await disclosureWorld({ ...only('a'), raw });
    expect((await world.clock.run(ask(world))).text).toBe('from a');
    for (const role of ['coder', 'CODER', 'coder\u200b', 'c\u043eder'])
      expect((await world.clock.run(ask(world, { role }))).failure, role).toContain('denies role coder');
    expect((await world.clock.run(ask(world, { role: 'chat*' }))).failure).toContain('you denied it');
    expect(world.questions.map(({ disclosure }) => disclosure?.role)).toEqual(['chat*']);
  });
});

describe('answers', () => {
  it('for the workspace survive a restart, those for the session and denies do not', async () => {
    const store = keptStore();
    const options = { raw: two, scripts: both, store };
    const first = await disclosureWorld({
      ...options,
      answer: ({ disclosure }) => (disclosure?.vendor === 'acme-a' ? 'workspace' : 'allow'),
    });
    await first.clock.run(ask(first));
    await first.clock.advance(1000);
    expect(first.questions).toHaveLength(2);
    await first.controller.dispose();
    const second = await disclosureWorld({ ...options, answer: () => 'deny' });
    expect((await second.clock.run(ask(second))).text).toBe('from a');
    await second.clock.advance(1000);
    expect(second.questions.map(({ disclosure }) => disclosure?.vendor)).toEqual(['acme-b']);
    await second.controller.dispose();
    const other = await disclosureWorld({
      ...options,
      answer: () => 'deny',
      ports: { workspace: { key: 'file:///other', name: 'other' } },
    });
    expect((await other.clock.run(ask(other))).status).toBe(403);
  });

  it('can be revoked: the next call asks again, also after a restart', async () => {
    const store = keptStore();
    const world = await disclosureWorld({ ...only('a'), store, answer: () => 'workspace' });
    await world.clock.run(ask(world));
    expect(await world.controller.forgetDisclosure()).toEqual({ count: 1, trouble: null });
    await world.clock.run(ask(world));
    expect(world.questions).toHaveLength(2);
    await world.controller.forgetDisclosure();
    await world.controller.dispose();
    const next = await disclosureWorld({ ...only('a'), store });
    expect((await next.clock.run(ask(next))).status).toBe(403);
    expect(next.questions).toHaveLength(1);
  });

  it.each(['{', '[]', '{"version":2,"allowed":[]}', '{"version":1,"allowed":[{"vendor":"acme-a"}]}', '"x"'])(
    'that cannot be read (%s) are asked for again',
    async (text) => {
      const store = memoryStore();
      const damaged: StorePort = {
        ...store,
        document: (name) =>
          name.startsWith('disclosure') ? Promise.resolve({ ok: true, value: text }) : store.document(name),
      };
      const world = await disclosureWorld({ ...only('a'), store: damaged });
      expect(world.events.map(({ body }) => (body.type === 'notice' ? body.message : ''))).toEqual([
        'The remembered answers about disclosure are damaged.',
      ]);
      expect((await world.clock.run(ask(world))).status).toBe(403);
      expect(world.questions).toHaveLength(1);
    },
  );

  it('that cannot be saved hold for the session, and the person is told', async () => {
    const broken: StorePort = {
      ...memoryStore(),
      saveDocument: () => Promise.resolve({ ok: false, error: { kind: 'full', message: 'the disk is full' } }),
    };
    const world = await disclosureWorld({ ...only('a'), store: broken, answer: () => 'workspace' });
    expect((await world.clock.run(ask(world))).text).toBe('from a');
    expect((await world.clock.run(ask(world))).text).toBe('from a');
    expect(world.questions).toHaveLength(1);
    expect(world.events.map(({ body }) => (body.type === 'notice' ? body.message : ''))).toContain(
      'Your answer about acme-a could not be saved: the disk is full',
    );
    expect(await world.controller.forgetDisclosure()).toEqual({ count: 1, trouble: 'the disk is full' });
  });
});

describe('two windows on one store', () => {
  const scopeOf = (vendor: string): DisclosureScope => ({ vendor, region: 'r', residency: null, role: 'chat' });
  const allowedIn = async (store: StorePort, vendor: string): Promise<string | undefined> => {
    const book = new DisclosureBook(store, undefined);
    await book.load();
    return book.get(scopeKey(scopeOf(vendor)));
  };

  it('keep each what the other was allowed, and bring nothing back that was forgotten in one of them', async () => {
    const store = keptStore();
    const [one, other] = [new DisclosureBook(store, undefined), new DisclosureBook(store, undefined)];
    await one.record(scopeOf('a'), 'allow', true);
    await other.record(scopeOf('b'), 'allow', true);
    expect([await allowedIn(store, 'a'), await allowedIn(store, 'b')]).toEqual(['allow', 'allow']);
    await other.forget();
    await one.record(scopeOf('c'), 'allow', true);
    const now = [await allowedIn(store, 'a'), await allowedIn(store, 'b'), await allowedIn(store, 'c')];
    expect(now).toEqual([undefined, undefined, 'allow']);
  });
});

it('an answer holds at once, also where the store never finishes saving it', async () => {
  const store: StorePort = {
    ...keptStore(),
    saveDocument: (name) =>
      name.startsWith('disclosure') ? new Promise(() => undefined) : Promise.resolve({ ok: true, value: null }),
  };
  const world = await disclosureWorld({
    raw: { 'belay.providers': [farProvider('a')] },
    scripts: { [farId('a')]: [answers('ok')] },
    answer: () => 'workspace',
    store,
  });
  const told = await world.clock.run(ask(world, { deadlineMs: 10_000 }));
  expect(told.text).toBe('ok');
  expect(world.clock.nowMs()).toBeLessThan(5000);
});

/** A store whose documents outlive the controller that closes it. */
function keptStore(): StorePort {
  return { ...memoryStore(), close: () => Promise.resolve() };
}

describe('the gate at the provider port', () => {
  it.each(['ask', 'denied'] as const)('sends nothing for the verdict %s and says T7, permission', async (status) => {
    const clock = virtualClock();
    const inner = scriptedProvider(clock, { a: [answers('never')] });
    const scope = { vendor: 'a', region: 'r', residency: null, role: 'chat' };
    const gated = permittedProvider(inner, () => ({ status, reason: 'not allowed', scope }));
    const request = { model: 'm', system: [], messages: [], tools: [], toolChoice: { type: 'auto' as const } };
    const seen = [];
    for await (const event of gated.stream(request, candidate('a'), new AbortController().signal)) seen.push(event);
    expect(inner.seen).toEqual([]);
    expect(seen).toMatchObject([{ failed: { clientError: { code: 'belay_disclosure_denied' } } }]);
    const [event] = seen;
    const fault = classify(event && 'failed' in event ? event.failed : observation({}), 0);
    expect(fault).toMatchObject({ class: 'T7', detail: 'permission', retryable: false });
  });
});
