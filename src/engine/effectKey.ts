// Who is the same action: the key of an effect that is asked for, and whether an entry of the ledger has the same arguments.
// Keys are made of the arguments as they are; what is stored of them is masked, so that equal stored texts may hide
// different secrets. Only the key of the other entry, made anew from the arguments at hand, can tell those apart.
import type { RequestContext } from '../core/context.ts';
import type { LedgerEntry } from '../core/ledger/entry.ts';
import { canonicalText, idempotencyKey } from '../core/ledger/key.ts';

/** What identifies an effect, before any secret is masked. */
export interface Action {
  readonly context: Pick<RequestContext, 'tenant' | 'task' | 'step'>;
  /** The tool-use id where it belongs to the key (DESIGN 4). */
  readonly toolCall: string | undefined;
  readonly tool: string;
  readonly args: unknown;
}

/** The idempotency key of an action. */
export function keyOf({ context: { tenant, task, step }, toolCall, tool, args }: Action): string {
  return idempotencyKey({ tenant, task, step: toolCall === undefined ? step : `${step}:${toolCall}`, tool, args });
}

/** Whether an entry has exactly these arguments; `argsText` is how they are stored. */
export function hasArguments({ tool, args }: Action, argsText: string): (entry: LedgerEntry) => boolean {
  const isMasked = canonicalText(args) !== argsText;
  return (entry) => {
    if (entry.argsText !== argsText || !isMasked) return entry.argsText === argsText;
    const ids = [undefined, ...(entry.ids.toolCall === null ? [] : [entry.ids.toolCall])];
    return ids.some((toolCall) => keyOf({ context: entry, toolCall, tool, args }) === entry.key);
  };
}
