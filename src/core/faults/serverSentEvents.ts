// Splits the text of a recorded server-sent event stream (WHATWG HTML, 9.2). The live stream is parsed in the adapters;
// this one only reads what an observation kept of it.

/** A recorded stream. */
export interface RecordedStream {
  readonly events: readonly ServerSentEvent[];
  /** Lines that are no part of an event (comments too): what somebody said beside the stream. */
  readonly strayLines: readonly string[];
}

/** One event; `name` is empty for the default event. */
export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

const STARTS_LIKE_A_STREAM = /^\s*(?:(?:data|event|id|retry):|:)/;
const OTHER_FIELD = /^(event|id|retry): ?([\w.-]*)$/;

/** Reads a stream's text, or gives null when the text is no stream. A last event without its blank line counts. */
export function parseServerSentEvents(text: string): RecordedStream | null {
  if (!STARTS_LIKE_A_STREAM.test(text)) return null;
  const events: ServerSentEvent[] = [];
  const strayLines: string[] = [];
  let name = '';
  let data: string[] = [];
  const flush = (): void => {
    if (data.length > 0) events.push({ name, data: data.join('\n') });
    name = '';
    data = [];
  };
  for (const line of text.split(/\r\n|\n|\r/)) {
    const field = OTHER_FIELD.exec(line);
    if (line === '') flush();
    else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    else if (field === null) strayLines.push(line);
    else if (field[1] === 'event') name = field[2] ?? '';
  }
  flush();
  return events.length === 0 ? null : { events, strayLines };
}
