// Turns an observation into signals: words, numbers and yes/no facts that rules can be written about. It judges nothing.
// Structure (status, code fields, shapes) and prose are kept apart, since anybody may have written the prose.
import { familyOf } from './family.ts';
import type { Family } from './family.ts';
import { capText } from './capText.ts';
import { foldText } from './foldText.ts';
import { plainCode, readEnvelope } from './envelope.ts';
import type { Envelope } from './envelope.ts';
import { hasBrokenToolCall, hasContent, readAnswer } from './answer.ts';
import type { Observation, Operation, StreamPhase } from './fault.ts';
import { findFacts } from './facts.ts';
import type { Fact } from './facts.ts';

/** Everything the rules may ask of one observation. */
export interface Signals {
  readonly family: Family;
  readonly operation: Operation;
  readonly phase: StreamPhase | null;
  readonly status: number | null;
  /** Statuses told inside the body; `quotedStatuses` were told in prose or in JSON quoted there. */
  readonly innerStatuses: ReadonlySet<number>;
  readonly quotedStatuses: ReadonlySet<number>;
  readonly tokens: ReadonlySet<string>;
  readonly quotedTokens: ReadonlySet<string>;
  /** All prose in plain spelling (foldText.ts), escapes flattened. */
  readonly text: string;
  readonly finish: string | null;
  readonly facts: ReadonlySet<Fact>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly delays: Envelope['delays'];
  /** Something said openly that it failed: an error status, an error object, a client error. */
  readonly isExplicit: boolean;
  /** A limit stopped the reading of the body. */
  readonly isIncomplete: boolean;
}

/** Reads the signals of an observation; unknown shapes give fewer signals, never an error. */
export function readSignals(observation: Observation): Signals {
  const { clientError, httpStatus: status, operation } = observation;
  const headers = observation.headers;
  const envelope = readEnvelope(observation.body);
  const answer = readAnswer(envelope.answers);
  const finish = lower(observation.finishReason) ?? answer.finish;
  const prose = isAnswerText(observation, envelope, finish) ? [] : envelope.prose;
  const text = flatten([...prose, ...clientProse(clientError)]);
  const tokens = envelope.tokens;
  for (const word of [clientError?.code, clientError?.name, lower(headers['x-amzn-errortype'])]) {
    if (typeof word === 'string' && word !== '' && word.length < 120) tokens.add(plainCode(word));
  }
  const isHtml = /<(?:!doctype\s+html|html|head|body)\b/.test(text);
  const facts = findFacts({
    observation,
    envelope,
    answer,
    text,
    finish,
    isHtml,
    isBroken: !envelope.isStreamCut && hasBrokenToolCall(answer),
    hasContent: hasContent(answer) || (prose.length === 0 && envelope.prose.length > 0),
  });
  return {
    family: familyOf(observation.provider),
    operation,
    phase: observation.streamPhase,
    status,
    innerStatuses: envelope.statuses,
    quotedStatuses: readQuotedStatuses(text, envelope),
    tokens,
    quotedTokens: envelope.quotedTokens,
    text,
    finish,
    facts,
    headers,
    delays: envelope.delays,
    isExplicit: (status !== null && status >= 300) || clientError !== null || envelope.hasError || text !== '',
    isIncomplete: envelope.isIncomplete,
  };
}

const CLEAN_FINISHES = new Set([
  'stop',
  'end_turn',
  'stop_sequence',
  'tool_calls',
  'tool_use',
  'completed',
  'function_call',
  'eos',
]);

/** True for a stop reason by which a model says that it ended as it meant to. */
export function isCleanFinish(finish: string | null): boolean {
  return finish !== null && CLEAN_FINISHES.has(finish);
}

// A bare text under a cleanly finished 200 is what the model said, not what went wrong.
function isAnswerText(observation: Observation, envelope: Envelope, finish: string | null): boolean {
  return (
    observation.operation === 'model_read' &&
    observation.httpStatus === 200 &&
    isCleanFinish(finish) &&
    !envelope.hasError &&
    typeof observation.body === 'string'
  );
}

function clientProse(clientError: Observation['clientError']): readonly string[] {
  const message: unknown = clientError?.message;
  return typeof message === 'string' ? [capText(message).text] : [];
}

/** A word in plain spelling; what is too long for a word is none. */
function lower(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length < 200 ? foldText(value) : null;
}

// JSON in strings leaves backslashes, which hide words from the rules.
function flatten(prose: readonly string[]): string {
  const text = foldText(prose.join('\n'));
  return text.includes('\\') ? text.replace(/\\+[nrt"]?/g, ' ') : text;
}

// A status in prose: `429 Too Many Requests`, `Error code: 400 - {...}`, `last status: 429`; not `500 tokens`.
const PROSE_STATUS =
  /(?<![\w.,:/+$-]|\d )[45]\d\d(?![\w.,/%]|:\d|\s*(?:tokens?|m?s|sec|seconds?|min|minutes?|hours?|bytes?|[kmg]b|words?|char|characters?|lines?|items?|requests?|times?|files?|tests?|images?)\b)|(?<=\b(?:code|status|error|http)[:=]\s?)[45]\d\d\b/g;

function readQuotedStatuses(text: string, envelope: Envelope): ReadonlySet<number> {
  const statuses = text === '' ? null : text.match(PROSE_STATUS);
  if (statuses === null) return envelope.quotedStatuses;
  return new Set([...envelope.quotedStatuses, ...statuses.map(Number)]);
}
