// The proof of disclosure: a hundred thousand routed calls through the real controller on the virtual clock, with random
// providers, rules, places, roles, faults, hedges and people. Not one attempt reaches a candidate that the settings of its
// moment forbid, told by an oracle that shares no code with the gates; and whoever could be served was served.
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../src/adapters/time/virtualClock.ts';
import type { Candidate } from '../../src/core/candidate.ts';
import type { ChatRequest } from '../../src/core/chat.ts';
import type { RequestContext } from '../../src/core/context.ts';
import { parseSettings } from '../../src/core/settings.ts';
import { createController } from '../../src/engine/controller.ts';
import type { Answer, Ports, ProviderEvent } from '../../src/engine/ports.ts';
import { memoryCommands } from '../support/memoryCommands.ts';
import { memoryFiles } from '../support/memoryFiles.ts';
import { seededRandom } from '../support/random.ts';
import { observation } from '../support/scriptedProvider.ts';

const CALLS = 100_000;
const WORLDS = 1000;
const PER_WORLD = CALLS / WORLDS;
const BATCH = 20;

/** Region names and where they are; null: nobody knows. Written down here, not computed by the code under test. */
const PLACES: Readonly<Record<string, string | null>> = {
  'eu-west-1': 'eu',
  'EU-Central-1': 'eu',
  'us-east-1': 'us',
  westeurope: 'eu',
  default: null,
  global: null,
  'ap-northeast-1': 'jp',
  'eu-west-2': 'uk',
};
const REGIONS = Object.keys(PLACES);
const VENDORS = ['acme', 'Bolt', 'core'];
const ROLES = ['chat', 'coder', 'judge', 'Reviewer'];
type Verdict = 'allow' | 'ask' | 'deny';
interface OracleRule {
  readonly vendor?: string;
  readonly region?: string;
  readonly role?: string;
  readonly verdict: Verdict;
}
interface OracleSettings {
  readonly rules: readonly OracleRule[];
  readonly residency: readonly string[];
}

/** The oracle: a regular expression for each pattern, straight from the words of the settings. */
const patterns = new Map<string, RegExp>();
function fits(pattern: string | undefined, ...names: readonly (string | null)[]): boolean {
  if (pattern === undefined) return true;
  const known = patterns.get(pattern) ?? new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`, 'i');
  patterns.set(pattern, known);
  return names.some((name) => name !== null && known.test(name));
}

function oracle(settings: OracleSettings, candidate: Candidate, role: string): 'free' | 'asked' | 'forbidden' {
  const isHere = candidate.baseUrl.startsWith('http://127.0.0.1:');
  const place = isHere ? 'local' : (PLACES[candidate.region] ?? null);
  const vendor = candidate.id.split('-', 1)[0] ?? '';
  if (settings.residency.length > 0 && !isHere && (place === null || !settings.residency.includes(place)))
    return 'forbidden';
  const verdicts = new Set(
    settings.rules
      .filter(
        (rule) =>
          fits(rule.vendor, vendor, candidate.providerId) &&
          fits(rule.region, candidate.region, place) &&
          fits(rule.role, role),
      )
      .map(({ verdict }) => verdict),
  );
  if (verdicts.has('deny')) return 'forbidden';
  if (isHere) return 'free';
  return verdicts.has('allow') && !verdicts.has('ask') ? 'free' : 'asked';
}

interface Draw {
  next(): number;
  one<T>(of: readonly T[]): T;
  many<T>(most: number, make: () => T): readonly T[];
}
function draws(seed: number): Draw {
  const random = seededRandom(seed);
  // Neighbouring seeds begin alike.
  for (let i = 0; i < 50; i++) random.next();
  const below = (limit: number): number => Math.floor(random.next() * limit);
  return {
    next: () => random.next(),
    one: (of) => of[below(of.length)]!,
    many: (most, make) => Array.from({ length: below(most + 1) }, make),
  };
}

function drawSettings(draw: Draw): OracleSettings {
  const maybe = (of: readonly string[]): string | undefined => (draw.next() < 0.5 ? undefined : draw.one(of));
  const rule = (): OracleRule => {
    const [vendor, region, role] = [
      maybe([...VENDORS, 'ACME', '*o*', 'acme-1']),
      maybe(['eu-*', 'us*', 'eu', 'EU-WEST-*', 'local', 'default', '*']),
      maybe([...ROLES, 'c*']),
    ];
    return {
      ...(vendor === undefined ? {} : { vendor }),
      ...(region === undefined ? {} : { region }),
      ...(role === undefined ? {} : { role }),
      verdict: draw.one<Verdict>(['allow', 'allow', 'allow', 'allow', 'ask', 'deny']),
    };
  };
  return {
    rules: draw.many(4, rule),
    residency: draw.next() < 0.6 ? [] : draw.one([['eu'], ['eu', 'us'], ['jp', 'uk'], ['mars']]),
  };
}

function drawProviders(draw: Draw): readonly Record<string, unknown>[] {
  return Array.from({ length: 2 + Math.floor(draw.next() * 3) }, (_, index) => {
    const vendor = draw.one(VENDORS);
    const isHere = draw.next() < 0.15;
    return {
      id: `${vendor}-${index}`,
      vendor,
      kind: 'openai-compatible',
      baseUrl: isHere ? `http://127.0.0.1:${index}/v1` : `https://${vendor}.test/${index}`,
      keyless: true,
      regions: [{ name: isHere ? 'default' : draw.one(REGIONS) }],
      models: [{ name: 'm', tier: draw.next() < 0.25 ? 'small' : 'large' }],
    };
  });
}

const DONE: ProviderEvent = {
  parts: [
    { type: 'text-delta', text: 'ok' },
    { type: 'finish', reason: 'stop' },
  ],
};
const FAULTS: readonly ProviderEvent[] = [
  { failed: observation({ httpStatus: 500 }) },
  { failed: observation({ httpStatus: 429 }) },
  { failed: observation({ httpStatus: 529 }) },
  { failed: observation({ httpStatus: 401 }) },
  {
    failed: observation({ httpStatus: 400, body: { error: { code: 'context_length_exceeded', message: 'too long' } } }),
  },
];

const counted = {
  calls: 0,
  attempts: 0,
  served: 0,
  stopped: 0,
  asked: 0,
  changed: 0,
  retried: 0,
  sure: 0,
  hopeless: 0,
  failed: 0,
};
const wrong: string[] = [];

async function world(seed: number): Promise<void> {
  const draw = draws(seed);
  const clock = virtualClock();
  // Half of the worlds have no faults: there it is known who must be served.
  const hasFaults = draw.next() < 0.5;
  const isChanging = draw.next() < 0.3;
  let current = drawSettings(draw);
  const providers = drawProviders(draw);
  const raw = (): Record<string, unknown> => ({
    'belay.providers': providers,
    'belay.mode': mode,
    'belay.disclosure.rules': current.rules,
    'belay.disclosure.residency': current.residency,
    'belay.routes': routes,
    'belay.callDeadlineSeconds': 60,
  });
  const mode = draw.next() < 0.15 ? 'literal' : 'balanced';
  const pinnedTo = String(draw.one(providers).id);
  const routes = {
    pin: { candidates: [`${pinnedTo}/*`], pinned: true },
    some: { candidates: ['acme-*', '*-1/*'], order: 'listed' },
  };
  /** What the person said by scope as the question showed it: allow, deny, or nothing. */
  const said = new Map<string, Answer['choice']>();
  const willSay = draw.one(['allow', 'deny', 'mixed', 'silent'] as const);
  const scope = (vendor: string, region: string, role: string): string => `${vendor} ${region} ${role}`;

  const may = (candidate: Candidate, role: string): boolean => {
    const verdict = oracle(current, candidate, role);
    return (
      verdict === 'free' ||
      (verdict === 'asked' && said.get(scope(candidate.domains.vendor, candidate.region, role)) === 'allow')
    );
  };
  const ports: Ports = {
    clock,
    random: draw,
    store: memoryStore(),
    command: memoryCommands({ act: () => undefined }).asProcess(1),
    files: memoryFiles(),
    events: {
      emit: ({ body }) => {
        if (body.type === 'attempt-launched' && body.reason !== 'first') counted.retried++;
      },
    },
    approval: {
      ask: async ({ disclosure }) => {
        counted.asked++;
        if (willSay === 'silent' || !disclosure) return new Promise<Answer>(() => undefined);
        if (draw.next() < 0.5) await clock.sleep(draw.next() * 3000);
        const choice = willSay === 'mixed' ? draw.one<Answer['choice']>(['allow', 'deny']) : willSay;
        said.set(scope(disclosure.vendor, disclosure.region, disclosure.role), choice);
        return { choice, isForWorkspace: draw.next() < 0.5, note: '', by: 'person' };
      },
    },
    provider: {
      async *stream(request, candidate, signal) {
        counted.attempts++;
        // The role travels in the request's own text: the port is told nothing else of the call.
        const [first] = request.system;
        // A breaker's one-token question has none and holds nothing of anybody's; who may get no role's calls gets no question.
        const roles = first ? [first.text] : ROLES;
        if (!roles.some((role) => may(candidate, role)))
          wrong.push(`seed ${seed}: ${candidate.id} got a call of role ${roles.join(' or ')}`);
        if (draw.next() < 0.12) await clock.sleep(draw.next() * 20_000, signal).catch(() => undefined);
        if (signal.aborted) return;
        yield hasFaults && draw.next() < 0.4 ? draw.one(FAULTS) : DONE;
      },
    },
  };
  const controller = await createController(ports, parseSettings(raw()).settings);
  const context: RequestContext = {
    tenant: 't',
    client: 'c',
    task: 'k',
    step: 1,
    role: 'chat',
    criticality: 'low',
    qualityFloor: 0,
    deadlineMs: 1e12,
  };

  const call = async (number: number): Promise<void> => {
    const role = draw.one(ROLES);
    const model = draw.one(['m', 'm', 'some', 'pin']);
    const request: ChatRequest = {
      model,
      system: [{ type: 'text', text: role }],
      messages: [],
      tools: [],
      toolChoice: { type: 'auto' },
    };
    const candidates = controller.candidates();
    const pool = candidates.filter(({ providerId }) =>
      model === 'pin' ? providerId === pinnedTo : model === 'm' || /^acme-|-1$/.test(providerId),
    );
    // Free before and after, whatever the person says and whenever.
    const isSure = !hasFaults && !isChanging && pool.some((candidate) => oracle(current, candidate, role) === 'free');
    const isHopeless = !isChanging && pool.every((candidate) => oracle(current, candidate, role) === 'forbidden');
    const criticality = draw.next() < 0.2 && !isSure ? 'high' : 'low';
    let end = '';
    let message = '';
    const asked = { ...context, role, criticality, task: `k${number}` } as const;
    for await (const event of controller.complete(request, asked, { policy: 'stream' }, new AbortController().signal)) {
      end = event.type;
      if (event.type === 'failed') ({ message } = event.failure);
    }
    counted.calls++;
    if (isSure) counted.sure++;
    if (isHopeless) counted.hopeless++;
    if (end === 'failed' && !message.startsWith('Nothing')) counted.failed++;
    if (end === 'finished') counted.served++;
    if (message.startsWith('Nothing')) counted.stopped++;
    // A tier above it whose question nobody answers keeps a lower one waiting: that is a wait, not a refusal.
    const isKeptWaiting =
      willSay === 'silent' && pool.some((candidate) => oracle(current, candidate, role) === 'asked');
    if (isSure && end !== 'finished' && !isKeptWaiting)
      wrong.push(`seed ${seed}: a call of role ${role} for ${model} could be served: ${message}`);
    if (isHopeless && pool.length > 0 && !message.startsWith('Nothing'))
      wrong.push(`seed ${seed}: ${model} ended as ${end}: ${message}`);
  };

  for (let at = 0; at < PER_WORLD; at += BATCH) {
    if (draw.next() < 0.05) {
      await controller.forgetDisclosure();
      said.clear();
    }
    const batch = Promise.all(Array.from({ length: BATCH }, (_, index) => call(at + index)));
    if (isChanging && draw.next() < 0.5) {
      await clock.advance(draw.next() * 2000);
      current = drawSettings(draw);
      counted.changed++;
      controller.reconfigure(parseSettings(raw()).settings);
    }
    await clock.run(batch);
  }
  await controller.dispose();
}

describe('a hundred thousand routed calls', () => {
  it('send nothing to whom the settings forbid, and serve whoever can be served', { timeout: 240_000 }, async () => {
    for (let seed = 1; seed <= WORLDS; seed++) await world(seed);
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(counted.calls).toBe(100_000);
    // The proof is empty unless calls were served, stopped, hedged or retried, asked about, and met by changed settings.
    expect(counted.served).toBeGreaterThan(20_000);
    expect(counted.stopped).toBeGreaterThan(10_000);
    expect(counted.failed).toBeGreaterThan(1000);
    expect(counted.sure).toBeGreaterThan(10_000);
    expect(counted.hopeless).toBeGreaterThan(5000);
    expect(counted.retried).toBeGreaterThan(10_000);
    expect(counted.asked).toBeGreaterThan(1000);
    expect(counted.changed).toBeGreaterThan(500);
    expect(counted.attempts).toBeGreaterThan(counted.served);
  });
});
