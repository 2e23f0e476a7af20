// What leaves in a request and what comes back, through the whole controller: withheld results, taken-out secrets, and the
// tools of Belay's own agent.
import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatRequest, StreamPart } from '../../../src/core/chat.ts';
import type { IgnorePort, Ports } from '../../../src/engine/ports.ts';
import { ask, disclosureWorld, farId, farProvider, type DisclosureWorld } from '../../support/disclosureWorld.ts';
import { answers, fails, type ScriptStep } from '../../support/scriptedProvider.ts';

const A = farId('a');
const open = {
  'belay.providers': [farProvider('a')],
  'belay.disclosure.rules': [{ verdict: 'allow' }],
};
const scrubbing = { ...open, 'belay.disclosure.scrubSecrets': true };
const SECRET = 'sk-proj-Abcdefgh1234567890';
const raw: ChatRequest['raw'] = { wire: 'openai-chat', body: { model: 'm' }, headers: {} };

/** Keeps `.env`, however it is asked. */
const keepsEnv: IgnorePort = {
  isActive: () => Promise.resolve(true),
  ignored: (words) =>
    Promise.resolve({ words: new Set(words.filter((word) => /(^|\/)\.env$/.test(word))), unreadable: [] }),
};
const turn = (id: string, args: Record<string, string>, result: string): readonly ChatMessage[] => [
  { role: 'assistant', content: [{ type: 'tool-call', id, name: 'bash', argsText: JSON.stringify(args) }] },
  {
    role: 'tool',
    content: [{ type: 'tool-result', callId: id, content: [{ type: 'text', text: result }], isError: false }],
  },
];
const sent = (world: DisclosureWorld, at = 0): ChatRequest => world.provider.seen[at]!.request;
const notices = (world: DisclosureWorld): readonly string[] =>
  world.events.flatMap(({ body }) => (body.type === 'notice' ? [`${body.severity}: ${body.message}`] : []));

describe('results that .belayignore keeps', () => {
  const messages = [
    ...turn('1', { command: 'cat ./.env' }, 'KEY=1'),
    ...turn('2', { path: 'a.ts' }, 'const a'),
    ...turn('3', { pattern: 'KEY' }, 'src/.env:1:KEY=1'),
  ];

  it('are not sent, also not in the raw body, and the person is told how many', async () => {
    const world = await disclosureWorld({ raw: open, scripts: { [A]: [answers('ok')] }, ports: { ignore: keepsEnv } });
    await world.clock.run(ask(world, {}, { messages, raw }));
    expect(JSON.stringify(sent(world))).not.toContain('KEY=1');
    expect(JSON.stringify(sent(world))).toContain('const a');
    expect(sent(world)).not.toHaveProperty('raw');
    expect(notices(world)).toEqual([
      'info: 2 tool results were withheld from the model since .belayignore keeps the files that they name.',
    ]);
  });

  it('are not sent by a retry, nor compressed', async () => {
    const long = [...turn('0', { path: 'b.ts' }, 'x'.repeat(20_000)), ...messages];
    const tooLong = fails(400, { body: { error: { code: 'context_length_exceeded', message: 'too long' } } });
    const world = await disclosureWorld({
      raw: open,
      scripts: { [A]: [fails(500), tooLong, answers('ok')] },
      ports: { ignore: keepsEnv },
    });
    await world.clock.run(ask(world, {}, { messages: long, raw }));
    expect(world.provider.seen.length).toBeGreaterThan(1);
    for (const { request } of world.provider.seen) expect(JSON.stringify(request)).not.toContain('KEY=1');
  });

  it('are all of them where nobody can say which: a file that cannot be read, or a port that breaks', async () => {
    const unreadable: IgnorePort = {
      isActive: () => Promise.resolve(true),
      ignored: (words) => Promise.resolve({ words: new Set(words), unreadable: ['/repo/.belayignore'] }),
    };
    const broken: IgnorePort = {
      isActive: () => Promise.reject(new Error('bug')),
      ignored: () => Promise.reject(new Error('bug')),
    };
    for (const [ignore, why] of [
      [
        unreadable,
        'warning: 3 tool results were withheld from the model since /repo/.belayignore cannot be read and may keep the files that they name.',
      ],
      [broken, 'warning: 3 tool results were withheld from the model since .belayignore could not be applied.'],
    ] as const) {
      const world = await disclosureWorld({ raw: open, scripts: { [A]: [answers('ok')] }, ports: { ignore } });
      await world.clock.run(ask(world, {}, { messages }));
      expect(JSON.stringify(sent(world))).not.toMatch(/KEY=1|const a/);
      expect(notices(world)).toEqual([why]);
    }
  });

  it('leave everything as it is where there are none', async () => {
    const world = await disclosureWorld({ raw: open, scripts: { [A]: [answers('ok')] }, ports: { ignore: keepsEnv } });
    const request = turn('2', { path: 'a.ts' }, 'const a');
    await world.clock.run(ask(world, {}, { messages: request, raw }));
    expect(sent(world).messages).toEqual(request);
    expect(sent(world).raw).toEqual(raw);
    expect(notices(world)).toEqual([]);
  });
});

describe('secrets', () => {
  const messages: readonly ChatMessage[] = [{ role: 'user', content: [{ type: 'text', text: `use ${SECRET}` }] }];

  it('leave as they are where the settings do not say otherwise', async () => {
    const world = await disclosureWorld({ raw: open, scripts: { [A]: [answers('ok')] } });
    await world.clock.run(ask(world, {}, { messages, raw }));
    expect(sent(world).messages).toEqual(messages);
    expect(sent(world).raw).toEqual(raw);
  });

  it('are placeholders to every candidate, and the caller gets them back', async () => {
    const world = await disclosureWorld({ raw: scrubbing, scripts: { [A]: [fails(500), answers('ok')] } });
    await world.clock.run(ask(world, {}, { messages, raw }));
    expect(world.provider.seen).toHaveLength(2);
    for (const { request } of world.provider.seen) {
      expect(JSON.stringify(request)).not.toContain(SECRET);
      expect(request).not.toHaveProperty('raw');
    }
    const [message] = sent(world).messages;
    const placeholder = /BELAY_HIDDEN_\w+_/.exec(JSON.stringify(message))?.[0] ?? '';
    const args = JSON.stringify({ path: 'a', content: `key=${placeholder}` });
    const call: StreamPart = { type: 'tool-call', id: 'c', name: 'write', argsText: args };
    const echoes: readonly ScriptStep[] = [
      { afterMs: 1, parts: [{ type: 'text-delta', text: `it is ${placeholder.slice(0, 9)}` }] },
      { afterMs: 1, parts: [{ type: 'text-delta', text: placeholder.slice(9) }] },
      { afterMs: 1, parts: [call, { type: 'finish', reason: 'tool-calls' }] },
    ];
    const echo = await disclosureWorld({ raw: scrubbing, scripts: { [A]: [echoes] } });
    const tools = [{ name: 'write', parameters: { type: 'object', required: ['path', 'content'] } }];
    const told = await echo.clock.run(ask(echo, {}, { messages, tools }));
    expect(told.text).toBe(`it is ${SECRET}`);
    expect(told.events.flatMap((event) => (event.type === 'event' ? event.event.parts : []))).toContainEqual({
      ...call,
      argsText: JSON.stringify({ path: 'a', content: `key=${SECRET}` }),
    });
    expect(told.events.at(-1)?.type).toBe('finished');
    expect(JSON.stringify(echo.events)).not.toContain(SECRET);
  });

  it('cancel as before when the caller stops reading', async () => {
    const world = await disclosureWorld({ raw: scrubbing, scripts: { [A]: [[{ hang: true }]] } });
    const abort = new AbortController();
    const reading = ask(world, {}, { messages }, abort.signal);
    await world.clock.advance(10);
    abort.abort();
    await world.clock.run(reading);
    expect(world.provider.seen[0]?.isAborted).toBe(true);
  });
});

describe("the tools of Belay's own agent", () => {
  const files = { '.env': 'KEY=1', 'src/.env': 'KEY=2', 'src/a.ts': 'KEY in code' };
  const calls = (name: string, args: Record<string, string>): readonly ScriptStep[] => [
    {
      afterMs: 1,
      parts: [
        { type: 'tool-call', id: `call-${name}`, name, argsText: JSON.stringify(args) },
        { type: 'finish', reason: 'tool-calls' },
      ],
    },
  ];

  it('never read, list, search or edit what .belayignore keeps', async () => {
    const ports: Partial<Ports> = { ignore: keepsEnv };
    const steps = [
      calls('read_file', { path: '.env' }),
      calls('read_file', { path: './src/../.env' }),
      calls('list_files', {}),
      calls('search', { pattern: 'KEY' }),
      calls('edit_file', { path: 'src/.env', search: 'KEY=2', replace: 'KEY=3' }),
      calls('finish', { summary: 'done' }),
    ];
    const world = await disclosureWorld({ raw: open, scripts: { [A]: steps }, ports, files });
    const spec = {
      id: 'task',
      goal: 'look',
      model: 'm',
      successCommand: 'true',
      criticality: 'medium' as const,
      deadlineMs: 1e9,
      workspace: '/repo',
      env: {},
    };
    await world.clock.run(world.controller.runTask(spec, new AbortController().signal));
    const results = world.provider.seen
      .at(-1)!
      .request.messages.flatMap((message) =>
        message.role === 'tool'
          ? message.content.flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')))
          : [],
      );
    expect(results).toHaveLength(5);
    expect(JSON.stringify(results)).not.toMatch(/KEY=\d/);
    expect(results[2]).toBe('src/a.ts');
    expect(results[3]).toBe('src/a.ts:1: KEY in code');
    const edit = world.events.filter(({ body }) => body.type === 'effect-changed' && body.tool === 'edit_file');
    expect(edit).toEqual([]);
  });
});
