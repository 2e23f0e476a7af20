// Answers as the two vendors write them, event by event, for the scripted wire server.
import type { StreamPart, Wire } from '../../src/core/chat.ts';

/** A tool call to be written. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  /** The argument text in the pieces it is sent in. */
  readonly pieces: readonly string[];
}

/** One answer. */
export interface ScriptedAnswer {
  readonly texts?: readonly string[];
  readonly calls?: readonly ScriptedCall[];
}

/** The writing of one wire. */
export interface WireScript {
  /** All events of an answer, framed with LF. */
  events(answer: ScriptedAnswer): string[];
  /** The same answer as one JSON document. */
  whole(answer: ScriptedAnswer): object;
  /** The terminal marker's event(s). */
  readonly terminal: string;
  /** An error inside a 200 stream, and what the observation's body must be. */
  inBand(type: string, message: string): { readonly event: string; readonly body: object };
  /** A finished answer with nothing in it. */
  readonly empty: readonly string[];
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string }): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

const chunk = (choices: readonly object[], more: object = {}): string =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'served-1',
    system_fingerprint: 'fp_1',
    choices,
    ...more,
  });
const delta = (value: object, finish_reason: string | null = null): string =>
  chunk([{ index: 0, delta: value, finish_reason }]);

const OPENAI_USAGE = {
  prompt_tokens: 12,
  completion_tokens: 7,
  total_tokens: 19,
  prompt_tokens_details: { cached_tokens: 5 },
};
const DONE = 'data: [DONE]\n\n';

function openaiCalls(calls: readonly ScriptedCall[]): string[] {
  const openings = calls.map((c, index) =>
    delta({ tool_calls: [{ index, id: c.id, type: 'function', function: { name: c.name, arguments: '' } }] }),
  );
  // The pieces of parallel calls arrive mixed.
  const longest = Math.max(0, ...calls.map((c) => c.pieces.length));
  const pieces = Array.from({ length: longest }, (_, i) =>
    calls.flatMap((c, index) => {
      const piece = c.pieces[i];
      return piece === undefined ? [] : [delta({ tool_calls: [{ index, function: { arguments: piece } }] })];
    }),
  );
  return [...openings, ...pieces.flat()];
}

const openai: WireScript = {
  events: ({ texts = [], calls = [] }) => [
    delta({ role: 'assistant', content: '' }),
    ...texts.map((content) => delta({ content })),
    ...openaiCalls(calls),
    delta({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    chunk([], { usage: OPENAI_USAGE }),
    DONE,
  ],
  whole: ({ texts = [], calls = [] }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'served-1',
    system_fingerprint: 'fp_1',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: texts.length === 0 ? null : texts.join(''),
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map((c) => ({
                  id: c.id,
                  type: 'function',
                  function: { name: c.name, arguments: c.pieces.join('') },
                })),
              }),
        },
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: OPENAI_USAGE,
  }),
  terminal: DONE,
  inBand: (type, message) => {
    const body = { error: { message, type, code: null } };
    return { event: data(body), body };
  },
  empty: [delta({ role: 'assistant', content: '' }), delta({}, 'stop'), chunk([], { usage: OPENAI_USAGE }), DONE],
};

const ANTHROPIC_USAGE = {
  input_tokens: 4,
  cache_creation_input_tokens: 3,
  cache_read_input_tokens: 5,
  output_tokens: 1,
};
const opening = (): string[] => [
  named({
    type: 'message_start',
    ...{
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'served-1',
        content: [],
        stop_reason: null,
        usage: ANTHROPIC_USAGE,
      },
    },
  }),
  'event: ping\ndata: {"type": "ping"}\n\n',
];
const closing = (stop_reason: string): string[] => [
  named({ type: 'message_delta', ...{ delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } } }),
  named({ type: 'message_stop' }),
];
const block = (index: number, content_block: object, deltas: readonly object[]): string[] => [
  named({ type: 'content_block_start', ...{ index, content_block } }),
  ...deltas.map((d) => named({ type: 'content_block_delta', ...{ index, delta: d } })),
  named({ type: 'content_block_stop', ...{ index } }),
];

const anthropic: WireScript = {
  events: ({ texts = [], calls = [] }) => [
    ...opening(),
    ...(texts.length === 0
      ? []
      : block(
          0,
          { type: 'text', text: '' },
          texts.map((text) => ({ type: 'text_delta', text })),
        )),
    ...calls.flatMap((c, i) =>
      block(
        (texts.length === 0 ? 0 : 1) + i,
        { type: 'tool_use', id: c.id, name: c.name, input: {} },
        c.pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
    ),
    ...closing(calls.length > 0 ? 'tool_use' : 'end_turn'),
  ],
  whole: ({ texts = [], calls = [] }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'served-1',
    content: [
      ...(texts.length === 0 ? [] : [{ type: 'text', text: texts.join('') }]),
      ...calls.map((c) => ({
        type: 'tool_use',
        id: c.id,
        name: c.name,
        input: JSON.parse(c.pieces.join('')) as unknown,
      })),
    ],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { ...ANTHROPIC_USAGE, output_tokens: 7 },
  }),
  terminal: named({ type: 'message_stop' }),
  inBand: (type, message) => {
    const body = { type: 'error', error: { type, message } };
    return { event: named(body), body };
  },
  empty: [...opening(), ...closing('end_turn')],
};

/** The writing of a wire; the Responses wire has none yet. */
export function wireScript(wire: Wire): WireScript {
  return wire === 'anthropic-messages' ? anthropic : openai;
}

/** Text of all text parts. */
export function textOfParts(parts: readonly StreamPart[]): string {
  return parts.map((p) => (p.type === 'text-delta' ? p.text : '')).join('');
}
