// Vendors for tests of portable histories: how each writes ids, thinking and signatures in its own wire, read by the real
// answer readers, and the strict rules by which it judges what it is sent.
import { createHash } from 'node:crypto';
import { anthropicAnswerReader } from '../../src/adapters/providers/anthropicAnswer.ts';
import { anthropicBody } from '../../src/adapters/providers/anthropicRequest.ts';
import type { AnswerReader } from '../../src/adapters/providers/answerReader.ts';
import { issuerOf } from '../../src/adapters/providers/endpoint.ts';
import { openaiAnswerReader } from '../../src/adapters/providers/openaiAnswer.ts';
import { openaiBody } from '../../src/adapters/providers/openaiRequest.ts';
import type { Candidate } from '../../src/core/candidate.ts';
import type { AssistantMessage, ChatRequest, StreamPart } from '../../src/core/chat.ts';
import type { CallEvent, CallSummary } from '../../src/engine/call.ts';
import { collectAnswer } from '../../src/engine/answer.ts';
import { anthropicViolations } from './anthropicRules.ts';
import { candidate } from './candidates.ts';
import { openaiFamilies } from './wireDialects.ts';
import { openaiViolations, type OpenaiRules } from './wireRules.ts';

/** What a model says, free of any wire. */
export interface Saying {
  readonly thinking: 'none' | 'plain' | 'redacted' | 'unsigned' | 'interleaved' | 'only';
  /** Empty: nothing. */
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly { readonly name: string; readonly argsText: string }[];
}

/** A candidate with its manners. */
export interface Vendor {
  readonly candidate: Candidate;
  /** The id of the n-th call of the conversation that this vendor writes. */
  readonly idOf: (n: number, inTurn: number) => string;
  /** Whether its ids are its own for the whole conversation, so that it must get them back as they were. */
  readonly hasOwnIds: boolean;
  readonly rules: Partial<OpenaiRules>;
  /** Who signs; vendors with the same signer accept each other's signatures. */
  readonly signer: string;
}

/** A signature of a thought. */
export function signatureOf(signer: string, thought: string): string {
  return `${signer}.${createHash('sha256').update(`${signer}\u0000${thought}`).digest('base64url')}`;
}

const hex = (n: number, chars: number): string =>
  createHash('sha256').update(String(n)).digest('hex').slice(0, chars).padEnd(chars, '0');

function openai(
  family: string,
  more: Partial<Vendor> & { readonly model?: string; readonly baseUrl?: string } = {},
): Vendor {
  const { model = `${family}-model`, baseUrl = `https://${family}.example/v1`, ...rest } = more;
  return {
    candidate: candidate(`${family}:${model}`, {
      family,
      model,
      baseUrl,
      ...(family === 'openai' || family === 'azure' || family === 'gemini' || family === 'vertex'
        ? { kind: family }
        : {}),
    }),
    idOf: (n) => `call_${hex(n, 24)}`,
    hasOwnIds: true,
    rules: {},
    signer: family,
    ...rest,
  };
}

function anthropic(kind: Candidate['kind'], baseUrl: string, signer: string): Vendor {
  const family = kind;
  return {
    candidate: candidate(`${kind}@${baseUrl}`, {
      kind,
      family,
      model: 'claude-sonnet-4-5',
      wire: 'anthropic-messages',
      baseUrl,
    }),
    idOf: (n) => `toolu_01${hex(n, 20)}`,
    hasOwnIds: true,
    rules: {},
    signer,
  };
}

const mistralIds = (n: number): string => hex(n, 9);

/** One of each. */
export const vendors: readonly Vendor[] = [
  anthropic('anthropic', 'https://api.anthropic.com', 'claude'),
  anthropic('bedrock', 'https://bedrock-runtime.us-east-1.amazonaws.com', 'claude'),
  anthropic('vertex', 'https://us-east5-aiplatform.googleapis.com/v1', 'claude'),
  anthropic('anthropic', 'https://api.third-party.example/anthropic', 'third-party'),
  openai('openai', { model: 'gpt-4.1' }),
  openai('openai', { model: 'gpt-5.4', rules: { temperatureMax: null, stopMax: 0 } }),
  openai('azure', { model: 'o4-mini', rules: { temperatureMax: null, stopMax: 0, hasParallelToolCalls: false } }),
  openai('gemini', {
    model: 'gemini-3.5-flash',
    idOf: (n) => `function-call-${n}`,
    rules: { demandsCallSignature: true, moreFields: ['extra_content'] },
  }),
  openai('vertex', { model: 'google/gemini-2.5-pro', idOf: (n) => `function-call-${n}` }),
  openai('mistral', { model: 'labs-7b', idOf: mistralIds }),
  openai('deepseek', { idOf: (n) => `call_00_${hex(n, 24)}` }),
  openai('groq', { idOf: (n) => hex(n, 9) }),
  openai('cerebras', { idOf: (n) => hex(n, 9) }),
  openai('xai', { model: 'grok-4', rules: { stopMax: 0 } }),
  openai('openrouter', {
    model: 'mistralai/devstral-medium',
    idOf: mistralIds,
    rules: { ids: /^[a-zA-Z0-9]{9}$/, userMayFollowTool: false },
  }),
  openai('vllm', { idOf: (n) => `chatcmpl-tool-${hex(n, 32)}` }),
  openai('vllm', { model: 'moonshotai/Kimi-K2', idOf: (n, i) => `functions.read:${n}-${i}` }),
  // Begins to count anew in every answer.
  openai('ollama', { idOf: (_, i) => `call_${i}`, hasOwnIds: false }),
  openai('lmstudio', { idOf: (n) => String(n + 1) }),
  openai('llamacpp', { idOf: () => '', hasOwnIds: false }),
  openai('github', { model: 'openai/gpt-4.1' }),
  openai('some-new-server', { idOf: (n) => `ünï:${n} ${'x'.repeat(n % 90)}`, hasOwnIds: false }),
];

/** The body for a vendor and the rules of that vendor that it breaks. */
export function ask(
  vendor: Vendor,
  request: ChatRequest,
): { readonly body: unknown; readonly broken: readonly string[] } {
  const { candidate: receiver, rules, signer } = vendor;
  if (receiver.wire === 'anthropic-messages') {
    const body = anthropicBody(request, receiver);
    const broken = anthropicViolations(body, {
      isOwnSignature: (signature) => signature.startsWith(`${signer}.`) || (signer !== 'claude' && signature === ''),
      takesPrefill: receiver.capabilities.prefill === true,
      takesImageUrls: receiver.kind === 'anthropic',
      takesImages: receiver.capabilities.images !== false,
      takesMoreFields: false,
    });
    return { body, broken };
  }
  const body = openaiBody(request, receiver);
  const base = openaiFamilies[receiver.family] ?? openaiFamilies.unknown;
  // A model that is said to see, at a server of mostly blind ones, takes what the wire takes.
  const { images } = receiver.capabilities;
  const seen = images === false ? 'none' : images === true && base?.images === 'none' ? 'any' : base?.images;
  const strict = base && { ...base, ...rules, images: seen ?? base.images };
  return { body, broken: openaiViolations(body, strict) };
}

/** What a vendor answers, as its reader and the engine's collector make a message of it. `n` numbers its calls. */
export async function answer(vendor: Vendor, saying: Saying, n: number): Promise<AssistantMessage> {
  const { candidate: sender, signer } = vendor;
  const ids = saying.calls.map((_, i) => vendor.idOf(n + i, i));
  const issuer = issuerOf(sender);
  const parts =
    sender.wire === 'anthropic-messages'
      ? readAll(anthropicAnswerReader(issuer), anthropicEvents(saying, ids, signer))
      : readAll(openaiAnswerReader(issuer), openaiChunks(saying, ids));
  const collected = await collectAnswer(callEvents(parts));
  if (!collected.ok) throw new Error('The answer was not collected.');
  return collected.message;
}

function readAll(reader: AnswerReader, chunks: readonly object[]): StreamPart[] {
  return chunks.flatMap((chunk) => {
    const reading = reader.read(chunk, null);
    if ('trouble' in reading) throw new Error(reading.trouble.message);
    return reading.parts;
  });
}

const SUMMARY: CallSummary = {
  requestId: 'r',
  outcome: 'answered',
  candidate: null,
  attempt: null,
  servedModel: null,
  rung: 'L0',
  attempts: 1,
  costUsd: 0,
  usage: null,
  elapsedMs: 0,
};

// eslint-disable-next-line @typescript-eslint/require-await -- the collector's input; everything is there already
async function* callEvents(parts: readonly StreamPart[]): AsyncGenerator<CallEvent> {
  yield { type: 'event', event: { parts } };
  yield { type: 'finished', summary: SUMMARY };
}

function anthropicEvents({ thinking, text, thought, calls }: Saying, ids: readonly string[], signer: string): object[] {
  const thinks = (what: string): object => ({ type: 'thinking', thinking: what, signature: signatureOf(signer, what) });
  const before: Readonly<Record<Saying['thinking'], readonly object[]>> = {
    none: [],
    plain: [thinks(thought)],
    redacted: [{ type: 'redacted_thinking', data: signatureOf(signer, thought) }],
    unsigned: [{ type: 'thinking', thinking: thought }],
    interleaved: [thinks(`${thought} first`), thinks('')],
    only: [thinks(thought)],
  };
  const said =
    thinking === 'only'
      ? []
      : [
          ...(text === '' ? [] : [{ type: 'text', text }]),
          ...(thinking === 'interleaved' ? [thinks(`${thought} second`)] : []),
          ...calls.map(({ name, argsText }, i) => ({
            type: 'tool_use',
            id: ids[i],
            name,
            input: JSON.parse(argsText) as object,
          })), // Written by the test.
        ];
  return [
    { type: 'message_start', message: { id: 'm', content: [] } },
    ...[...before[thinking], ...said].flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ];
}

function openaiChunks({ thinking, text, thought, calls }: Saying, ids: readonly string[]): object[] {
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    id: 'r',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const isOnly = thinking === 'only';
  return [
    ...(thinking === 'none' ? [] : [chunk({ reasoning_content: thought })]),
    ...(text === '' || isOnly ? [] : [chunk({ content: text })]),
    ...(isOnly ? [] : calls).map(({ name, argsText }, index) =>
      chunk({ tool_calls: [{ index, id: ids[index], type: 'function', function: { name, arguments: argsText } }] }),
    ),
    chunk({}, calls.length > 0 && !isOnly ? 'tool_calls' : 'stop'),
  ];
}
