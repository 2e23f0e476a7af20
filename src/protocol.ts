// What the extension and the panel say to each other. The host sends whole snapshots with a number, plus the window of
// decision events the panel asked for; the panel sends intents, which are parsed here on arrival and refused when unknown.
// The webview imports only types from this file: nothing of it is bundled there.
import * as z from 'zod';
import type { DecisionEvent } from './core/events.ts';
import type { Snapshot } from './core/snapshot.ts';

export type { DecisionEvent, EventBody, LaunchReason, RankedCandidate, Rung } from './core/events.ts';
export type { Fault, FaultClass, RecoveryAction } from './core/faults/fault.ts';
export type { EffectLevel, EntryState } from './core/ledger/entry.ts';
export type { EffectRow, LaneState, Snapshot } from './core/snapshot.ts';

/** Smallest, usual and largest window of events a panel may ask for. */
export const EVENT_WINDOW = { least: 50, usual: 200, most: 2000 } as const;

/** Whether the panel has something to show, and if not, why. */
export type PanelStatus = 'starting' | 'ready' | 'no-provider' | 'untrusted' | 'failed';

/** Everything the panel shows, at one moment. */
export interface SnapshotMessage {
  readonly type: 'snapshot';
  /** Counts up from 1 while one view lives; an older number is never drawn over a newer one. */
  readonly number: number;
  readonly status: PanelStatus;
  /** For `failed`: what happened and what to do. */
  readonly statusText: string;
  /** The host's clock, ms since the epoch, when this was made. */
  readonly nowMs: number;
  readonly snapshot: Snapshot;
  /** The last events, oldest first; at most the window that was asked for. */
  readonly events: readonly DecisionEvent[];
  /** True when a larger window would bring more. */
  readonly hasEarlier: boolean;
  /** Ids of the configured candidates, in the order of the settings. */
  readonly candidates: readonly string[];
  readonly mode: 'balanced' | 'fast' | 'literal';
  readonly gatewayUrl: string | null;
}

/** Words of the panel in the user's language, English text -> translation; sent once, before the first snapshot. */
export interface WordsMessage {
  readonly type: 'words';
  readonly language: string;
  readonly words: Readonly<Record<string, string>>;
}

export type HostMessage = SnapshotMessage | WordsMessage;

/** Commands a button of the panel may run, by the name the panel knows. */
export const panelCommands = {
  'add-provider': 'belay.addProvider',
  'start-gateway': 'belay.startGateway',
  'copy-gateway-address': 'belay.copyGatewayAddress',
  'show-log': 'belay.showLog',
  'manage-trust': 'workbench.trust.manage',
  'open-settings': 'workbench.action.openSettings',
  'open-chat': 'workbench.action.chat.open',
  'open-walkthrough': 'workbench.action.openWalkthrough',
} as const;

const commandNames = Object.keys(panelCommands).filter((name): name is keyof typeof panelCommands =>
  Object.hasOwn(panelCommands, name),
);

const intentSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('show-events'), count: z.int().min(EVENT_WINDOW.least).max(EVENT_WINDOW.most) }),
  z.strictObject({ type: z.literal('run-command'), command: z.enum(commandNames) }),
]);

/** What the panel may ask for. */
export type PanelIntent = z.infer<typeof intentSchema>;
export type PanelCommand = keyof typeof panelCommands;

/** Parses a message from the panel; null for whatever is not exactly an intent. */
export function parseIntent(message: unknown): PanelIntent | null {
  const parsed = intentSchema.safeParse(message);
  return parsed.success ? parsed.data : null;
}
