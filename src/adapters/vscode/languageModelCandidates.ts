// VS Code's own models (Copilot's and those of any other extension) as candidates: one attempt is one `sendRequest`. The API
// tells neither usage nor why a model stopped: an answer whose stream ends well has stopped, one that calls tools waits for
// them. Belay's own models are never asked, neither directly nor through somebody who asks Belay (loopGuard).
import type * as vscode from 'vscode';
import type { Candidate } from '../../core/candidate.ts';
import type { ChatRequest, StreamPart } from '../../core/chat.ts';
import type { StreamPhase } from '../../core/faults/fault.ts';
import type { ProviderEvent, ProviderPort } from '../../engine/ports.ts';
import { TROUBLE_CODES } from '../providers/trouble.ts';
import { editorObservation, editorTrouble, partsOfAnswer } from './editorAnswer.ts';
import { editorRequest, type EditorRequest, type MessageClasses } from './editorMessages.ts';
import type { LoopGuard } from './loopGuard.ts';

/** The part of VS Code that is needed. */
export type EditorApi = MessageClasses & {
  readonly lm: Pick<typeof vscode.lm, 'selectChatModels'>;
  readonly CancellationTokenSource: typeof vscode.CancellationTokenSource;
};

/** What the port is made from. `justification` is shown where VS Code asks the person for consent. */
export interface EditorModelsOptions {
  readonly api: EditorApi;
  readonly guard: LoopGuard;
  readonly justification: string;
}

/** Belay's own vendor, and the family of its models wherever they turn up. */
const OWN = 'belay';
/** The models' own counter costs a message to another process for each message: it is asked only near the limit. */
const COUNT_FROM_SHARE = 0.6;
const CHARS_PER_TOKEN = 4;

/** The port for candidates of path `editor`. */
export function editorModels(options: EditorModelsOptions): ProviderPort {
  return {
    stream: (request, candidate, signal, _attemptId, tellSent) =>
      attempt(options, request, candidate, signal, tellSent ?? (() => undefined)),
  };
}

async function* attempt(
  { api, guard, justification }: EditorModelsOptions,
  request: ChatRequest,
  candidate: Candidate,
  signal: AbortSignal,
  tellSent: (isSent: boolean) => void,
): AsyncGenerator<ProviderEvent, void, undefined> {
  tellSent(false);
  const source = new api.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  let phase: StreamPhase = 'before_headers';
  let release = (): void => undefined;
  try {
    if (signal.aborted) return;
    if (isOwn(candidate.domains.vendor) || guard.isLoop(request)) {
      yield { failed: loopTrouble(candidate) };
      return;
    }
    release = guard.sent(request);
    const model = await unlessAborted(modelOf(api, candidate, request.model), signal);
    if (!model) {
      yield { failed: missingModel(candidate) };
      return;
    }
    const asked = editorRequest(api, request, candidate);
    const excess = await unlessAborted(excessOf(model, asked, source.token), signal);
    if (excess !== null) {
      yield { failed: editorTrouble('context_length_exceeded', excess, 'before_headers') };
      return;
    }
    // From here on it is in other hands: whether it has left the machine cannot be seen.
    tellSent(true);
    const response = await unlessAborted(
      model.sendRequest(asked.messages, { ...asked.options, justification }, source.token),
      signal,
    );
    phase = 'before_first_token';
    for await (const parts of answerParts(response, model, asked, signal)) {
      phase = parts.some(({ type }) => type === 'finish') ? 'after_finish' : 'mid_stream';
      yield { parts };
    }
    if (phase !== 'after_finish')
      yield {
        failed: editorTrouble(TROUBLE_CODES.emptyAnswer, 'The answer has neither text nor a tool call.', phase),
      };
  } catch (error) {
    if (!signal.aborted) yield { failed: editorObservation(error, phase) };
  } finally {
    signal.removeEventListener('abort', cancel);
    release();
    source.cancel();
    source.dispose();
  }
}

/** Parts as they come, opened by who answers and closed by the finish; nothing at all where the answer is empty. */
async function* answerParts(
  response: vscode.LanguageModelChatResponse,
  model: vscode.LanguageModelChat,
  { names }: EditorRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamPart[], void, undefined> {
  const opening: StreamPart = {
    type: 'response-start',
    servedModel: model.id,
    ...(model.version === '' ? {} : { fingerprint: model.version }),
  };
  let hasBegun = false;
  let hasContent = false;
  let hasCall = false;
  const stream = response.stream[Symbol.asyncIterator]();
  for (;;) {
    const next = await unlessAborted(stream.next(), signal);
    if (next.done === true) break;
    const parts = partsOfAnswer(next.value, (name) => names.original(name));
    if (parts.length === 0) continue;
    hasCall ||= parts.some(({ type }) => type === 'tool-call');
    hasContent ||= parts.some(({ type }) => type === 'tool-call' || type === 'text-delta');
    yield hasBegun ? parts : [opening, ...parts];
    hasBegun = true;
  }
  if (hasContent) yield [{ type: 'finish', reason: hasCall ? 'tool-calls' : 'stop' }];
}

/** By id, else by family; never one of Belay's own. */
async function modelOf(
  { lm }: EditorApi,
  { model, domains }: Candidate,
  askedModel: string,
): Promise<vscode.LanguageModelChat | null> {
  const name = model.replaceAll('{model}', () => askedModel);
  const models = await lm.selectChatModels({ vendor: domains.vendor });
  const others = models.filter(({ vendor, family }) => !isOwn(vendor) && !isOwn(family));
  return others.find(({ id }) => id === name) ?? others.find(({ family }) => family === name) ?? null;
}

const isOwn = (name: string): boolean => name.toLowerCase() === OWN;

/** Says that the request is too long for the model, by the model's own counter; null: it fits. */
async function excessOf(
  model: vscode.LanguageModelChat,
  { messages }: EditorRequest,
  token: vscode.CancellationToken,
): Promise<string | null> {
  const limit = model.maxInputTokens;
  if (!(limit > 0) || charsOf(messages) / CHARS_PER_TOKEN < limit * COUNT_FROM_SHARE) return null;
  const counts = await Promise.all(messages.map((message) => model.countTokens(message, token)));
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total > limit ? `The request has ${total} tokens; ${model.id} takes at most ${limit}.` : null;
}

function charsOf(messages: EditorRequest['messages']): number {
  const chars = (value: unknown): number => {
    if (typeof value === 'string') return value.length;
    if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return 0;
    return Object.values(value).reduce((sum: number, inner) => sum + chars(inner), 0);
  };
  return messages.reduce((sum, { content }) => sum + chars(content), 0);
}

function loopTrouble({ id, domains }: Candidate): ReturnType<typeof editorTrouble> {
  const who = isOwn(domains.vendor) ? 'is Belay itself' : 'answers by asking Belay again';
  return editorTrouble(
    TROUBLE_CODES.unsupportedCandidate,
    `Candidate "${id}" ${who}: the request would go in a circle. Take it out of belay.providers.`,
    'before_headers',
  );
}

function missingModel({ id, domains, model }: Candidate): ReturnType<typeof editorTrouble> {
  return editorTrouble(
    'model_not_found',
    `VS Code has no model "${model}" of vendor "${domains.vendor}" (candidate "${id}"). Sign in to it, install its extension or correct the name.`,
    'before_headers',
  );
}

/** The value, or a rejection as soon as the signal is aborted: an extension may take its time to notice. */
function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error('aborted'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).then(
      () => signal.removeEventListener('abort', abort),
      () => undefined,
    );
  });
}
