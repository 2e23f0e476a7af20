// Belay's books against the wall's own bill, over real sockets: conversations that grow, faults of every kind at random, hedges
// and losers. Both books are laid side by side attempt by attempt, linked by the header that each request carries.
import { describe, expect, it } from 'vitest';
import { createProviders } from '../../src/adapters/providers/createProviders.ts';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { realClock } from '../../src/adapters/time/realClock.ts';
import { compareBooks, type BookRow, type Books } from '../../src/bench/drill/books.ts';
import { accountOf, DRILL_MODEL, wallSettings } from '../../src/bench/drill/drillSettings.ts';
import { runDrill } from '../../src/bench/drill/drill.ts';
import { FAULT_KINDS, type FaultKind } from '../../src/bench/wall/faults.ts';
import { makeSchedule, type WallSchedule } from '../../src/bench/wall/schedule.ts';
import { OTHER_STEP } from '../../src/bench/wall/script/steps.ts';
import { startWall } from '../../src/bench/wall/wall.ts';
import type { ChatMessage, ChatRequest } from '../../src/core/chat.ts';
import type { DecisionEvent } from '../../src/core/events.ts';
import { parseSettings } from '../../src/core/settings.ts';
import { createController } from '../../src/engine/controller.ts';
import type { Ports } from '../../src/engine/ports.ts';
import { memoryCommands } from '../support/memoryCommands.ts';
import { memoryFiles } from '../support/memoryFiles.ts';
import { seededRandom } from '../support/random.ts';

const CALLS = 20;
/** All a book may be off, as a share of the bill. */
const TOLERANCE = 0.001;

/** Faults that any request can meet; the others need the script's own steps. */
const KINDS = FAULT_KINDS.filter((kind) => kind !== 'context-overflow' && kind !== 'refusal');

const PIECES = [
  'The split of an amount must lose no cent: what is left over goes to the first share, as the rules say. ',
  'export function allocate(total: number, parts: number): number[] {\n  const base = Math.floor(total / parts);\n',
  '{"currency":"EUR","lines":[{"sku":"A-17","cents":1999,"tax":0.19},{"sku":"B-2","cents":250}]},\n',
  '金额按比例分配时不能丢失一分钱，剩余的部分归第一份。',
  'not ok 3 - refunds are split like payments\n  ---\n  at: test/allocate.test.js:41:12\n  expected: [34, 33, 33]\n',
];

function scheduleOf(seed: number, draw: () => number): WallSchedule {
  const fault = (): FaultKind | null => (draw() < 0.4 ? (KINDS[Math.floor(draw() * KINDS.length)] ?? null) : null);
  return { ...makeSchedule(seed, 'none'), steps: { [OTHER_STEP]: Array.from({ length: CALLS * 6 }, fault) } };
}

/** One more turn of a conversation: a question with a good deal of text, sometimes one that wants a tool. */
function turn(draw: () => number): ChatMessage {
  const text = Array.from({ length: 2 }, () =>
    PIECES[Math.floor(draw() * PIECES.length)]!.repeat(5 + draw() * 60),
  ).join('\n');
  const wish = draw() < 0.3 ? '\nUse lookup.' : '';
  return { role: 'user', content: [{ type: 'text', text: text + wish }] };
}

interface Conversation {
  readonly books: Books;
  /**
   * Attempts of which nobody here could know what the wall did, because the news was lost or crossed with our own end of it: its
   * refusal or reset was on the way when we cancelled (booked, not billed), or it came so late on a busy machine that work might
   * have begun; or an answer was torn down before its first byte was read (billed, not booked).
   */
  readonly crossed: readonly BookRow[];
}

/** A whole conversation through the controller, and both its books. */
async function converse(seed: number): Promise<Conversation> {
  const random = seededRandom(seed);
  const draw = (): number => random.next();
  const clock = realClock();
  const wall = await startWall({ seed, schedule: scheduleOf(seed, draw), clock });
  const secrets = (providerId: string, account: string): Promise<string | null> =>
    Promise.resolve(
      wall.endpoints.find((each) => accountOf(each) === account && each.vendor.startsWith(providerId))?.apiKey ?? null,
    );
  const providers = createProviders({ secrets });
  const fate = { acts: false, exit: { kind: 'lost' as const, message: 'none is run here' }, stdout: '' };
  const ports: Ports = {
    clock,
    random,
    provider: providers,
    store: memoryStore(),
    command: memoryCommands({ act: () => undefined, fate: () => fate }).asProcess(1),
    files: memoryFiles({}),
    approval: { ask: () => Promise.resolve({ choice: 'deny', note: '', by: 'test' }) },
    events: { emit: () => undefined },
  };
  const { settings } = parseSettings({
    ...wallSettings(wall.endpoints),
    'belay.advanced': {
      timers: { firstTokenMs: 700, idleMs: 500, totalMs: 6000 },
      scheduler: { balanced: { firstTokenMinMs: 150, firstTokenMaxMs: 150 } },
    },
  });
  const controller = await createController(ports, settings);
  const events: DecisionEvent[] = [];
  controller.onDidEmit((event) => events.push(event));
  try {
    const messages: ChatMessage[] = [];
    for (let step = 1; step <= CALLS; step++) {
      messages.push(turn(draw), { role: 'assistant', content: [{ type: 'text', text: 'I see.' }] });
      const request: ChatRequest = {
        model: DRILL_MODEL,
        system: [{ type: 'text', text: 'You know the price book.' }],
        messages: messages.slice(0, -1),
        tools: [
          {
            name: 'lookup',
            description: 'Finds a line.',
            parameters: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
          },
        ],
        toolChoice: { type: 'auto' },
      };
      const context = {
        ...{
          tenant: 't',
          client: 'c',
          task: `k${step}`,
          step,
          role: 'chat',
          criticality: 'medium' as const,
          qualityFloor: 0,
        },
        deadlineMs: clock.nowMs() + 20_000,
      };
      // Now and then the caller goes away in the middle: that is billed like everything else.
      const gone = new AbortController();
      const leaves = draw() < 0.1;
      for await (const event of controller.complete(request, context, { policy: 'stream' }, gone.signal))
        if (event.type === 'event' && leaves) gone.abort();
    }
    // Losers are booked, and noticed by the wall, within a few turns of the loop.
    await clock.sleep(100);
    const books = compareBooks(events, wall.log());
    const lines = new Map(wall.log().map((line) => [line.attempt, line]));
    const hasCrossed = ({ attempt, ours, bill }: BookRow): boolean => {
      const line = lines.get(attempt);
      if (ours.tokens > 0 && bill.tokens === 0) return line !== undefined && line.status !== 200;
      return ours.tokens === 0 && bill.tokens > 0 && line?.fault === 'cut';
    };
    return { books, crossed: books.rows.filter(hasCrossed) };
  } finally {
    await controller.dispose();
    providers.dispose();
    await wall.close();
  }
}

describe('both books', () => {
  it('agree over conversations with faults of every kind, losers included', { timeout: 120_000 }, async () => {
    const all: Conversation[] = [];
    for (const seeds of [
      [1, 2],
      [3, 4],
    ])
      all.push(...(await Promise.all(seeds.map(converse))));
    for (const [index, { books, crossed }] of all.entries()) {
      const what = `seed ${index + 1}`;
      const told = ({ candidate, ours, bill }: BookRow): string =>
        `${what} ${candidate}: booked ${ours.tokens}, billed ${bill.tokens}`;
      const cutOff = books.rows.filter((row) => row.ending !== 'succeeded' && !crossed.includes(row));
      expect(cutOff.length, what).toBeGreaterThan(8);
      expect(crossed.length, `${what}: news that were lost`).toBeLessThan(4);
      expect(books.rows.filter(({ ending }) => ending === null).map(told), 'requests unknown to Belay').toEqual([]);
      // Whatever a provider has counted to the end is exact, to the last digit.
      for (const row of books.rows.filter(({ ending }) => ending === 'succeeded')) {
        expect(row.ours.tokens, told(row)).toBe(row.bill.tokens);
        expect(row.ours.usd, told(row)).toBeCloseTo(row.bill.usd, 9);
      }
      // Of what was cut off nothing is missing, and nothing is booked that was never billed; prompts are near.
      for (const row of cutOff) {
        expect(row.ours.tokens > 0, told(row)).toBe(row.bill.tokens > 0);
        expect(Math.abs(row.ours.tokens - row.bill.tokens), told(row)).toBeLessThan(60 + row.bill.tokens * 0.05);
      }
    }
    const difference = (rows: readonly BookRow[]): number =>
      rows.reduce((usd, row) => usd + row.ours.usd, 0) / rows.reduce((usd, row) => usd + row.bill.usd, 0) - 1;
    const settled = all.map(({ books, crossed }) => books.rows.filter((row) => !crossed.includes(row)));
    for (const [index, rows] of settled.entries())
      expect(Math.abs(difference(rows)), `seed ${index + 1}`).toBeLessThan(3 * TOLERANCE);
    expect(Math.abs(difference(settled.flat()))).toBeLessThan(TOLERANCE);
  });

  it('agree over a whole drill in a storm', { timeout: 120_000 }, async () => {
    const options = { seed: 5, faults: 'storm' as const, keep: false, onEvent: () => undefined };
    const run = await runDrill({ ...options, signal: new AbortController().signal });
    const books = compareBooks(run.events, run.wall.log());
    expect(books.rows.length).toBeGreaterThan(30);
    expect(books.bill.usd).toBeCloseTo(run.wall.bill().totalUsd, 9);
    expect(Math.abs(books.difference)).toBeLessThan(TOLERANCE);
  });
});
