// The entry that an effect asks for, command or edit: its key is made of the arguments as they are, all that is stored of
// them is masked. Owner and probe are filled in by the attempt, right before the effect.
import type { RequestContext } from '../core/context.ts';
import type { EffectIds, EffectLevel, Intent } from '../core/ledger/entry.ts';
import { canonicalText } from '../core/ledger/key.ts';
import { keyOf } from './effectKey.ts';

/** What an intent is made of. */
export interface IntentParts {
  readonly context: RequestContext;
  /** The tool-use id where it belongs to the key (DESIGN 4). */
  readonly toolCall: string | undefined;
  /** Where it was asked for; goes into the row, not into the key. */
  readonly ids: Partial<Omit<EffectIds, 'client'>> | undefined;
  readonly tool: string;
  readonly level: EffectLevel;
  /** The arguments as they are; with context, tool and tool call they make the key (effectKey.ts). */
  readonly args: unknown;
  /** The arguments as they may be stored: secrets masked, long texts by their hash. */
  readonly storedArgs: unknown;
  /** Masked words for a person; made one short line here. */
  readonly title: string;
  /** Files it is known to touch, relative to the workspace; masked here. */
  readonly paths: readonly string[];
  readonly redact: (text: string) => string;
  readonly nowMs: number;
}

/** The intent of an effect, without owner and probe. */
export function baseIntent(parts: IntentParts): Intent {
  const { context, toolCall, ids, tool, level, args, storedArgs, title, paths, redact, nowMs } = parts;
  const { tenant, task, step, client } = context;
  return {
    key: keyOf({ context, toolCall, tool, args }),
    tenant,
    ids: { client, call: null, attempt: null, toolCall: toolCall ?? null, ...ids },
    task,
    step,
    tool,
    level,
    argsText: canonicalText(storedArgs),
    title: titleLine(title),
    paths: paths.map((path) => redact(path).toWellFormed()),
    preparedAtMs: nowMs,
    owner: null,
    probe: null,
  };
}

const TITLE_CHARS = 120;

/** One line of at most 120 characters. */
function titleLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).toWellFormed()}…` : line;
}
