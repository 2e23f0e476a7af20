// What facts are found from, and the few questions about it that every finder of facts asks.
import type { Answer } from './answer.ts';
import { capText } from './capText.ts';
import type { Envelope } from './envelope.ts';
import type { Observation } from './fault.ts';

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

/** A 2xx. */
export function isSuccess(observation: Observation): boolean {
  return observation.httpStatus !== null && observation.httpStatus >= 200 && observation.httpStatus < 300;
}

/** A 2xx in which nothing says openly that it failed. */
export function isQuiet({ observation, envelope }: FactSources): boolean {
  return isSuccess(observation) && observation.clientError === null && !envelope.hasError;
}

/** No body, or nothing in it but blanks and the comments of an event stream that keep a connection alive. */
export function isBlank(body: unknown): boolean {
  if (body === null || body === undefined) return true;
  if (typeof body !== 'string') return false;
  return capText(body)
    .text.split('\n')
    .every((line) => line.trim() === '' || line.startsWith(':'));
}
