// The steps of the script that the wall's models play on the sample task, by name. The fault schedule is keyed by them.

/** Steps that every run of the sample task passes, in order. */
export const MAIN_STEPS = [
  'list-files',
  'read-overview',
  'read-tests',
  'read-source',
  'run-tests',
  'read-log',
  'search',
  'read-callers',
  'edit-1',
  'verify-1',
  'changelog',
  'review',
  'finish',
] as const;

/** Steps after the long log was read: the context is big, so an overflow there can be mended by compressing. */
export const LONG_CONTEXT_STEPS = ['search', 'read-callers'] as const;

/** The step that the models refuse. A run asks for it by a user message that begins with `SIDE_STEP_MARK`. */
export const SIDE_STEP = 'side-step';

/** First words of the user message that asks for the side step. */
export const SIDE_STEP_MARK = 'Side step:';

/** Requests that are not part of the script: pings, summaries, a person's chat. No fault is ever scheduled for it. */
export const OTHER_STEP = 'other';

/** Edits a model makes before it gives up. */
export const EDIT_LIMIT = 5;
