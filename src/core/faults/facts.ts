// Yes/no facts that need more than looking up a word: emptiness, truncation, broken calls, exit codes, recent history.
// Each fact is named so that a rule can ask for it; none of them decides a class by itself.
import type { Answer } from './answer.ts';
import { capText } from './capText.ts';
import type { Envelope } from './envelope.ts';
import type { Observation } from './fault.ts';

/** What may be true of an observation. */
export type Fact =
  | 'empty-answer'
  | 'empty-body'
  | 'html'
  | 'html-in-place-of-answer'
  | 'cut-json'
  | 'unfinished-stream'
  | 'stream-broke'
  | 'error-in-success'
  | 'broken-tool-call'
  | 'marked-refusal'
  | 'refusal-words'
  | 'request-over-window'
  | 'tools-rejected'
  | 'tool-error'
  | 'exit-code'
  | 'exit-timeout'
  | 'exit-not-found'
  | 'exit-not-executable'
  | 'exit-killed'
  | 'never-sent'
  | 'maybe-sent'
  | 'server-says-retry'
  | 'server-says-stop'
  | 'recently-failing'
  | 'recently-slow';

/** What facts are found from. */
export interface FactSources {
  readonly observation: Observation;
  readonly envelope: Envelope;
  readonly answer: Answer;
  readonly text: string;
  readonly finish: string | null;
  readonly isHtml: boolean;
  readonly isBroken: boolean;
  readonly hasContent: boolean;
}

/** All facts that hold. */
export function findFacts(sources: FactSources): ReadonlySet<Fact> {
  const facts = new Set<Fact>();
  for (const [fact, holds] of FACTS) if (holds(sources)) facts.add(fact);
  return facts;
}

type Test = (sources: FactSources) => boolean;

const FACTS: readonly (readonly [Fact, Test])[] = [
  ['html', ({ isHtml }) => isHtml],
  ['html-in-place-of-answer', ({ isHtml, observation }) => isHtml && isSuccess(observation)],
  ['empty-answer', isEmptyAnswer],
  ['empty-body', isEmptyBody],
  ['cut-json', isCutJson],
  ['unfinished-stream', isUnfinishedStream],
  ['stream-broke', ({ observation }) => observation.streamPhase === 'mid_stream'],
  [
    'error-in-success',
    ({ envelope, observation }) => envelope.hasError && !envelope.isToolError && isSuccess(observation),
  ],
  ['broken-tool-call', ({ isBroken }) => isBroken],
  ['marked-refusal', ({ answer }) => answer.isRefused],
  ['refusal-words', isRefusalInWords],
  ['request-over-window', isRequestOverWindow],
  [
    'tools-rejected',
    ({ envelope }) => envelope.param !== null && /^(?:tools|functions|tool_choice|input_schema)/.test(envelope.param),
  ],
  ['tool-error', ({ envelope }) => envelope.isToolError],
  ['exit-code', (sources) => exitCode(sources) !== null],
  ['exit-timeout', (sources) => exitCode(sources) === 124],
  ['exit-not-found', (sources) => exitCode(sources) === 127],
  ['exit-not-executable', (sources) => exitCode(sources) === 126],
  ['exit-killed', (sources) => [130, 137, 143].includes(exitCode(sources) ?? 0)],
  ['never-sent', isNeverSent],
  ['maybe-sent', isMaybeSent],
  ['server-says-retry', ({ observation }) => observation.headers['x-should-retry'] === 'true'],
  ['server-says-stop', ({ observation }) => observation.headers['x-should-retry'] === 'false'],
  ['recently-failing', isRecentlyFailing],
  ['recently-slow', ({ observation: { recent } }) => (recent?.requests ?? 0) >= 5 && (recent?.p95Ms ?? 0) >= 30_000],
];

function isSuccess(observation: Observation): boolean {
  return observation.httpStatus !== null && observation.httpStatus >= 200 && observation.httpStatus < 300;
}

function isQuiet({ observation, envelope }: FactSources): boolean {
  return isSuccess(observation) && observation.clientError === null && !envelope.hasError;
}

function isEmptyAnswer(sources: FactSources): boolean {
  const { answer, observation } = sources;
  if (!isQuiet(sources) || sources.hasContent || observation.operation === 'tool_read') return false;
  return answer.isAnswer
    ? answer.finish !== null || observation.streamPhase === 'after_finish'
    : isBlank(observation.body) && sources.finish !== null;
}

function isEmptyBody(sources: FactSources): boolean {
  return isQuiet(sources) && isBlank(sources.observation.body) && sources.finish === null;
}

// Comments of an event stream only keep the connection alive.
function isBlank(body: unknown): boolean {
  if (body === null || body === undefined) return true;
  if (typeof body !== 'string') return false;
  return capText(body)
    .text.split('\n')
    .every((line) => line.trim() === '' || line.startsWith(':'));
}

// A body that starts as JSON and is not: cut in transit. The declared length being larger says the same.
function isCutJson({ observation, envelope, text }: FactSources): boolean {
  const { body, headers } = observation;
  if (!isSuccess(observation) || typeof body !== 'string' || !/^\s{0,1000}[{[]/.test(body)) return false;
  const declaredBytes = Number(headers['content-length']);
  if (declaredBytes > body.length * 4) return true;
  return envelope.answers.length === 0 && text !== '' && !/[}\]]$/.test(body.slice(-1000).trimEnd());
}

function isUnfinishedStream(sources: FactSources): boolean {
  const { answer, envelope, finish, observation } = sources;
  if (!isQuiet(sources) || finish !== null) return false;
  if (envelope.isStream) return !envelope.isTerminated;
  return (
    answer.isAnswer &&
    answer.hasText &&
    observation.streamPhase !== null &&
    observation.streamPhase !== 'before_headers'
  );
}

const REFUSAL_START =
  /^\s*(?:(?:i'm|i am) (?:very |really |so )?sorry,? but i (?:can(?:'|no)?t|am (?:unable|not able))|(?:sorry|i apologi[sz]e),? (?:but )?(?:i|we) (?:can(?:'|no)?t|(?:am|are) (?:unable|not able))|i (?:can(?:'|no)?t|cannot|won't|am unable to|am not able to|must decline to) (?:help|assist|comply|provide|fulfill|continue with|engage|support|create|generate)|对不起,?，?我(?:不能|无法)|抱歉,?，?我(?:不能|无法)|很抱歉,?，?我(?:不能|无法)|我(?:不能|无法)(?:协助|帮助|提供|回答))/;

/** A short answer that is nothing but a refusal. A longer one may only quote such a sentence. */
function isRefusalInWords(sources: FactSources): boolean {
  const { answer } = sources;
  if (answer.textChars > 600 || answer.hasWholeToolCall || answer.toolArguments.size > 0) return false;
  return answer.hasText && REFUSAL_START.test(answer.head.replace(/’/g, "'"));
}

const WINDOW_NUMBERS = /limit:? ?([\d,]{1,12})\b.{0,60}?\b(?:requested|requires?):? ?([\d,]{1,12})/;

// `Limit 5000, Requested 5200`: even an empty window could not take it.
function isRequestOverWindow({ text }: FactSources): boolean {
  if (!text.includes('requested')) return false;
  const match = WINDOW_NUMBERS.exec(text);
  if (match === null) return false;
  const limit = Number(match[1]?.replaceAll(',', ''));
  const requested = Number(match[2]?.replaceAll(',', ''));
  return limit > 0 && requested > limit;
}

const EXIT_IN_TEXT = /(?:exit(?:ed)?(?: with)?(?: code| status)?|exit_code)[: =]+(\d{1,3})\b/;

/** The non-zero exit code of a command that a tool ran. */
function exitCode({ envelope, observation, text }: FactSources): number | null {
  if (observation.operation === 'model_read') return null;
  if (envelope.exitCode !== null) return envelope.exitCode === 0 ? null : envelope.exitCode;
  const code = Number(EXIT_IN_TEXT.exec(text)?.[1] ?? 0);
  return code === 0 ? null : code;
}

const NEVER_SENT_CODES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

// The connection never came to be, so that nothing can have happened. Only the code says so: a message is anybody's, and
// where a body came, somebody answered.
function isNeverSent({ observation }: FactSources): boolean {
  const { clientError, httpStatus, streamPhase, body } = observation;
  if (clientError === null || httpStatus !== null || !isBlank(body)) return false;
  if (streamPhase !== null && streamPhase !== 'before_headers') return false;
  return (
    typeof clientError.code === 'string' &&
    clientError.code.length < 40 &&
    NEVER_SENT_CODES.has(clientError.code.toUpperCase())
  );
}

/** A client error without a complete HTTP answer, after which a request may have been carried out. */
function isMaybeSent(sources: FactSources): boolean {
  const { clientError, httpStatus } = sources.observation;
  return clientError !== null && (httpStatus === null || isSuccess(sources.observation)) && !isNeverSent(sources);
}

// Nearly everything of late failed, and not because of rate limits: no transient hiccup any more.
function isRecentlyFailing({ observation: { recent } }: FactSources): boolean {
  if (recent === undefined || !(recent.requests >= 5)) return false;
  return (recent.errors - recent.rateLimited) / recent.requests >= 0.8;
}
