// The request context of a call from VS Code's chat, which names neither task nor step (DESIGN, fixed semantics 2):
// task = hash of client and first user message, step = number of the turn, role chat.
import { createHash } from 'node:crypto';
import type { ChatRequest } from '../../core/chat.ts';
import type { RequestContext } from '../../core/context.ts';
import { foreignStep, foreignTaskText } from '../../core/foreignTask.ts';
import type { Settings } from '../../core/settings.ts';

const CLIENT = 'vscode-chat';
const HASH_CHARS = 16;

/** The context of one request that starts at `nowMs` of the clock port. */
export function chatContext(request: ChatRequest, settings: Settings, nowMs: number): RequestContext {
  const digest = createHash('sha256').update(foreignTaskText(CLIENT, request)).digest('hex');
  return {
    tenant: 'local',
    client: CLIENT,
    task: `chat-${digest.slice(0, HASH_CHARS)}`,
    step: foreignStep(request),
    role: 'chat',
    criticality: settings.criticality,
    qualityFloor: settings.advanced.qualityFloor[settings.criticality],
    deadlineMs: nowMs + settings.callDeadlineSeconds * 1000,
  };
}
