// The event port of the extension: decision events go to the store in batches, in order, and a line of each that matters
// to the log. Emitting never waits and never throws; a store that refuses is reported once until it takes events again.
import type { DecisionEvent, EventBody } from '../../core/events.ts';
import type { EventPort, StorePort } from '../../engine/ports.ts';
import type { Log } from './log.ts';

const FLUSH_MS = 250;
/** What waits while the store is away is bounded; the oldest go first. */
const MAX_WAITING = 10_000;

/** The port with the way to write what waits. */
export interface EventSink extends EventPort {
  /** Writes what waits; called before the store is closed. */
  flush(): Promise<void>;
}

/** Sends events to `store` and `log`. */
export function eventSink(store: StorePort, log: Log): EventSink {
  let waiting: DecisionEvent[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let isRefusing = false;

  const write = async (): Promise<void> => {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    const result = await store.appendEvents(batch);
    if (result.ok) {
      isRefusing = false;
      return;
    }
    waiting = [...batch, ...waiting].slice(-MAX_WAITING);
    if (!isRefusing) log.warn(`decision events are kept in memory only: ${result.error.message}`);
    isRefusing = true;
  };
  const flush = (): Promise<void> => {
    if (timer) clearTimeout(timer);
    timer = null;
    writing = writing.then(write).catch((error: unknown) => log.error('decision events were not written', error));
    return writing;
  };
  return {
    emit(event) {
      waiting.push(event);
      if (waiting.length > MAX_WAITING) waiting.shift();
      timer ??= setTimeout(() => void flush(), FLUSH_MS);
      const line = lineOf(event.body);
      if (line !== null) log.info(`${event.ids.call ?? event.ids.task} ${line}`);
    },
    flush,
  };
}

/** One line for the log; null for what only the panel needs. */
function lineOf(body: EventBody): string | null {
  switch (body.type) {
    case 'attempt-failed':
      return `${body.candidate} failed: ${body.fault.class} after ${Math.round(body.elapsedMs)} ms (${body.fault.evidence.join(', ')})`;
    case 'decision-made':
      return `${body.fault?.class ?? '-'} -> ${body.action} (${body.rule}): ${body.reason}${body.proposes ? `; proposed: ${body.proposes.rung} with ${body.proposes.substitute}` : ''}`;
    case 'call-finished':
      return `${body.outcome} by ${body.candidate ?? 'nobody'} at ${body.rung}, ${body.attempts} attempts, $${body.costUsd.toFixed(6)}, ${Math.round(body.elapsedMs)} ms`;
    case 'effect-changed':
      return `effect ${body.title}: ${body.from ?? 'new'} -> ${body.to} (${body.evidence})`;
    case 'effect-withheld':
      return `effect ${body.title} was not run again: ${body.reason}`;
    case 'model-changed':
      return `${body.candidate} is another model now: ${body.from} -> ${body.to} (${body.why})`;
    case 'notice':
      return `${body.severity}: ${body.message} ${body.remedy}`;
    default:
      return null;
  }
}
