// An answer of a wall model, cut into the small pieces it is sent in, each with its size in tokens.
// Tokens are characters / 4, rounded up per piece; the same count is billed, reported as usage, and limited by max tokens.

/** Characters of a token, for prompts and answers alike. */
const CHARS_PER_TOKEN = 4;

/** Tokens of one piece: a real vendor sends a few tokens an event. */
const PIECE_TOKENS = 3;

/** What the script says: words, then calls; or a refusal. */
export interface ScriptAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
  /** The model's reason for declining; `null` when it does not decline. */
  readonly refusal: string | null;
}

export type AnswerPiece =
  | { readonly type: 'text'; readonly text: string; readonly tokens: number }
  | { readonly type: 'refusal'; readonly text: string; readonly tokens: number }
  | {
      readonly type: 'call-start';
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly tokens: number;
    }
  | { readonly type: 'call-args'; readonly index: number; readonly text: string; readonly tokens: number };

export type AnswerEnd = 'stop' | 'tool-calls' | 'truncated' | 'refusal' | 'stop-sequence';

/** An answer as it goes onto a wire. */
export interface Answer {
  readonly pieces: readonly AnswerPiece[];
  readonly end: AnswerEnd;
  readonly stopSequence: string | null;
  readonly refusal: string | null;
  readonly outputTokens: number;
}

/** Tokens of `chars` characters. */
export function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** Cuts what the script says into pieces, within `maxTokens` (`null`: no limit) and up to the first of `stops`. `newId` names each call. */
export function cutAnswer(
  said: ScriptAnswer,
  maxTokens: number | null,
  stops: readonly string[],
  newId: (index: number) => string,
): Answer {
  const stopped = said.refusal === null ? firstStop(said.text, stops) : null;
  const whole: AnswerPiece[] =
    said.refusal === null
      ? [
          ...textPieces('text', stopped ? said.text.slice(0, stopped.at) : said.text),
          ...(stopped ? [] : said.calls.flatMap((call, index) => callPieces(call, index, newId(index)))),
        ]
      : textPieces('refusal', said.refusal);
  const pieces = maxTokens === null ? whole : limited(whole, maxTokens);
  const outputTokens = pieces.reduce((sum, piece) => sum + piece.tokens, 0);
  const wanted = whole.reduce((sum, piece) => sum + piece.tokens, 0);
  return {
    pieces,
    end: endOf(said, stopped !== null, outputTokens < wanted),
    stopSequence: stopped?.stop ?? null,
    refusal: said.refusal,
    outputTokens,
  };
}

/** The answer put together again, for a wire that sends it whole. */
export function assemble(pieces: readonly AnswerPiece[]): {
  readonly text: string;
  readonly refusal: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly argsText: string }[];
} {
  const textOf = (type: 'text' | 'refusal'): string =>
    pieces.map((piece) => (piece.type === type ? piece.text : '')).join('');
  const argsOf = (index: number): string =>
    pieces.map((piece) => (piece.type === 'call-args' && piece.index === index ? piece.text : '')).join('');
  const calls = pieces.flatMap((piece) =>
    piece.type === 'call-start' ? [{ id: piece.id, name: piece.name, argsText: argsOf(piece.index) }] : [],
  );
  return { text: textOf('text'), refusal: textOf('refusal'), calls };
}

function textPieces(type: 'text' | 'refusal', text: string): AnswerPiece[] {
  return slices(text).map((slice) => ({ type, text: slice, tokens: tokensOf(slice.length) }));
}

function callPieces(call: ScriptAnswer['calls'][number], index: number, id: string): AnswerPiece[] {
  return [
    { type: 'call-start', index, id, name: call.name, tokens: tokensOf(call.name.length) },
    ...slices(JSON.stringify(call.args)).map((text) => ({
      type: 'call-args' as const,
      index,
      text,
      tokens: tokensOf(text.length),
    })),
  ];
}

function slices(text: string): string[] {
  const size = PIECE_TOKENS * CHARS_PER_TOKEN;
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
}

function limited(pieces: readonly AnswerPiece[], maxTokens: number): AnswerPiece[] {
  const kept: AnswerPiece[] = [];
  let left = maxTokens;
  for (const piece of pieces) {
    if (piece.tokens > left) {
      if (left > 0 && piece.type !== 'call-start')
        kept.push({ ...piece, text: piece.text.slice(0, left * CHARS_PER_TOKEN), tokens: left });
      break;
    }
    kept.push(piece);
    left -= piece.tokens;
  }
  return kept;
}

function firstStop(text: string, stops: readonly string[]): { readonly at: number; readonly stop: string } | null {
  const found = stops.map((stop) => ({ at: text.indexOf(stop), stop })).filter(({ at }) => at >= 0);
  return found.sort((a, b) => a.at - b.at)[0] ?? null;
}

function endOf(said: ScriptAnswer, isStopped: boolean, isTruncated: boolean): AnswerEnd {
  if (isTruncated) return 'truncated';
  if (said.refusal !== null) return 'refusal';
  if (isStopped) return 'stop-sequence';
  return said.calls.length > 0 ? 'tool-calls' : 'stop';
}
