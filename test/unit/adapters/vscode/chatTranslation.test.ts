import type * as vscode from 'vscode';
import { describe, expect, it } from 'vitest';
import {
  toChatRequest,
  tokensOf,
  type ChatInput,
  type ChatOptions,
} from '../../../../src/adapters/vscode/chatTranslation.ts';
import { totalChars } from '../../../../src/core/textSize.ts';
import { IMAGE_TOKENS } from '../../../../src/core/tokens.ts';

const USER = 1;
const ASSISTANT = 2;
const AUTO = 1;
const REQUIRED = 2;

/** Messages in the shape VS Code hands them over; its classes exist only inside VS Code. */
function message(role: number, ...content: readonly unknown[]): ChatInput {
  return { role, content };
}
const text = (value: string): unknown => ({ value });
const options = (
  toolMode: number,
  tools: readonly vscode.LanguageModelChatTool[] = [],
  modelOptions = {},
): ChatOptions => ({ toolMode, tools, modelOptions });

describe('messages of VS Code', () => {
  it('become user and assistant messages in order', () => {
    const request = toChatRequest(
      '*',
      [message(USER, text('hi')), message(ASSISTANT, text('hello')), message(USER, text('go'))],
      options(AUTO),
    );
    expect(request.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
    ]);
  });

  it('carry tool calls and their results, results before words of the same message', () => {
    const call = { callId: 'c1', name: 'look_up', input: { word: 'rope' } };
    const result = { callId: 'c1', content: [text('a thick cord')] };
    const request = toChatRequest(
      '*',
      [message(ASSISTANT, text('I look.'), call), message(USER, text('and then?'), result)],
      options(AUTO),
    );
    expect(request.messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', id: 'c1', name: 'look_up', argsText: '{"word":"rope"}' },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', callId: 'c1', content: [{ type: 'text', text: 'a thick cord' }], isError: false },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'and then?' }] },
    ]);
  });

  it('keep images as base64 and text data as text, and leave out what is neither', () => {
    const data = [
      { mimeType: 'image/png', data: new Uint8Array([1, 2, 3]) },
      { mimeType: 'application/json', data: new TextEncoder().encode('{"a":1}') },
      { mimeType: 'audio/wav', data: new Uint8Array([9]) },
    ];
    const [first] = toChatRequest('*', [message(USER, ...data)], options(AUTO)).messages;
    expect(first).toEqual({
      role: 'user',
      content: [
        { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AQID' } },
        { type: 'text', text: '{"a":1}' },
      ],
    });
  });

  it('that are empty vanish', () => {
    expect(toChatRequest('*', [message(USER, text('')), message(ASSISTANT)], options(AUTO)).messages).toEqual([]);
  });
});

describe('options of VS Code', () => {
  const tool = {
    name: 'look_up',
    description: 'Looks up.',
    inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
  };

  it('turn tools into specifications; one without a schema takes no arguments', () => {
    const { tools } = toChatRequest('*', [], options(AUTO, [tool, { name: 'ping', description: 'Pings.' }]));
    expect(tools).toEqual([
      { name: 'look_up', description: 'Looks up.', parameters: tool.inputSchema },
      { name: 'ping', description: 'Pings.', parameters: { type: 'object', properties: {} } },
    ]);
  });

  it('require a tool only where there is one', () => {
    expect(toChatRequest('*', [], options(REQUIRED, [tool])).toolChoice).toEqual({ type: 'required' });
    expect(toChatRequest('*', [], options(REQUIRED)).toolChoice).toEqual({ type: 'auto' });
    expect(toChatRequest('*', [], options(AUTO, [tool])).toolChoice).toEqual({ type: 'auto' });
  });

  it('pass temperature and the output limit on, and nothing that is no number', () => {
    expect(toChatRequest('*', [], options(AUTO, [], { temperature: 0.2, max_tokens: 500 }))).toMatchObject({
      temperature: 0.2,
      maxOutputTokens: 500,
    });
    expect(toChatRequest('*', [], options(AUTO, [], { temperature: 'hot' }))).not.toHaveProperty('temperature');
  });
});

describe('the token estimate', () => {
  it('is careful while there is no engine, and never zero for text', () => {
    expect(tokensOf('', null)).toBe(0);
    expect(tokensOf('a', null)).toBe(1);
    expect(tokensOf('a word or two', null)).toBeGreaterThan(13 / 4);
    expect(tokensOf(message(USER, { mimeType: 'image/png', data: new Uint8Array(3) }), null)).toBe(IMAGE_TOKENS);
  });

  it('is that of the engine where there is one, over all text, calls and results of a message', () => {
    expect(tokensOf('12345678', totalChars)).toBe(8);
    expect(tokensOf(message(ASSISTANT, { callId: 'c', name: 'abcd', input: {} }), totalChars)).toBe(6);
    expect(tokensOf(message(USER, { callId: 'c', content: [text('12345678')] }), totalChars)).toBe(8);
  });
});
