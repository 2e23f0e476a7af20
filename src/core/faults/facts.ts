// Yes/no facts that need more than looking up a word: emptiness, truncation, broken calls, exit codes, recent history.
// Each fact is named so that a rule can ask for it; none of them decides a class by itself.
import { isBlank, isQuiet, isSuccess } from './factSources.ts';
import type { FactSources } from './factSources.ts';
import { foldText } from './foldText.ts';
import { isNetworkFilterPage, isPage, isSignInPage } from './pages.ts';
import { isRefusalAnswer } from './refusalAnswer.ts';
import { isEmptyResult, isUnverifiedResult } from './toolResult.ts';
import { isInFlightBudget, isMaybeSent, isNeverSent, isToldToComeBack } from './transportFacts.ts';

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
  | 'recently-slow'
  | 'long-wait'
  | 'keep-alive-only'
  | 'told-to-come-back'
  | 'in-flight-budget'
  | 'sign-in-page'
  | 'network-filter-page'
  | 'rate-limit-page'
  | 'output-limit'
  | 'image-too-large'
  | 'says-nothing'
  | 'empty-result'
  | 'unverified-result'
  | 'output-mismatch';

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
  ['long-wait', ({ observation: { elapsedMs } }) => typeof elapsedMs === 'number' && elapsedMs >= LONG_WAIT_MS],
  ['keep-alive-only', isKeptAliveOnly],
  ['told-to-come-back', isToldToComeBack],
  ['in-flight-budget', isInFlightBudget],
  ['sign-in-page', ({ isHtml, observation, text }) => isHtml && isPage(observation.body) && isSignInPage(text)],
  [
    'network-filter-page',
    ({ isHtml, observation, text }) => isHtml && isPage(observation.body) && isNetworkFilterPage(text),
  ],
  // Cloudflare's page for a rate limit (error 1015) has the title of its pages for forbidden visitors.
  [
    'rate-limit-page',
    ({ isHtml, observation, text }) =>
      isHtml && observation.httpStatus === 429 && isPage(observation.body) && /rate limited|\b1015\b/.test(text),
  ],
  ['output-limit', isOutputLimit],
  ['image-too-large', ({ text }) => text.includes('image') && IMAGE_TOO_LARGE.test(text)],
  ['says-nothing', ({ text }) => text.length < 120 && SAYS_NOTHING.test(text)],
  ['empty-result', (sources) => isToolAnswer(sources) && isEmptyResult(sources.observation.body)],
  ['unverified-result', (sources) => isToolAnswer(sources) && isUnverifiedResult(sources.observation.body)],
  [
    'output-mismatch',
    ({ observation, text }) =>
      observation.operation !== 'model_read' && /output ?schema|structured ?content/.test(text),
  ],
];

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

/** A short answer that is nothing but a refusal. */
function isRefusalInWords({ answer }: FactSources): boolean {
  if (!answer.hasText || answer.hasWholeToolCall || answer.toolArguments.size > 0) return false;
  return isRefusalAnswer(foldText(answer.head), answer.textChars);
}

const WINDOW_NUMBERS = /limit:? ?([\d,]{1,12})\b.{0,60}?\b(?:requested|requires?):? ?~?([\d,]{1,12})/;

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

// Nearly everything of late failed, and not because of rate limits: no transient hiccup any more.
function isRecentlyFailing({ observation: { recent } }: FactSources): boolean {
  if (recent === undefined || !(recent.requests >= 5)) return false;
  return (recent.errors - recent.rateLimited) / recent.requests >= 0.8;
}

/** After so long a silence something on the way gave up waiting. */
const LONG_WAIT_MS = 60_000;
function isKeptAliveOnly(sources: FactSources): boolean {
  const { body } = sources.observation;
  return typeof body === 'string' && body.trimStart().startsWith(':') && isEmptyBody(sources);
}

// More output was asked for than the model gives: nothing of the input is too long.
function isOutputLimit({ envelope, text }: FactSources): boolean {
  if (/input tokens|prompt|messages/.test(text)) return false;
  if (envelope.param !== null && /^max_(?:completion_|output_|new_)?tokens$/.test(envelope.param)) return true;
  return /^\W{0,9}(?:invalid )?max_(?:completion_|output_|new_)?tokens\b[^\n]{0,60}?(?:must be|should be|cannot|too (?:large|high)|at most|greater than|less than|exceeds?)/.test(
    text,
  );
}

const IMAGE_TOO_LARGE =
  /\bimages?\b[^\n]{0,30}?(?:exceeds?|too (?:large|big)|larger than|(?:size|dimensions?)[^\n]{0,20}?exceed)/;

/** Sentences that name no cause at all. */
const SAYS_NOTHING =
  /^\W*(?:error:? ?)?(?:unknown(?: error)?|undefined|null|none|error|failed|failure|oops|something went wrong|(?:an? )?(?:unknown|unexpected|unspecified) (?:error|failure|problem)(?: has)?(?: occurred| happened)?|\[object object\])?\W*$/;

function isToolAnswer({ observation, envelope }: FactSources): boolean {
  return observation.operation !== 'model_read' && isSuccess(observation) && !envelope.hasError;
}
