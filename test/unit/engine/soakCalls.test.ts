// Fifty calls at the same time over one controller, with providers that answer, fail, break off and fall silent as a seed has it.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { Candidate } from '../../../src/core/candidate.ts';
import type { ChatRequest } from '../../../src/core/chat.ts';
import type { RequestContext } from '../../../src/core/context.ts';
import type { DecisionEvent } from '../../../src/core/events.ts';
import { balancedConstants } from '../../../src/core/scheduler/balanced/constants.ts';
import { parseSettings, type Settings } from '../../../src/core/settings.ts';
import { createController, type CallEvent } from '../../../src/engine/controller.ts';
import type { ClockPort, Ports, ProviderEvent, ProviderPort, StorePort } from '../../../src/engine/ports.ts';
import { memoryFiles } from '../../support/memoryFiles.ts';
import { memoryCommands } from '../../support/memoryCommands.ts';
import { seededRandom } from '../../support/random.ts';
import { answers, fails, scriptedProvider, type ScriptStep } from '../../support/scriptedProvider.ts';

const CALLS = 50;
const POOL = ['a', 'b', 'c', 'd', 'e', 'f'];
const STEPS_OF_ONE = 3;
const ROLES = ['planner', 'coder', 'chat'];

interface ManyProvider {
  readonly port: ProviderPort;
  /** Streams that were opened and have not ended. */
  readonly open: () => number;
  readonly started: () => number;
}

/** Each attempt draws what it does. What it says carries the words of its own request, so that answers cannot be mixed up unseen. */
function manyProvider(clock: ClockPort, seed: number): ManyProvider {
  const random = seededRandom(seed);
  let open = 0;
  let started = 0;
  const scriptOf = (words: string): readonly ScriptStep[] => {
    const draw = random.next();
    const firstMs = 100 + 3000 * random.next();
    const said = answers(`for ${words}, and some more of it`, firstMs, 200 + 2000 * random.next());
    if (draw < 0.6) return said;
    if (draw < 0.7) return fails(503, {}, firstMs);
    if (draw < 0.78) return fails(429, { headers: { 'retry-after': '2' } }, 50);
    if (draw < 0.86)
      return [
        ...said.slice(0, 2),
        { afterMs: 300, failed: { httpStatus: 200, streamPhase: 'mid_stream', clientError: { code: 'ECONNRESET' } } },
      ];
    if (draw < 0.93) return [{ afterMs: 100, failed: { clientError: { code: 'ECONNRESET' } } }];
    return [{ hang: true }];
  };
  const port: ProviderPort = {
    async *stream(request: ChatRequest, candidate: Candidate, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
      started++;
      open++;
      try {
        yield* scriptedProvider(clock, { [candidate.id]: [scriptOf(wordsOf(request))] }).stream(
          request,
          candidate,
          signal,
        );
      } finally {
        open--;
      }
    },
  };
  return { port, open: () => open, started: () => started };
}

function wordsOf({ messages: [message] }: ChatRequest): string {
  const part = message?.role === 'user' ? message.content[0] : undefined;
  return part?.type === 'text' ? part.text : '';
}

const settingsOf = (mode: Settings['mode']): Settings =>
  parseSettings({
    'belay.mode': mode,
    'belay.disclosure.rules': [{ verdict: 'allow' }],
    'belay.providers': POOL.map((id) => ({
      id,
      kind: 'openai-compatible',
      baseUrl: `http://127.0.0.1:1/${id}`,
      keyless: true,
      models: [{ name: 'm' }],
    })),
  }).settings;

interface Soaked {
  readonly ends: readonly (readonly CallEvent[])[];
  readonly events: readonly DecisionEvent[];
  readonly provider: ManyProvider;
  readonly saved: Saved;
}

/** Every document as it was saved, oldest first. */
interface Saved {
  readonly profiles: string[];
  readonly scheduler: string[];
}

function notedStore(saved: Saved): StorePort {
  const store = memoryStore();
  return {
    ...store,
    saveDocument: (name, text) => {
      if (name === 'profiles' || name === 'scheduler') saved[name].push(text);
      return store.saveDocument(name, text);
    },
  };
}

const profilesSchema = z.object({
  profiles: z.record(
    z.string(),
    z.object({ attempts: z.number(), successes: z.number(), internalFailures: z.number(), linkFailures: z.number() }),
  ),
});
const bucketSchema = z.object({ state: z.object({ hedgeTokens: z.number() }) });

async function soak(mode: Settings['mode'], seed: number): Promise<Soaked> {
  const clock = virtualClock();
  const provider = manyProvider(clock, seed);
  const saved: Saved = { profiles: [], scheduler: [] };
  const store = notedStore(saved);
  const events: DecisionEvent[] = [];
  const ports: Ports = {
    clock,
    random: seededRandom(seed + 1),
    provider: provider.port,
    store,
    command: memoryCommands({
      act: () => undefined,
      fate: () => ({ acts: false, exit: { kind: 'exited', exitCode: 0, signal: null } }),
    }).asProcess(1),
    files: memoryFiles({}),
    approval: { ask: () => Promise.resolve({ choice: 'deny', note: 'nobody is there', by: 'test' }) },
    events: { emit: (event) => events.push(event) },
  };
  const controller = await createController(ports, settingsOf(mode));
  const one = async (index: number): Promise<readonly CallEvent[]> => {
    const found: CallEvent[] = [];
    for (let step = 1; step <= STEPS_OF_ONE; step++) {
      const asked: ChatRequest = {
        ...{ model: 'm', system: [], tools: [], toolChoice: { type: 'auto' } },
        messages: [{ role: 'user', content: [{ type: 'text', text: `call ${index}.${step}` }] }],
      };
      const context: RequestContext = {
        tenant: 't',
        client: 'c',
        task: `task ${index}`,
        step,
        role: ROLES[index % ROLES.length] ?? 'chat',
        criticality: 'medium',
        qualityFloor: 0,
        deadlineMs: clock.nowMs() + 120_000,
      };
      const requestId = `call-${index}-${step}`;
      const options = { policy: index % 2 === 0 ? 'hold' : 'stream', requestId } as const;
      for await (const event of controller.complete(asked, context, options, new AbortController().signal))
        found.push(event);
    }
    return found;
  };
  const ends = await clock.run(Promise.all(Array.from({ length: CALLS }, (_, index) => one(index))));
  // Losers of literal mode run on to their own timeouts.
  await clock.advance(400_000);
  const stillOpen = provider.open();
  await clock.run(controller.dispose());
  expect(stillOpen, 'attempts still running').toBe(0);
  return { ends, events, provider, saved };
}

describe.each(['balanced', 'fast', 'literal'] as const)('fifty calls at once in mode %s', (mode) => {
  it.each([11, 12])('end once each, mix nothing up and leave nothing running (seed %i)', async (seed) => {
    const { ends, events, provider, saved } = await soak(mode, seed);
    for (const [index, found] of ends.entries()) {
      const last = found.filter(({ type }) => type === 'finished' || type === 'failed');
      expect(last, `call ${index}`).toHaveLength(STEPS_OF_ONE);
      let step = 1;
      let said = '';
      for (const event of found) {
        if (event.type === 'event')
          said += event.event.parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');
        if (event.type === 'finished') expect(said).toBe(`for call ${index}.${step}, and some more of it`);
        if (event.type === 'finished' || event.type === 'failed') {
          expect(`for call ${index}.${step}, and some more of it`.startsWith(said)).toBe(true);
          said = '';
          step++;
        }
      }
    }
    expectOneEndOfEachAttempt(events, provider.started());
    expectProfilesAddUp(events, saved.profiles.at(-1) ?? '', mode);
    expect(saved.scheduler.length).toBeGreaterThan(1);
    for (const document of saved.scheduler) {
      const { hedgeTokens } = bucketSchema.parse(JSON.parse(document)).state;
      expect(hedgeTokens).toBeGreaterThanOrEqual(0);
      expect(hedgeTokens).toBeLessThanOrEqual(balancedConstants.bucketSize);
    }
  });
});

/** Every attempt that was launched has ended once and only once, and none that was not launched has. */
function expectOneEndOfEachAttempt(events: readonly DecisionEvent[], started: number): void {
  const launched = new Set<string>();
  const ended = new Set<string>();
  const callsEnded = new Map<string, number>();
  for (const { ids, body } of events) {
    const attempt = ids.attempt ?? '';
    if (body.type === 'attempt-launched') launched.add(attempt);
    if (body.type === 'attempt-succeeded' || body.type === 'attempt-failed' || body.type === 'attempt-cancelled') {
      expect(ended.has(attempt), `${attempt} ended twice`).toBe(false);
      ended.add(attempt);
    }
    if (body.type === 'call-finished') callsEnded.set(ids.call ?? '', (callsEnded.get(ids.call ?? '') ?? 0) + 1);
  }
  expect([...launched].filter((attempt) => !ended.has(attempt))).toEqual([]);
  expect(launched.size).toBeGreaterThanOrEqual(CALLS * STEPS_OF_ONE);
  // Pings are streams, too, and no attempts.
  expect(started).toBeGreaterThanOrEqual(launched.size - 1);
  expect([...callsEnded.values()].every((count) => count === 1)).toBe(true);
  expect(callsEnded.size).toBe(CALLS * STEPS_OF_ONE);
}

/** What was learned of a candidate is as much as ended by itself: no attempt is counted twice or left out. */
function expectProfilesAddUp(events: readonly DecisionEvent[], document: string, mode: string): void {
  const { profiles } = profilesSchema.parse(JSON.parse(document));
  const succeeded = new Map<string, number>();
  const failed = new Map<string, number>();
  const add = (map: Map<string, number>, id: string): unknown => map.set(id, (map.get(id) ?? 0) + 1);
  for (const { body } of events) {
    if (body.type === 'attempt-succeeded') add(succeeded, body.candidate);
    // Silence up to the caller's own deadline is nobody's failure; all else here is.
    if (body.type === 'attempt-failed') add(failed, body.candidate);
  }
  expect(Object.keys(profiles).length).toBeGreaterThan(0);
  for (const [id, profile] of Object.entries(profiles)) {
    expect(profile.successes, `${mode} ${id}`).toBe(succeeded.get(id) ?? 0);
    const failures = profile.internalFailures + profile.linkFailures;
    expect(profile.attempts).toBe(profile.successes + failures);
    expect(failures).toBeLessThanOrEqual(failed.get(id) ?? 0);
  }
}
