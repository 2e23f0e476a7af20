// Follows one answer from its headers to its end: in which phase it is, whether anything is in it, whether it ended as
// it should. The wire's readers say what a chunk means; this decides what may be passed on.
//
//   before_headers -> before_first_token -> mid_stream -> after_finish
//
// A second finish is dropped. Content after the finish is a trouble. A finish of an empty answer is held back, so that
// nobody takes it for an answer; a refusal needs no content.
import type { FinishReason, StreamPart } from '../../core/chat.ts';
import type { StreamPhase } from '../../core/faults/fault.ts';
import type { Reading } from './answerReader.ts';
import type { Trouble } from './trouble.ts';
import { TROUBLE_CODES, trouble } from './trouble.ts';

/** Parts that a caller can use as an answer. */
const CONTENT = new Set<StreamPart['type']>(['text-delta', 'refusal-delta', 'tool-call']);
/** Parts that prove the model is at work. */
const LIFE = new Set<StreamPart['type']>([...CONTENT, 'thinking-delta', 'tool-call-progress']);

/** Follows one answer. */
export interface AnswerTracker {
  readonly phase: StreamPhase;
  /** The provider's word for why it stopped, once it was said. */
  readonly finishReason: string | null;
  sawHeaders(): void;
  /** Part of a whole (not streamed) answer arrived, and nothing that could be read. */
  sawBody(): void;
  /** The parts that may be passed on (unfaithful to their chunk where one is held back), or what is wrong with them. */
  accept(parts: readonly StreamPart[]): Reading;
  /** What is wrong with an answer that ends now; null when it is good. */
  end(): Trouble | null;
}

/** A tracker before the request is sent. */
export function trackAnswer(): AnswerTracker {
  let phase: StreamPhase = 'before_headers';
  let finishReason: string | null = null;
  let hasParts = false;
  let hasLife = false;
  let hasContent = false;
  let isEmpty = false;

  const isAnswer = (reason: FinishReason): boolean => {
    if (hasContent || reason === 'refusal' || reason === 'content-filter') return true;
    // All tokens went into reasoning or a cut tool call; or the provider paused its own tools.
    return hasLife && (reason === 'truncated' || reason === 'other');
  };

  const acceptFinish = (part: Extract<StreamPart, { type: 'finish' }>): boolean => {
    if (phase === 'after_finish') return false;
    phase = 'after_finish';
    finishReason = part.rawReason ?? part.reason;
    isEmpty = !isAnswer(part.reason);
    return !isEmpty;
  };

  return {
    get phase() {
      return phase;
    },
    get finishReason() {
      return finishReason;
    },
    sawHeaders() {
      phase = 'before_first_token';
    },
    sawBody() {
      phase = 'mid_stream';
    },
    accept(parts) {
      let isChanged = false;
      const passed: StreamPart[] = [];
      for (const part of parts) {
        hasParts = true;
        if (part.type === 'finish') {
          if (acceptFinish(part)) passed.push(part);
          else isChanged = true;
          continue;
        }
        if (LIFE.has(part.type)) {
          if (phase === 'after_finish') {
            return {
              trouble: trouble(
                TROUBLE_CODES.contentAfterFinish,
                'The provider sent content after the end of its answer.',
              ),
            };
          }
          phase = 'mid_stream';
          hasLife = true;
          hasContent ||= CONTENT.has(part.type);
        }
        passed.push(part);
      }
      return isChanged ? { parts: passed, isFaithful: false } : { parts, isFaithful: true };
    },
    end() {
      if (isEmpty)
        return trouble(TROUBLE_CODES.emptyAnswer, 'The answer has neither text nor a tool call.', { finishReason });
      if (phase === 'after_finish') return null;
      return hasParts
        ? trouble(TROUBLE_CODES.endedEarly, 'The stream ended without its terminal marker.')
        : trouble(TROUBLE_CODES.emptyAnswer, 'The answer ended without a single event.');
    },
  };
}
