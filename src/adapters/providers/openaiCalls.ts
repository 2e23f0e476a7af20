// Puts the tool calls of one OpenAI Chat answer together. A call is given out when the finish reason is known, never in
// pieces. Tolerates what compatible servers do (no index, one index for all, repeated ids, arguments as an object), but
// notes it: another client may put the same fragments together in another way.
import type { FinishReason, StreamPart } from '../../core/chat.ts';
import { malformed, type Fidelity } from './answerReader.ts';
import { callIds } from './callIds.ts';
import type { JsonRecord } from './json.ts';
import { countOf, isAbsent, isRecord, parseJson, textOf } from './json.ts';
import { hasNameVariant } from './jsonText.ts';

interface PendingCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  args: string;
}

/** How a fragment came: in a stream, in a whole message, or in the form of 2023. */
export type CallForm = 'stream' | 'whole' | 'function_call';

/** The calls of one answer. */
export interface OpenaiCalls {
  /** Takes one item of `tool_calls`; the part proves life. */
  add(fragment: unknown, form: CallForm): StreamPart;
  /** The calls that are whole when the answer ends for `reason`, in order. */
  take(reason: FinishReason): StreamPart[];
}

/** More calls in one answer than any model writes. */
const CALL_LIMIT = 1000;
const CALL_NAMES = new Set(['index', 'id', 'type', 'function', 'custom']);
const FUNCTION_NAMES = new Set(['name', 'arguments']);
/** Reasons for which the last call may be cut in the middle: it is no call then. */
const CUTTING = new Set<FinishReason>(['truncated', 'content-filter', 'refusal']);

/** No calls yet. `fidelity` is told where other clients could read another call. */
export function openaiCalls(fidelity: Fidelity): OpenaiCalls {
  const calls: PendingCall[] = [];
  const ids = callIds();
  const doubt = (isDoubtful: boolean): void => {
    if (isDoubtful) fidelity.isFaithful = false;
  };

  /** The call that a fragment belongs to: a known one, or null for a new one. */
  const knownCall = (index: number | undefined, id: string, form: CallForm): PendingCall | null => {
    if (form === 'whole') return null;
    const known = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
    // A new id under a known index is a new call: some servers number every call 0.
    return known && (id === '' || known.id === '' || known.id === id) ? known : null;
  };
  const newCall = (index: number | undefined): PendingCall => {
    if (calls.length >= CALL_LIMIT) throw malformed(`The answer has more than ${CALL_LIMIT} tool calls.`);
    const call = { index, id: '', name: '', args: '' };
    calls.push(call);
    return call;
  };

  return {
    add(fragment, form) {
      const { index, id, name, args, isPlain } = readFragment(fragment);
      const known = knownCall(index, id, form);
      const call = known ?? newCall(index);
      doubt(!isPlain || form === 'function_call');
      // Clients put fragments together by their index, and some append every name and id that they are told.
      if (form === 'stream')
        doubt(known ? index === undefined || id !== '' || name !== '' : index !== calls.length - 1);
      if (!known) doubt(id === '' || name === '');
      if (call.id === '') call.id = id;
      if (call.name === '') call.name = name;
      if (name !== '' && call.name !== name)
        throw malformed('A tool call changed its name while it was being written.');
      call.args += args;
      return { type: 'tool-call-progress', chars: (known ? 0 : name.length) + args.length };
    },
    take(reason) {
      return calls.splice(0).flatMap((call): StreamPart[] => {
        const argsText = call.args.trim() === '' ? '{}' : call.args;
        const id = ids.idOf(call.id);
        const isCut = CUTTING.has(reason) && parseJson(argsText) === undefined;
        doubt(isCut || id !== call.id || argsText !== call.args);
        return isCut ? [] : [{ type: 'tool-call', id, name: call.name, argsText }];
      });
    },
  };
}

interface Fragment {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly isPlain: boolean;
}

function readFragment(fragment: unknown): Fragment {
  if (!isRecord(fragment)) throw malformed('A tool call is no JSON object.');
  const { type } = fragment;
  if (!isAbsent(type) && type !== 'function' && type !== '') throw malformed('A tool call is not of type function.');
  if (!isAbsent(fragment.custom)) throw malformed('A tool call has a custom input beside its function.');
  const index = isAbsent(fragment.index) ? undefined : countOf(fragment.index);
  if (index === undefined && !isAbsent(fragment.index)) throw malformed('The index of a tool call is no whole number.');
  if (!isAbsent(fragment.function) && !isRecord(fragment.function)) throw malformed('A called function is no object.');
  const called: JsonRecord = isRecord(fragment.function) ? fragment.function : {};
  const written = called.arguments;
  if (!isAbsent(written) && typeof written !== 'string' && !isRecord(written)) {
    throw malformed('The arguments of a tool call are neither text nor an object.');
  }
  return {
    index,
    id: labelText(fragment.id, 'id'),
    name: labelText(called.name, 'name'),
    args: typeof written === 'string' ? written : isRecord(written) ? JSON.stringify(written) : '',
    isPlain: !isRecord(written) && !hasNameVariant(fragment, CALL_NAMES) && !hasNameVariant(called, FUNCTION_NAMES),
  };
}

function labelText(value: unknown, what: string): string {
  if (isAbsent(value)) return '';
  if (typeof value !== 'string') throw malformed(`The ${what} of a tool call is no text.`);
  return textOf(value) ?? '';
}
