// What a task tells a person beside its decisions: that its configuration has drifted, that its table of states was about to be
// broken, and that the model refused a request beside the main line.
import type { EventBody } from '../core/events.ts';
import { configurationDrift, type TaskState } from '../core/recovery/checkpoint.ts';
import { askInTime } from './askInTime.ts';
import type { Ports } from './ports.ts';

type Notice = Extract<EventBody, { type: 'notice' }>;

/** The policy and settings that differ from those the task was saved with; null: none do. */
export function driftNotice(
  task: string,
  saved: TaskState | null,
  now: Parameters<typeof configurationDrift>[1],
): Notice | null {
  const drift = saved ? configurationDrift(saved, now) : [];
  if (drift.length === 0) return null;
  return {
    type: 'notice',
    severity: 'warning',
    message: `Configuration drift: since task ${task} was saved, ${drift.join(' and ')}.`,
    remedy: 'It goes on with the present settings; cancel it and put the old ones back if that is not wanted.',
  };
}

/** A move that table 9 does not have: a bug of Belay's. */
export function illegalMoveNotice(from: string, to: string): Notice {
  return {
    type: 'notice',
    severity: 'error',
    message: `The task was to go from ${from} to ${to}, which its table of states does not have; it stays in ${from}.`,
    remedy: 'Please report it with the exported run.',
  };
}

/** Puts a refusal before a person, at the latest until the task's deadline. Whatever the answer, the refusal stands. */
export async function askAboutRefusal(
  ports: Pick<Ports, 'approval' | 'clock'>,
  question: { readonly id: string; readonly title: string; readonly reason: string },
  deadlineMs: number,
  emit: (body: EventBody) => void,
  signal: AbortSignal,
): Promise<void> {
  const { id, title, reason } = question;
  emit({ type: 'question-asked', question: id, title, level: null });
  const asked = { id, kind: 'refusal', title, level: null, reasons: [reason], targets: [] } as const;
  const { choice, note, by } = await askInTime(ports, asked, deadlineMs - ports.clock.nowMs(), signal);
  emit({ type: 'question-answered', question: id, answer: note === '' ? choice : `${choice}: ${note}`, by });
}
