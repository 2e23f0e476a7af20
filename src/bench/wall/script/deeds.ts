// What a conversation shows of the work so far: the tool calls in it with their results, and what those results say.
// Read from the messages alone (a wall model remembers nothing), and tolerant of histories that were cut or compressed.
import * as z from 'zod';
import type { ChatMessage } from '../../../core/chat.ts';

/** One tool call and its result. */
export interface Deed {
  readonly tool: string;
  readonly path: string;
  readonly command: string;
  readonly search: string;
  readonly replace: string;
  readonly result: string;
  readonly isError: boolean;
  /** Number of the assistant message it belongs to: calls of one number were made together. */
  readonly turn: number;
}

const argsSchema = z.object({
  path: z.string().catch(''),
  command: z.string().catch(''),
  search: z.string().catch(''),
  replace: z.string().catch(''),
});

/** All calls in order. */
export function deedsOf(messages: readonly ChatMessage[]): readonly Deed[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool'
        ? message.content.map(
            (part) =>
              [
                part.callId,
                {
                  text: part.content.map((inner) => (inner.type === 'text' ? inner.text : '')).join(''),
                  isError: part.isError,
                },
              ] as const,
          )
        : [],
    ),
  );
  return messages.flatMap((message, turn) =>
    message.role !== 'assistant'
      ? []
      : message.content.flatMap((part) => {
          if (part.type !== 'tool-call') return [];
          const result = results.get(part.id);
          const args = readArgs(part.argsText);
          return [{ tool: part.name, ...args, result: result?.text ?? '', isError: result?.isError ?? false, turn }];
        }),
  );
}

/** Whether a test run passed: from the runner's own summary, else from an exit code; `unknown` when neither is to be seen. */
export function testVerdict(deed: Deed): 'passed' | 'failed' | 'unknown' {
  // eslint-disable-next-line no-control-regex -- Test runners colour their summaries with escape sequences.
  const text = deed.result.replace(/\u001b\[[0-9;]*m/g, '');
  const failures = [...text.matchAll(/(?:ℹ|#) fail (\d+)/g)].at(-1)?.[1];
  if (failures !== undefined) return failures === '0' ? 'passed' : 'failed';
  const exit = /exit(?:ed)?["\s_-]*(?:with\s+)?(?:code|status)?["\s:=]*(\d+)/i.exec(text)?.[1];
  if (exit !== undefined) return exit === '0' ? 'passed' : 'failed';
  return deed.isError ? 'failed' : 'unknown';
}

/** Whether an edit took effect: not when it is reported as an error, or its text was not found exactly once, or it was not let through. */
export function editVerdict(deed: Deed): 'made' | 'not-found' | 'held' {
  if (/queued for review|held|refused|denied|not allowed/i.test(deed.result)) return 'held';
  return deed.isError || /not found|does not occur|no match|occurs \d+ times|exactly once/i.test(deed.result)
    ? 'not-found'
    : 'made';
}

function readArgs(argsText: string): z.infer<typeof argsSchema> {
  try {
    return argsSchema.catch({ path: '', command: '', search: '', replace: '' }).parse(JSON.parse(argsText));
  } catch {
    return { path: '', command: '', search: '', replace: '' };
  }
}
