// Builds observations for tests: a failed model call unless said otherwise.
import type { Fault, FaultClass, Observation } from '../../../../src/core/faults/fault.ts';
import { classify } from '../../../../src/core/faults/classify.ts';

/** An observation of a model call with nothing seen, changed by `given`. */
export function observe(given: Partial<Observation>): Observation {
  return {
    httpStatus: null,
    headers: {},
    body: null,
    clientError: null,
    streamPhase: 'before_headers',
    finishReason: null,
    operation: 'model_read',
    ...given,
  };
}

/** One row of a table test: what was seen, and the class it must get. */
export interface Row {
  readonly name: string;
  readonly seen: Partial<Observation>;
  readonly is: FaultClass;
  readonly detail?: Fault['detail'];
  readonly beside?: FaultClass;
  readonly action?: Fault['action'];
}

/** What a row expects, picked out of the fault so that a failing test shows the evidence too. */
export function verdictOf(row: Row): { readonly got: object; readonly want: object } {
  const fault = classify(observe(row.seen), 0);
  const got = {
    class: fault.class,
    ...(row.detail === undefined ? {} : { detail: fault.detail }),
    ...(row.beside === undefined ? {} : { secondary: fault.secondary }),
    ...(row.action === undefined ? {} : { action: fault.action }),
  };
  const want = {
    class: row.is,
    ...(row.detail === undefined ? {} : { detail: row.detail }),
    ...(row.beside === undefined ? {} : { secondary: row.beside }),
    ...(row.action === undefined ? {} : { action: row.action }),
  };
  return { got: { ...got, because: fault.evidence }, want: { ...want, because: fault.evidence } };
}

/** A body in OpenAI's shape. */
export function openaiBody(message: string, type: string | null = null, code: string | number | null = null): object {
  return { error: { message, type, param: null, code } };
}

/** A body in Anthropic's shape. */
export function anthropicBody(type: string, message: string): object {
  return { type: 'error', error: { type, message }, request_id: 'req_1' };
}

/** A body in Google's shape. */
export function googleBody(code: number, status: string, message: string, details: readonly object[] = []): object {
  return { error: { code, message, status, details } };
}

/** A client error. */
export function thrown(name: string, message: string, code?: string): NonNullable<Observation['clientError']> {
  return code === undefined ? { name, message } : { name, message, code };
}
