// Belay's own controller as one more policy of the world: each step is one logical call of `complete`, each attempt a call of the
// world, and time is the world's. Nothing of the product is imitated here.
import { memoryStore } from '../../../adapters/stores/memoryStore.ts';
import type { ChatRequest } from '../../../core/chat.ts';
import type { DecisionEvent } from '../../../core/events.ts';
import { createController, type Controller } from '../../../engine/controller.ts';
import type { Ports } from '../../../engine/ports.ts';
import { Draws, KEY } from '../draws.ts';
import { World, type RunLimits } from '../engine.ts';
import type { WorldAttempt, WorldPolicy, WorldPort, WorldStep } from '../policy.ts';
import type { RunRecord } from '../record.ts';
import type { Scenario } from '../scenarios.ts';
import { WorldProvider, wordsOf } from './worldProvider.ts';
import { worldClock } from './worldClock.ts';
import { WORLD_MODEL, worldSettings } from './worldSettings.ts';

const ROLES = ['planner', 'coder', 'debugger', 'chat'] as const;
const MS = 1000;
/** A call's id is this and the number of its step. */
const CALL_PREFIX = 'step-';
/** A caller waits so long; the setting's own default. */
const CALL_DEADLINE_S = 120;
/** Turns of the event loop in which nothing of the world happens before a run counts as stuck. */
const MOST_IDLE_TURNS = 1000;

/** Modes of `belay.mode` that can be tried. */
export const PRODUCT_MODES = ['literal', 'balanced', 'fast'] as const;
export type ProductMode = (typeof PRODUCT_MODES)[number];

class ControllerPolicy implements WorldPolicy {
  /** Something of the product was woken and wants a turn of the event loop. */
  isAwake = true;
  private readonly world: WorldPort;
  private readonly provider: WorldProvider;
  private readonly controller: Promise<Controller>;
  /** Ids of the product's candidates by place in the world; empty until it is ready. */
  private ids: readonly (string | undefined)[] = [];
  private ready: Controller | null = null;
  private readonly steps = new Map<number, WorldStep>();
  private failure: Error | null = null;

  constructor(world: WorldPort, seed: number, mode: ProductMode) {
    this.world = world;
    this.provider = new WorldProvider(world, (ordinal) => this.steps.get(ordinal));
    this.controller = createController(this.ports(seed), worldSettings(world.candidates, mode));
    this.controller.then(
      (controller) => {
        const byName = new Map(controller.candidates().map(({ model, id }) => [model, id]));
        this.ids = world.candidates.map(({ name }) => byName.get(name));
        this.ready = controller;
      },
      // Whoever awaits it is told; before that nobody is.
      () => undefined,
    );
  }

  onStep(step: WorldStep): void {
    this.isAwake = true;
    this.steps.set(step.ordinal, step);
    this.run(step).catch((cause: unknown) => {
      this.failure ??= cause instanceof Error ? cause : new Error(String(cause));
    });
  }

  onFirstToken(_step: WorldStep, attempt: WorldAttempt): void {
    this.isAwake = true;
    this.provider.firstToken(attempt);
  }

  onEnd(step: WorldStep, attempt: WorldAttempt): void {
    this.isAwake = true;
    this.provider.ended(attempt, step.promptTokens);
    const id = this.ids[attempt.candidate];
    // The study's judge sees every whole answer (1.2: q + N(0, .08)), also those of losers.
    if (attempt.status === 'succeeded' && id !== undefined)
      this.ready?.learnQuality(id, roleOf(step), { source: 'judge', q: attempt.judged });
  }

  onSideEnd(attempt: WorldAttempt): void {
    this.isAwake = true;
    this.provider.firstToken(attempt);
    this.provider.ended(attempt, 1);
  }

  /** Throws what went wrong in a step; the world would otherwise wait for it for ever. */
  check(): void {
    if (this.failure) throw this.failure;
  }

  async dispose(): Promise<void> {
    await (await this.controller).dispose();
  }

  private async run(step: WorldStep): Promise<void> {
    const controller = await this.controller;
    const context = {
      tenant: 'world',
      client: 'world',
      task: `workflow-${step.workflow}`,
      step: step.number + 1,
      role: roleOf(step),
      criticality: 'medium',
      qualityFloor: 0,
      deadlineMs: (step.startedAtS + CALL_DEADLINE_S) * MS,
    } as const;
    const signal = new AbortController().signal;
    let winner: WorldAttempt | null = null;
    // A step needs its whole answer: one that breaks off after its first words is no use to it.
    const options = { policy: 'hold', requestId: callOf(step) } as const;
    for await (const event of controller.complete(requestOf(step), context, options, signal))
      if (event.type === 'finished' && event.summary.outcome === 'answered')
        winner = this.provider.attempt(event.summary.attempt ?? '') ?? null;
    this.steps.delete(step.ordinal);
    this.provider.forget(step);
    this.world.finish(step, winner);
  }

  /** What the product promises of its first set is compared with what comes of it. */
  private onEvent({ ids, body }: DecisionEvent): void {
    if (body.type !== 'plan-made') return;
    const step = this.steps.get(Number(ids.call?.slice(CALL_PREFIX.length)));
    if (step?.attempts.length === 0) this.world.predict(step, body.failureProbability);
  }

  private ports(seed: number): Ports {
    const draws = new Draws();
    let drawn = 0;
    const wake = (): void => {
      this.isAwake = true;
    };
    const never = (what: string) => (): never => {
      throw new Error(`world: a model call asked for ${what}`);
    };
    return {
      clock: worldClock(this.world, wake),
      random: { next: () => draws.key(seed, KEY.environment, 9).uniform(drawn++) },
      provider: this.provider,
      store: memoryStore(),
      events: { emit: (event) => this.onEvent(event) },
      approval: { ask: never('a person') },
      command: { hold: never('a command'), trace: never('a trace'), query: never('a probe'), self: never('a process') },
      files: {
        locate: never('a file'),
        read: never('a file'),
        look: never('a file'),
        apply: never('a file'),
        saveBefore: never('a file'),
        image: never('a file'),
        sweepImages: never('a file'),
        list: never('a file'),
      },
    };
  }
}

/** Drives the world while the product works between its events: each gets the turns of the event loop that its promises need. */
export async function runProduct(scenario: Scenario, mode: ProductMode, limits: RunLimits = {}): Promise<RunRecord> {
  let policy: ControllerPolicy | null = null;
  const world = new World(
    scenario,
    {
      name: mode,
      create: (port) => {
        policy = new ControllerPolicy(port, scenario.seed, mode);
        return policy;
      },
    },
    limits,
  );
  const tried = policy as ControllerPolicy | null;
  if (!tried) throw new Error('world: no controller was made');
  for (let idle = 0; ;) {
    if (tried.isAwake) {
      tried.isAwake = false;
      await turn();
      tried.check();
    }
    if (world.isStuck) {
      if (++idle > MOST_IDLE_TURNS)
        throw new Error('world: the controller waits for something that is not of this world');
      tried.isAwake = true;
    } else {
      idle = 0;
      if (!world.advance()) break;
    }
  }
  await tried.dispose();
  return world.record;
}

/** Everything that promises have ready is done when this resolves. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function roleOf(step: WorldStep): string {
  return ROLES[step.role] ?? 'chat';
}

function callOf(step: WorldStep): string {
  return `${CALL_PREFIX}${step.ordinal}`;
}

function requestOf(step: WorldStep): ChatRequest {
  return {
    model: WORLD_MODEL,
    system: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: wordsOf(step) }] }],
    tools: [{ name: 'answer', parameters: { type: 'object' } }],
    toolChoice: { type: 'auto' },
  };
}
