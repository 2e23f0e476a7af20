// Whatever a request holds, no secret leaves in it, and what comes back is as it was: the whole way through the engine's
// own preparation of requests, with answers cut at random places.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AssistantMessage, ChatMessage, ChatRequest, StreamPart } from '../../src/core/chat.ts';
import type { RequestContext } from '../../src/core/context.ts';
import { parseSettings } from '../../src/core/settings.ts';
import type { CallEvent } from '../../src/engine/call.ts';
import { Outgoing, type Prepared } from '../../src/engine/disclosureOutgoing.ts';
import { redactSecrets, secretSpans } from '../../src/core/ledger/redact.ts';
import { seededRandom } from '../support/random.ts';

const settings = parseSettings({ 'belay.disclosure.scrubSecrets': true }).settings;
const context: RequestContext = {
  tenant: 't',
  client: 'c',
  task: 'k',
  step: 1,
  role: 'chat',
  criticality: 'medium',
  qualityFloor: 0,
  deadlineMs: 1e9,
};
const outgoing = (): Outgoing => new Outgoing({ random: seededRandom(1) }, () => undefined);
const prepare = (out: Outgoing, request: ChatRequest): Promise<Prepared> =>
  out.prepare(request, context, { policy: 'stream' }, settings);

function requestOf(messages: readonly ChatMessage[], change: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'm', system: [], messages, tools: [], toolChoice: { type: 'auto' }, ...change };
}
const said = (text: string): ChatMessage => ({ role: 'user', content: [{ type: 'text', text }] });

async function answered(prepared: Prepared, parts: readonly StreamPart[]): Promise<readonly StreamPart[]> {
  // eslint-disable-next-line @typescript-eslint/require-await -- a stream whose parts are all there
  async function* events(): AsyncGenerator<CallEvent> {
    for (const part of parts)
      yield { type: 'event', event: { parts: [part], raw: { wire: 'openai-chat', bytes: new Uint8Array() } } };
  }
  const got: StreamPart[] = [];
  for await (const event of prepared.restored(events())) {
    if (event.type !== 'event') continue;
    expect(event.event.raw).toBeUndefined();
    got.push(...event.event.parts);
  }
  return got;
}
const textOf = (parts: readonly StreamPart[]): string =>
  parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');

const chars = (alphabet: string, minLength: number, maxLength = minLength): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...Array.from(alphabet)), minLength, maxLength });
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const WORD = `${LOWER}${LOWER.toUpperCase()}0123456789`;
const random = chars(WORD, 24, 40).filter((text) => /\d/.test(text) && /[a-z]/.test(text));

/** A secret and a text in which it stands. */
type Planted = readonly [secret: string, text: string];
const formed = (prefix: string, body: fc.Arbitrary<string>): fc.Arbitrary<Planted> =>
  body.map((text): Planted => [prefix + text, `use ${prefix}${text} here`]);
const named = (make: (secret: string) => string): fc.Arbitrary<Planted> =>
  random.map((secret): Planted => [secret, make(secret)]);

const planted: fc.Arbitrary<Planted> = fc.oneof(
  formed('sk-', random),
  formed('sk-proj-', random),
  formed('sk-ant-api03-', random),
  formed('AKIA', chars('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)),
  formed('AIza', chars(WORD, 35)),
  formed('GOCSPX-', random),
  formed('ghp_', chars(WORD, 36)),
  formed('github_pat_', chars(WORD, 40)),
  formed('glpat-', random),
  formed('xoxb-', random),
  formed(
    'eyJ',
    fc.tuple(random, random, random).map((three) => three.join('.')),
  ),
  named((secret) => `Authorization: Bearer ${secret}`),
  named((secret) => `curl -H "X-Api-Key: ${secret}" https://x.test`),
  named((secret) => `aws_secret_access_key = ${secret}`),
  named((secret) => `postgres://ada:${secret}@db.test:5432/main`),
  named((secret) => `Server=x;User Id=a;Password=${secret};Encrypt=true`),
  named((secret) => `DefaultEndpointsProtocol=https;AccountKey=${secret};EndpointSuffix=x`),
  named((secret) => `{"client_secret": "${secret}", "x": 1}`),
  named((secret) => `const password = '${secret}';`),
  named((secret) => `A=1\nSTRIPE=${secret}\nB=2`),
  named((secret) => `export DATABASE_PASSWORD="${secret}"`),
  random.map((secret): Planted => [secret, `https://hooks.slack.com/services/T000/B000/${secret}`]),
  fc.array(chars(`${WORD}+/`, 64), { minLength: 2, maxLength: 5 }).map((lines): Planted => {
    const body = lines.join('\n');
    return [lines[0] ?? body, `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`];
  }),
);
const prose = fc.constantFrom('please fix the build', 'export const a = 1;', 'é€😀 ok', 'see src/a.ts:3', '{"n": 1}');
const around = (text: string): fc.Arbitrary<string> => fc.tuple(prose, prose).map(([a, b]) => `${a}\n${text}\n${b}`);

describe('a secret', () => {
  it('never leaves, wherever it stands, also where nothing marks it', async () => {
    await fc.assert(
      fc.asyncProperty(planted, planted, fc.nat(4), async ([secret, text], [other, otherText], place) => {
        const args = JSON.stringify({ content: text, command: `echo ${secret}` });
        const assistant: AssistantMessage = {
          role: 'assistant',
          content: [
            { type: 'thinking', text: `it is ${secret}`, signature: 's' },
            { type: 'text', text: otherText },
            { type: 'tool-call', id: 'c', name: 'write', argsText: args },
          ],
        };
        const result: ChatMessage = {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              callId: 'c',
              content: [{ type: 'text', text: place === 0 ? text : secret }],
              isError: false,
            },
          ],
        };
        const tools = [
          {
            name: 'write',
            description: place === 1 ? text : 'x',
            parameters: { properties: { a: { default: secret } } },
          },
        ];
        const raw = { wire: 'openai-chat' as const, body: { secret }, headers: {} };
        const request = requestOf([said(`first ${secret} unmarked`), assistant, result, said(text)], { tools, raw });
        const system = [{ type: 'text' as const, text: place === 2 ? otherText : '' }];
        const { sent } = await prepare(outgoing(), { ...request, system });
        const out = JSON.stringify(sent);
        for (const each of [secret, other]) expect(out).not.toContain(JSON.stringify(each).slice(1, -1));
        for (const message of sent.messages)
          if (message.role === 'assistant')
            for (const part of message.content)
              if (part.type === 'tool-call') expect(() => JSON.parse(part.argsText) as unknown).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });

  it('comes back exactly, however the answer is cut, in text and in the arguments of tool calls', async () => {
    await fc.assert(
      fc.asyncProperty(
        planted.chain(([secret, text]) => around(text).map((whole) => ({ secret, whole }))),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
        async ({ whole }, lengths) => {
          const prepared = await prepare(outgoing(), requestOf([said(whole)]));
          const [message] = prepared.sent.messages;
          const sentText =
            message?.role === 'user' && message.content[0]?.type === 'text' ? message.content[0].text : '';
          expect(sentText).not.toBe(whole);
          const parts: StreamPart[] = [];
          for (let at = 0; at < sentText.length;) {
            const end = at + (lengths.next().value as number); // The stream never ends.
            parts.push({ type: 'text-delta', text: sentText.slice(at, end) });
            at = end;
          }
          const argsText = `{"path":"a","n":12345678901234567890, "content":${JSON.stringify(sentText)}}`;
          parts.push({ type: 'tool-call', id: 'c', name: 'write', argsText }, { type: 'finish', reason: 'tool-calls' });
          const got = await answered(prepared, parts);
          expect(textOf(got)).toBe(whole);
          const call = got.find((part) => part.type === 'tool-call');
          expect(call?.argsText).toBe(`{"path":"a","n":12345678901234567890, "content":${JSON.stringify(whole)}}`);
          expect(got.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' });
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('has the same placeholder in every turn, also where an answer showed it in clear', async () => {
    await fc.assert(
      fc.asyncProperty(planted, async ([secret, text]) => {
        const out = outgoing();
        const first = await prepare(out, requestOf([said(text)]));
        const again = await prepare(out, requestOf([said(text)]));
        expect(again.sent).toEqual(first.sent);
        const [placeholder = ''] = /BELAY_HIDDEN_[0-9a-f]{24}_/.exec(JSON.stringify(first.sent)) ?? [];
        const shown = textOf(
          await answered(first, [
            { type: 'text-delta', text: `it is ${placeholder}.` },
            { type: 'finish', reason: 'stop' },
          ]),
        );
        const next = await prepare(
          out,
          requestOf([said(text), { role: 'assistant', content: [{ type: 'text', text: shown }] }]),
        );
        expect(JSON.stringify(next.sent.messages[1])).toContain(`it is ${placeholder}.`);
        expect(placeholder).not.toContain(secret.slice(0, 6));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a text without secrets', () => {
  it.each([
    'const token: string = next();\nreturn process.env.API_KEY ?? null;',
    'max_tokens: 4096, the token parser, password: ${DB_PASSWORD}',
    'git commit -m "rename the password field"',
    'http://localhost:3000/@scope/pkg?x=1',
    'PWD=/home/ada ls; TOKEN=true run',
    'BELAY_HIDDEN_ is how a placeholder begins',
    'const key = map.get(name); for (const key of keys) {}',
    'é€😀 \ud800 \0 \\" {"a": 1.0e400}',
    `sha256 ${'0123456789abcdef'.repeat(4)}`,
  ])('leaves as it is, with the raw body: %j', async (text) => {
    const raw = { wire: 'openai-chat' as const, body: { messages: [text], n: 1, nothing: null }, headers: {} };
    const argsText = `{ "n": 12345678901234567890, "text": ${JSON.stringify(text)}, "u":"\\u0041" }`;
    const request = requestOf(
      [said(text), { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'x', argsText }] }],
      { raw, system: [{ type: 'text', text }] },
    );
    const { sent } = await prepare(outgoing(), request);
    expect(sent).toBe(request);
  });

  it('keeps its exact bytes beside one that has some', async () => {
    const argsText = `{ "n": 12345678901234567890, "u":"\\u0041",  "password":"hunter2secret" }`;
    const { sent } = await prepare(
      outgoing(),
      requestOf([{ role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'x', argsText }] }]),
    );
    const [message] = sent.messages;
    const call = message?.role === 'assistant' ? message.content[0] : undefined;
    expect(call?.type === 'tool-call' && call.argsText.replace(/BELAY_HIDDEN_\w+/, 'X')).toBe(
      `{ "n": 12345678901234567890, "u":"\\u0041",  "password":"X" }`,
    );
  });
});

describe('an ordinary word that is a password', () => {
  const shownBy = async (out: Outgoing): Promise<string> => {
    const first = await prepare(out, requestOf([said('password = "test"')]));
    const [placeholder = ''] = /BELAY_HIDDEN_[0-9a-f]{24}_/.exec(JSON.stringify(first.sent)) ?? [];
    const parts: StreamPart[] = [{ type: 'text-delta', text: `it is ${placeholder} now` }];
    return textOf(await answered(first, [...parts, { type: 'finish', reason: 'stop' }]));
  };

  it('is replaced where it is marked and where an answer showed it, not in every text that holds the word', async () => {
    const out = outgoing();
    const shown = await shownBy(out);
    expect(shown).toBe('it is test now');
    const assistant: ChatMessage = { role: 'assistant', content: [{ type: 'text', text: shown }] };
    const plain = said('run the test again: npm test');
    const { sent } = await prepare(out, requestOf([said('password = "test"'), assistant, plain]));
    expect(sent.messages[2]).toEqual(plain);
    expect(JSON.stringify(sent.messages[1])).toMatch(/it is BELAY_HIDDEN_[0-9a-f]{24}_ now/);
  });

  it('goes back in signed thinking to the letter as the model wrote it', async () => {
    const out = outgoing();
    const first = await prepare(out, requestOf([said('password = "test"')]));
    const [placeholder = ''] = /BELAY_HIDDEN_[0-9a-f]{24}_/.exec(JSON.stringify(first.sent)) ?? [];
    const written = `hm, ${placeholder}`;
    const got = await answered(first, [
      { type: 'thinking-delta', text: written },
      { type: 'thinking-end', signature: 's' },
    ]);
    const text = got.map((part) => (part.type === 'thinking-delta' ? part.text : '')).join('');
    expect(text).toBe('hm, test');
    const back: ChatMessage = { role: 'assistant', content: [{ type: 'thinking', text, signature: 's' }] };
    const { sent } = await prepare(out, requestOf([back]));
    expect(sent.messages[0]).toEqual({
      role: 'assistant',
      content: [{ type: 'thinking', text: written, signature: 's' }],
    });
  });
});

describe('a secret that is split over two parts', () => {
  it('leaves in neither of them, wherever it is cut', async () => {
    const secret = 'sk-proj-Abcdefgh1234567890Zyxwvut';
    for (let cut = 1; cut < secret.length; cut++) {
      const content = [`use ${secret.slice(0, cut)}`, `${secret.slice(cut)} here`].map((text) => ({
        type: 'text' as const,
        text,
      }));
      const { sent } = await prepare(outgoing(), requestOf([{ role: 'user', content }]));
      const out = JSON.stringify(sent);
      expect(out, `cut at ${cut}`).not.toMatch(cut > 8 ? /proj-Ab/ : /yxwvut here/);
    }
  });
});

describe('the quick look before the slow one', () => {
  it('misses nothing that is masked elsewhere', () => {
    fc.assert(
      fc.property(planted, ([, text]) => {
        expect(redactSecrets(text) !== text).toBe(secretSpans(text).length > 0);
      }),
      { numRuns: 1000 },
    );
    for (const text of ['x://a?b:pw1234@h', 'redis-cli -h h -a pw1234', 'MY_salt=abcd', 'monkey=abcd', 'db_PWD=abcd'])
      expect(secretSpans(text), text).not.toEqual([]);
  });
});

describe('a placeholder', () => {
  it('that the model altered stays as it is, and one of another request is not restored', async () => {
    const out = outgoing();
    const one = await prepare(out, requestOf([said('password = "correct-horse-1"')]));
    const two = await prepare(out, requestOf([said('password = "battery-staple-2"')]));
    const placeholderIn = ({ sent }: Prepared): string => /BELAY_HIDDEN_\w+/.exec(JSON.stringify(sent))?.[0] ?? '';
    const [mine, other] = [placeholderIn(one), placeholderIn(two)];
    expect(mine).toMatch(/^BELAY_HIDDEN_[0-9a-f]{24}_$/);
    const altered = [
      mine.toLowerCase(),
      mine.slice(0, -2),
      mine.replace('_', '-'),
      mine.replace(/.(?=_$)/, 'g'),
      `${mine.slice(0, 20)} ${mine.slice(20)}`,
      other,
    ];
    for (const text of altered) {
      const got = await answered(one, [
        { type: 'text-delta', text },
        { type: 'finish', reason: 'stop' },
      ]);
      expect(textOf(got)).toBe(text);
    }
    const got = await answered(one, [
      { type: 'text-delta', text: `${mine}${mine}x` },
      { type: 'thinking-delta', text: mine.slice(0, 10) },
      { type: 'text-delta', text: mine.slice(10) },
    ]);
    expect(textOf(got)).toBe(`correct-horse-1correct-horse-1x${mine.slice(10)}`);
  });

  it('that is broken off by the end of an answer is still shown', async () => {
    const prepared = await prepare(outgoing(), requestOf([said('password = "correct-horse-1"')]));
    const got = await answered(prepared, [
      { type: 'text-delta', text: 'so BELAY_HIDDEN_0a' },
      { type: 'finish', reason: 'truncated' },
    ]);
    expect(textOf(got)).toBe('so BELAY_HIDDEN_0a');
  });
});

describe('looking for secrets', () => {
  it('takes time in proportion to the text', async () => {
    for (const piece of [
      'A=a1',
      'Password=',
      'hooks.slack.com/services/',
      '"a":"',
      '\\"',
      'BELAY_HIDDEN_',
      'x'.repeat(50),
    ]) {
      const started = process.cpuUsage();
      await prepare(outgoing(), requestOf([said(piece.repeat(Math.ceil(100_000 / piece.length)))]));
      expect(process.cpuUsage(started).user / 1000, piece).toBeLessThan(3000);
    }
  });
});
