// Random conversations through both translators and the strict rules of both wires: accepted, pairing kept, reversible.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatRequest, ImagePart, ThinkingPart } from '../../../../src/core/chat.ts';
import { anthropicBody } from '../../../../src/adapters/providers/anthropicRequest.ts';
import { openaiBody } from '../../../../src/adapters/providers/openaiRequest.ts';
import { portableHistory } from '../../../../src/adapters/providers/portableHistory.ts';
import { dialectOf } from '../../../../src/core/providers/dialects.ts';
import { anthropicViolations } from '../../../support/anthropicRules.ts';
import { candidate } from '../../../support/candidates.ts';
import { openaiFamilies } from '../../../support/wireDialects.ts';
import { openaiViolations } from '../../../support/wireRules.ts';

const OPENAI = candidate('a', { kind: 'openai', family: 'openai', model: 'gpt-{model}' });
const COMPATIBLE = candidate('b', { family: 'some-server', model: 'm' });
const ANTHROPIC = candidate('c', {
  kind: 'anthropic',
  family: 'anthropic',
  model: 'claude-sonnet-4-5',
  wire: 'anthropic-messages',
  baseUrl: 'https://api.anthropic.com',
});
const PLAIN = { callIds: dialectOf(ANTHROPIC).callIds, names: { outgoing: (name: string) => name } };

const someText = fc.oneof(
  fc.constantFrom('', ' ', '\n', 'hello', 'trailing \n', '你好 👋'),
  fc.string({ maxLength: 20 }),
);
const text = someText.map((t) => ({ type: 'text' as const, text: t }));
const image: fc.Arbitrary<ImagePart> = fc
  .constantFrom(
    { kind: 'base64' as const, mediaType: 'image/png', data: 'AAAA' },
    { kind: 'base64' as const, mediaType: 'image/JPG', data: 'AAAA' },
    { kind: 'base64' as const, mediaType: 'image/tiff', data: 'AAAA' },
    { kind: 'url' as const, url: 'https://example.org/a.png' },
    { kind: 'url' as const, url: 'http://example.org/a.png' },
    { kind: 'url' as const, url: 'data:image/webp;base64,AAAA' },
  )
  .map((source) => ({ type: 'image', source }));
const thinking: fc.Arbitrary<ThinkingPart> = fc.constantFrom(
  { type: 'thinking', text: 'mine', signature: 'sig-anthropic', issuer: 'anthropic' },
  { type: 'thinking', text: '', signature: 'redacted_thinking:sig-anthropic', issuer: 'anthropic' },
  { type: 'thinking', text: 'theirs', signature: 'sig-other', issuer: 'other' },
  { type: 'thinking', text: 'unsigned', issuer: 'anthropic' },
  { type: 'thinking', text: 'nobody' },
);
// Few ids, so that they repeat within a turn and over turns, in the grammars of several vendors.
const id = fc.constantFrom('call_0', 'toolu_1', 'functions.bash:0', 'a'.repeat(90), '', 'ünicode', 'bly_x');
const call = fc.record({
  type: fc.constant('tool-call' as const),
  id,
  name: fc.constantFrom('read', 'bash', 'mcp__x__y'),
  argsText: fc.constantFrom('{"path":"a"}', '{}', '', '{"cut": "', '[1]', '"text"', '{ "spaced" : 1 }'),
});
const result = fc.record({
  type: fc.constant('tool-result' as const),
  callId: id,
  content: fc.array(fc.oneof(text, image), { maxLength: 3 }),
  isError: fc.boolean(),
});
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), content: fc.array(fc.oneof(text, image), { maxLength: 3 }) }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.array(fc.oneof(text, thinking, call), { maxLength: 4 }),
  }),
  fc.record({ role: fc.constant('tool' as const), content: fc.array(result, { maxLength: 3 }) }),
);
const tool = fc.constantFrom(
  { name: 'read', description: 'Reads.', parameters: { type: 'object' } },
  { name: 'bash', parameters: {} },
);
const request: fc.Arbitrary<ChatRequest> = fc.record(
  {
    model: fc.constant('asked'),
    system: fc.array(text, { maxLength: 2 }),
    messages: fc.array(message, { maxLength: 12 }),
    tools: fc.uniqueArray(tool, { selector: (t) => t.name, maxLength: 2 }),
    toolChoice: fc.constantFrom({ type: 'auto' }, { type: 'none' }, { type: 'required' }),
    maxOutputTokens: fc.integer({ min: 1, max: 9999 }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    topP: fc.double({ min: 0, max: 1, noNaN: true }),
    stop: fc.array(someText, { maxLength: 6 }),
    parallelToolCalls: fc.boolean(),
  },
  { requiredKeys: ['model', 'system', 'messages', 'tools', 'toolChoice'] },
);

const isOwnSignature = (signature: string): boolean => signature === 'sig-anthropic';

describe('translation of requests', () => {
  it('makes bodies that the strict rules of the OpenAI wire accept', () => {
    fc.assert(
      fc.property(request, (asked) => {
        expect(openaiViolations(openaiBody(asked, OPENAI), openaiFamilies.openai)).toEqual([]);
        expect(openaiViolations(openaiBody(asked, COMPATIBLE), openaiFamilies.unknown)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('makes bodies that the strict rules of the Anthropic wire accept', () => {
    fc.assert(
      fc.property(request, (asked) => {
        expect(anthropicViolations(anthropicBody(asked, ANTHROPIC), { isOwnSignature })).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('makes the same body every time, so that prompt caches hold', () => {
    fc.assert(
      fc.property(request, (asked) => {
        expect(JSON.stringify(openaiBody(asked, OPENAI))).toBe(JSON.stringify(openaiBody(asked, OPENAI)));
        expect(JSON.stringify(anthropicBody(asked, ANTHROPIC))).toBe(JSON.stringify(anthropicBody(asked, ANTHROPIC)));
      }),
    );
  });

  it('keeps the beginning of the body when the conversation grows by whole turns', () => {
    const turn: fc.Arbitrary<ChatMessage[]> = fc.tuple(call, fc.string({ minLength: 1 })).map(([c, word]) => [
      { role: 'assistant', content: [{ type: 'text', text: `say ${word}` }, c] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', callId: c.id, content: [{ type: 'text', text: `got ${word}` }], isError: false },
        ],
      },
    ]);
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), turn, (turns, next) => {
        const start: ChatMessage = { role: 'user', content: [{ type: 'text', text: 'go' }] };
        const base = { model: 'm', system: [], tools: [], toolChoice: { type: 'auto' } } as const;
        const short = { ...base, messages: [start, ...turns.flat()] };
        const long = { ...base, messages: [...short.messages, ...next] };
        const shortBody = openaiBody(short, OPENAI);
        expect(openaiBody(long, OPENAI).messages.slice(0, shortBody.messages.length)).toEqual(shortBody.messages);
      }),
    );
  });

  it('pairs every result with its own call, also where ids repeat, and turns the ids back', () => {
    const turns = fc.array(fc.array(id, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(turns, (all) => {
        // The text of a call and of its result name the place of the call.
        const messages = all.flatMap((ids, t): ChatMessage[] => [
          {
            role: 'assistant',
            content: ids.map((callId, c) => ({
              type: 'tool-call',
              id: callId,
              name: 'read',
              argsText: `{"at":"${t}.${c}"}`,
            })),
          },
          {
            role: 'tool',
            content: ids.map((callId, c) => ({
              type: 'tool-result',
              callId,
              content: [{ type: 'text', text: `${t}.${c}` }],
              isError: false,
            })),
          },
        ]);
        const history = portableHistory(messages, { ...PLAIN, keepThinking: () => false, takesPrefill: false });
        const calls = history.turns.flatMap((turn) =>
          turn.role === 'assistant' ? turn.content.filter((p) => p.type === 'tool-call') : [],
        );
        const results = history.turns.flatMap((turn) => (turn.role === 'user' ? turn.results : []));
        expect(results.length).toBe(calls.length);
        expect(calls.map((c) => c.wireId)).toEqual(results.map((r) => r.wireId));
        expect(calls.map((c) => c.argsText)).toEqual(
          results.map((r) => `{"at":"${r.content.map((p) => (p.type === 'text' ? p.text : '')).join('')}"}`),
        );
        expect(calls.map((c) => history.ids.original(c.wireId)?.id)).toEqual(all.flat());
      }),
      { numRuns: 500 },
    );
  });

  it('loses no text of the user or of a result, whatever the order of the messages', () => {
    const marked = fc.array(message, { maxLength: 10 }).map((messages) =>
      messages.map((m, i): ChatMessage =>
        m.role === 'assistant'
          ? m
          : m.role === 'user'
            ? { role: 'user', content: [{ type: 'text', text: `user-${i}` }] }
            : {
                role: 'tool',
                content: [
                  {
                    type: 'tool-result',
                    callId: 'call_0',
                    content: [{ type: 'text', text: `result-${i}` }],
                    isError: false,
                  },
                ],
              },
      ),
    );
    fc.assert(
      fc.property(marked, (messages) => {
        const asked = { model: 'm', system: [], messages, tools: [], toolChoice: { type: 'auto' } } as const;
        for (const body of [openaiBody(asked, OPENAI), anthropicBody(asked, ANTHROPIC)]) {
          const written = JSON.stringify(body);
          for (const [i, m] of messages.entries()) {
            if (m.role === 'user') expect(written).toContain(`user-${i}`);
            if (m.role === 'tool') expect(written).toContain(`result-${i}`);
          }
        }
      }),
    );
  });

  it('says that the result of an interrupted call is not known', () => {
    const messages: ChatMessage[] = [
      { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'bash', argsText: '{}' }] },
      { role: 'user', content: [{ type: 'text', text: 'go on' }] },
    ];
    const body = anthropicBody(
      { model: 'm', system: [], messages, tools: [], toolChoice: { type: 'auto' } },
      ANTHROPIC,
    );
    expect(body.messages[2]).toMatchObject({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c', is_error: true },
        { type: 'text', text: 'go on' },
      ],
    });
    expect(JSON.stringify(body.messages[2])).toContain('not known');
  });

  it('puts system prompts, limits and choices where each wire wants them', () => {
    const asked: ChatRequest = {
      model: 'asked',
      system: [
        { type: 'text', text: 'A' },
        { type: 'text', text: 'B' },
      ],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
      tools: [{ name: 'read', parameters: {} }],
      toolChoice: { type: 'required' },
      maxOutputTokens: 5,
      temperature: 1.5,
      parallelToolCalls: false,
    };
    expect(openaiBody(asked, OPENAI)).toMatchObject({
      model: 'gpt-asked',
      messages: [
        { role: 'system', content: 'A\n\nB' },
        { role: 'user', content: 'x' },
      ],
      max_completion_tokens: 5,
      temperature: 1.5,
      tool_choice: 'required',
      parallel_tool_calls: false,
      stream_options: { include_usage: true },
    });
    expect(openaiBody(asked, COMPATIBLE)).toMatchObject({ max_tokens: 5 });
    expect(anthropicBody(asked, ANTHROPIC)).toMatchObject({
      system: [
        { type: 'text', text: 'A' },
        { type: 'text', text: 'B' },
      ],
      max_tokens: 5,
      temperature: 1,
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      tools: [{ name: 'read', input_schema: { type: 'object' } }],
    });
  });
});
