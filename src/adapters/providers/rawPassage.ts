// Which bytes go with which parts on the raw path. A client may see a provider's bytes only where they say exactly what
// the parts say that Belay judges; else the event has parts alone and the client's wire is written from those.
// From the first sign of a tool call to the finish that is known only at the finish (a call may be cut, its id doubled),
// so those bytes wait for it and go as one; what a caller may see of the answer waits with them.
import type { StreamEvent, StreamPart, Wire } from '../../core/chat.ts';

/** Decides for one answer, event by event. */
export interface RawPassage {
  /** The event for `parts`; `bytes` are null where they say something else than the parts. */
  pass(parts: readonly StreamPart[], bytes: Uint8Array | null): StreamEvent;
}

/** Parts that are about the answer, not of it: they need not wait. */
const ASIDE = new Set<StreamPart['type']>(['response-start', 'tool-call-progress', 'usage']);
const ALIVE: StreamPart = { type: 'tool-call-progress', chars: 0 };

/** Starts before the first event of an answer on `wire`. */
export function rawPassage(wire: Wire): RawPassage {
  let isHolding = false;
  let parts: StreamPart[] = [];
  /** Null as soon as one event's bytes may not go out. */
  let bytes: Uint8Array[] | null = [];

  const release = (): StreamEvent => {
    const event = eventOf(wire, parts, bytes && Buffer.concat(bytes));
    isHolding = false;
    parts = [];
    bytes = [];
    return event;
  };

  return {
    pass(added, own) {
      isHolding ||= added.some(({ type }) => type === 'tool-call' || type === 'tool-call-progress');
      if (!isHolding) return eventOf(wire, added, own);
      if (own) bytes?.push(own);
      else bytes = null;
      if (added.some(({ type }) => type === 'finish')) {
        parts.push(...added);
        return release();
      }
      const aside = added.filter(({ type }) => ASIDE.has(type));
      parts.push(...added.filter(({ type }) => !ASIDE.has(type)));
      return { parts: aside.length === 0 && added.length > 0 ? [ALIVE] : aside };
    },
  };
}

function eventOf(wire: Wire, parts: readonly StreamPart[], bytes: Uint8Array | null): StreamEvent {
  return bytes === null ? { parts } : { parts, raw: { wire, bytes } };
}
