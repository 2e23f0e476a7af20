// Random conversations that wander from vendor to vendor and back. Each request is judged by the strict rules of the vendor
// that gets it, each answer is read by the real readers and joins the history. Nothing may be refused, lost, told twice,
// paired wrongly or shown to a stranger.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  AssistantMessage,
  ChatMessage,
  ChatRequest,
  ImagePart,
  TextPart,
  ToolResultPart,
} from '../../src/core/chat.ts';
import { issuerOf } from '../../src/adapters/providers/endpoint.ts';
import { answer, ask, signatureOf, vendors, type Saying, type Vendor } from '../support/portableVendors.ts';

const PICTURES: readonly ImagePart['source'][] = [
  { kind: 'base64', mediaType: 'image/png', data: 'AAAA' },
  { kind: 'base64', mediaType: 'image/JPG', data: 'AAAA' },
  { kind: 'base64', mediaType: 'image/tiff', data: 'AAAA' },
  { kind: 'base64', mediaType: 'image/png', data: 'not base64!' },
  { kind: 'url', url: 'https://example.org/a.png' },
  { kind: 'url', url: 'http://example.org/a.png' },
  { kind: 'url', url: 'data:image/webp;base64,AAAA' },
  { kind: 'url', url: 'data:text/plain,hello' },
];
const LONG_NAME = `mcp__server__${'x'.repeat(90)}`;
const TOOLS = [
  { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'mcp.server/write file', parameters: {} },
  {
    name: LONG_NAME,
    parameters: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      anyOf: [{ required: ['a'] }, { properties: { c: { const: 5 } } }],
      properties: {
        a: { type: ['integer', 'null'], exclusiveMinimum: 0, multipleOf: 2 },
        b: { $ref: '#/$defs/tree' },
        d: { enum: [1, 'two', null] },
      },
      required: ['a', 'nowhere'],
      additionalProperties: false,
      $defs: { tree: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/tree' } } } } },
    },
  },
];

/** One step: who is asked, what is said, and what the caller does before the next. */
const step = fc.record({
  who: fc.nat(vendors.length - 1),
  thinking: fc.constantFrom<Saying['thinking']>('none', 'plain', 'redacted', 'unsigned', 'interleaved', 'only'),
  hasText: fc.boolean(),
  calls: fc.array(fc.nat(TOOLS.length - 1), { maxLength: 3 }),
  // Of each call in order: what becomes of its result.
  results: fc.array(fc.constantFrom('told', 'told', 'told', 'error', 'missing', 'twice', 'empty', 'image'), {
    minLength: 3,
    maxLength: 3,
  }),
  isReversed: fc.boolean(),
  hasOrphan: fc.boolean(),
  hasUserText: fc.boolean(),
  picture: fc.option(fc.constantFrom(...PICTURES), { nil: null }),
  /** The person says nothing and the caller asks again: two answers in a row, or one to be continued. */
  isSilent: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const setting = fc.record({
  steps: fc.array(step, { minLength: 2, maxLength: 8 }),
  hasTools: fc.boolean(),
  toolChoice: fc.constantFrom<ChatRequest['toolChoice']>(
    { type: 'auto' },
    { type: 'none' },
    { type: 'required' },
    { type: 'tool', name: LONG_NAME },
  ),
  temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: undefined }),
  topP: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
  stop: fc.array(fc.constantFrom('', ' ', 'END', 'STOP'), { maxLength: 6 }),
  isParallel: fc.option(fc.boolean(), { nil: undefined }),
  capabilities: fc.record({ prefill: fc.boolean(), images: fc.boolean() }, { requiredKeys: [] }),
});

/** What was said so far, and what must be found of it in every request. */
interface Conversation {
  readonly messages: ChatMessage[];
  /** Words that every receiver must see exactly once. */
  readonly words: string[];
  /** Thoughts with the issuer that may see them, and whether it must. */
  readonly thoughts: { readonly word: string; readonly issuer: string; readonly mustReturn: boolean }[];
  /** Calls of which the result stands right behind them. */
  readonly pairs: { readonly call: string; readonly result: string }[];
  /** Words of calls with the vendor's own id. */
  readonly ownIds: { readonly call: string; readonly id: string; readonly vendor: Vendor }[];
  callCount: number;
}

const words = (...texts: readonly string[]): TextPart[] => texts.map((text) => ({ type: 'text', text }));

function newConversation(): Conversation {
  return {
    messages: [{ role: 'user', content: words('<begin>') }],
    words: ['<begin>'],
    thoughts: [],
    pairs: [],
    ownIds: [],
    callCount: 0,
  };
}

async function speak(
  talk: Conversation,
  vendor: Vendor,
  { thinking, hasText, calls }: Step,
  t: number,
): Promise<AssistantMessage> {
  const saying: Saying = {
    thinking,
    text: hasText ? `<text ${t}>` : '',
    thought: `<thought ${t}>`,
    calls: calls.map((tool, i) => ({ name: TOOLS[tool]?.name ?? '', argsText: `{"at":"<call ${t}.${i}>"}` })),
  };
  const message = await answer(vendor, saying, talk.callCount);
  talk.callCount += calls.length;
  talk.messages.push(message);
  if (thinking !== 'only') {
    if (hasText) talk.words.push(`<text ${t}>`);
    for (const i of calls.keys()) {
      talk.words.push(`<call ${t}.${i}>`);
      const made = message.content.filter((p) => p.type === 'tool-call')[i];
      if (vendor.hasOwnIds && made) talk.ownIds.push({ call: `<call ${t}.${i}>`, id: made.id, vendor });
    }
  }
  const isSigned = thinking === 'plain' || thinking === 'interleaved';
  talk.thoughts.push({
    word: `<thought ${t}>`,
    issuer: issuerOf(vendor.candidate),
    mustReturn: isSigned && vendor.candidate.wire === 'anthropic-messages' && (hasText || calls.length > 0),
  });
  return message;
}

function reply(talk: Conversation, vendor: Vendor, message: AssistantMessage, told: Step, t: number): void {
  const calls = message.content.filter((p) => p.type === 'tool-call');
  const results = calls.flatMap((call, i): ToolResultPart[] => {
    const word = `<result ${t}.${i}>`;
    const result: ToolResultPart = { type: 'tool-result', callId: call.id, content: words(word), isError: false };
    switch (told.results[i]) {
      case 'missing':
        return [];
      case 'error':
        talk.words.push(word);
        return [{ ...result, isError: true }];
      case 'twice':
        talk.words.push(word, `<again ${t}.${i}>`);
        return [result, { ...result, content: words(`<again ${t}.${i}>`) }];
      case 'empty':
        return [{ ...result, content: words('', ' ') }];
      case 'image':
        talk.words.push(word);
        return [
          {
            ...result,
            content: [...words(word), { type: 'image', source: told.picture ?? { kind: 'url', url: 'x' } }],
          },
        ];
      default:
        talk.words.push(word);
        return [result];
    }
  });
  // Ids that repeat within a turn say nothing about which of its results belongs to which.
  const isClear = new Set(calls.map(({ id }) => id)).size === calls.length;
  // And where ids begin anew in every answer, one of two results may as well be of an earlier call that has none.
  const isPaired = (kind: string): boolean =>
    kind !== 'missing' && kind !== 'empty' && (kind !== 'twice' || (!told.isReversed && vendor.hasOwnIds));
  for (const [i, kind] of told.results.slice(0, calls.length).entries()) {
    if (isClear && isPaired(kind)) talk.pairs.push({ call: `<call ${t}.${i}>`, result: `<result ${t}.${i}>` });
  }
  if (told.hasOrphan) {
    talk.words.push(`<orphan ${t}>`);
    results.push({ type: 'tool-result', callId: 'of nothing', content: words(`<orphan ${t}>`), isError: true });
  }
  if (results.length > 0)
    talk.messages.push({ role: 'tool', content: told.isReversed ? results.toReversed() : results });
  if (told.isSilent) return;
  if (told.hasUserText) talk.words.push(`<user ${t}>`);
  talk.messages.push({
    role: 'user',
    content: [
      ...words(told.hasUserText ? `<user ${t}>` : ' '),
      ...(told.picture ? [{ type: 'image' as const, source: told.picture }] : []),
    ],
  });
}

const countOf = (text: string, word: string): number => text.split(word).length - 1;

/** Every call of a body with the text of its arguments and of its result, whatever the wire. */
function pairsOf(body: unknown): Map<string, { readonly args: string; readonly result: string }> {
  const calls = new Map<string, string>();
  const results = new Map<string, string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const node = value as Readonly<Record<string, unknown>>; // An object or a list; both are read by name.
    if (node.type === 'tool_use' || node.type === 'function') calls.set(String(node.id), JSON.stringify(node));
    if (node.type === 'tool_result') results.set(String(node.tool_use_id), JSON.stringify(node.content));
    if (node.role === 'tool') results.set(String(node.tool_call_id), JSON.stringify(node.content));
    for (const inner of Object.values(node)) visit(inner);
  };
  visit((body as { readonly messages: unknown }).messages); // Every body has them.
  return new Map([...calls].map(([id, args]) => [id, { args, result: results.get(id) ?? '' }]));
}

function check(vendor: Vendor, request: ChatRequest, talk: Conversation, sentIds: Map<string, string>): void {
  const { body, broken } = ask(vendor, request);
  expect(broken).toEqual([]);
  const written = JSON.stringify(body);
  expect(JSON.stringify(ask(vendor, structuredClone(request)).body)).toBe(written);
  for (const word of talk.words) expect([word, countOf(written, word)]).toEqual([word, 1]);
  const own = issuerOf(vendor.candidate);
  for (const { word, issuer, mustReturn } of talk.thoughts) {
    const times = countOf(written, word);
    if (issuer !== own) expect([word, times]).toEqual([word, 0]);
    else if (mustReturn) expect(times).toBeGreaterThan(0);
  }
  for (const { signer } of vendors) if (signer !== vendor.signer) expect(written).not.toContain(`"${signer}.`);
  const pairs = [...pairsOf(body)];
  for (const { call, result } of talk.pairs) {
    expect(pairs.find(([, { args }]) => args.includes(call))?.[1].result).toContain(result);
  }
  for (const { call, id, vendor: maker } of talk.ownIds) {
    const wireId = pairs.find(([, { args }]) => args.includes(call))?.[0] ?? '';
    if (maker === vendor) expect(wireId).toBe(id);
    // The same call has the same text in every request to the same receiver.
    const key = `${vendor.candidate.id} ${call}`;
    expect(sentIds.get(key) ?? wireId).toBe(wireId);
    sentIds.set(key, wireId);
  }
}

describe('a conversation that changes vendors', () => {
  it('is accepted, whole and paired everywhere, and each vendor finds its own as it left it', async () => {
    await fc.assert(
      fc.asyncProperty(setting, async ({ steps, hasTools, capabilities, isParallel, temperature, topP, ...told }) => {
        const talk = newConversation();
        const sentIds = new Map<string, string>();
        // Back to the first vendor at the end: A, then others, then A again.
        const tour = [...steps, ...steps.slice(0, 1)];
        for (const [t, next] of tour.entries()) {
          const found = vendors[next.who];
          if (!found) throw new Error('no vendor');
          const vendor = { ...found, candidate: { ...found.candidate, capabilities } };
          const request: ChatRequest = {
            model: 'asked',
            system: words('You are', '', 'Belay.'),
            messages: talk.messages,
            tools: hasTools ? TOOLS : [],
            toolChoice: told.toolChoice,
            stop: told.stop,
            ...(temperature === undefined ? {} : { temperature }),
            ...(topP === undefined ? {} : { topP }),
            ...(isParallel === undefined ? {} : { parallelToolCalls: isParallel }),
          };
          check(
            { ...vendor, idOf: found.idOf },
            request,
            { ...talk, ownIds: talk.ownIds.map((o) => (o.vendor === found ? { ...o, vendor } : o)) },
            sentIds,
          );
          reply(talk, found, await speak(talk, found, next, t), next, t);
        }
      }),
      { numRuns: 2_000 },
    );
  }, 60_000);

  it('brings no signature to another issuer and every one back to its own over 1,000 turns', async () => {
    const tour = vendors.filter(({ candidate }) => candidate.wire === 'anthropic-messages');
    const talk = newConversation();
    let checked = 0;
    for (let t = 0; t < 1_000; t++) {
      const vendor = tour[t % tour.length];
      if (!vendor) throw new Error('no vendor');
      const request: ChatRequest = {
        model: 'm',
        system: [],
        messages: talk.messages,
        tools: TOOLS,
        toolChoice: { type: 'auto' },
      };
      const { body, broken } = ask(vendor, request);
      expect(broken).toEqual([]);
      const written = JSON.stringify(body);
      for (const { word, issuer } of talk.thoughts.slice(-8)) {
        const isOwn = issuer === issuerOf(vendor.candidate);
        expect([t, word, written.includes(JSON.stringify(signatureOf(vendor.signer, word)))]).toEqual([t, word, isOwn]);
        checked++;
      }
      const turn: Step = {
        who: 0,
        thinking: 'plain',
        hasText: true,
        calls: [t % 3],
        results: ['told', 'told', 'told'],
        isReversed: false,
        hasOrphan: false,
        hasUserText: true,
        picture: null,
        isSilent: t % 2 === 0,
      };
      reply(talk, vendor, await speak(talk, vendor, turn, t), turn, t);
    }
    expect(checked).toBeGreaterThan(7_000);
  }, 60_000);
});
