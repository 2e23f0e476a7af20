// One life of the panel's webview: sends snapshots while it is visible, at most one each 100 ms, and obeys its intents.
// What the panel sends is parsed first; a message that is not an intent is refused and logged.
import * as vscode from 'vscode';
import { emptySnapshot } from '../../core/snapshot.ts';
import type { Controller, Disposable } from '../../engine/controller.ts';
import {
  EVENT_WINDOW,
  panelCommands,
  parseIntent,
  type HostMessage,
  type PanelIntent,
  type PanelStatus,
  type SnapshotMessage,
} from '../../protocol.ts';
import type { EngineHost, EngineState } from './engineHost.ts';
import type { GatewayHost } from './gatewayHost.ts';
import type { Log } from './log.ts';
import { panelHtml } from './panelHtml.ts';

/** What the panel needs of the extension. */
export interface PanelDependencies {
  readonly extensionUri: vscode.Uri;
  readonly host: EngineHost;
  readonly gateway: GatewayHost;
  readonly log: Log;
}

const SEND_MS = 100;
/** Opens the walkthrough of this extension; the other commands take no argument. */
const commandArguments: Partial<Record<keyof typeof panelCommands, unknown>> = {
  'open-settings': 'belay',
  'open-walkthrough': 'belay.belay#start',
};

/** Fills the view and serves it until it is closed. */
export function openPanelSession(
  view: vscode.WebviewView,
  { extensionUri, host, gateway, log }: PanelDependencies,
): void {
  const { webview } = view;
  const root = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
  const disposables: vscode.Disposable[] = [];
  let number = 0;
  let windowSize: number = EVENT_WINDOW.usual;
  let timer: NodeJS.Timeout | null = null;
  let isReady = false;
  let events: Disposable | null = null;

  const post = (message: HostMessage): void => void webview.postMessage(message);
  const send = (): void => {
    timer = null;
    if (!isReady || !view.visible) return;
    number += 1;
    const message = snapshotMessage(host.state, number, windowSize, gateway.url);
    view.badge = badgeOf(message);
    post(message);
  };
  const sendSoon = (): void => void (timer ??= setTimeout(send, SEND_MS));
  const follow = (state: EngineState): void => {
    events?.dispose();
    events = state.status === 'running' ? state.engine.controller.onDidEmit(sendSoon) : null;
    sendSoon();
  };
  const obey = (intent: PanelIntent): void => {
    switch (intent.type) {
      case 'ready':
        isReady = true;
        post({ type: 'words', language: vscode.env.language, words: textWords(vscode.l10n.bundle) });
        send();
        // The panel's first need of the engine; a failure is shown by the panel itself.
        if (vscode.workspace.isTrusted)
          void host.engine().catch((error: unknown) => log.error('the engine did not start', error));
        return;
      case 'show-events':
        windowSize = intent.count;
        send();
        return;
      case 'run-command':
        void vscode.commands.executeCommand(panelCommands[intent.command], commandArguments[intent.command]);
        return;
    }
  };

  webview.options = { enableScripts: true, localResourceRoots: [root] };
  disposables.push(
    webview.onDidReceiveMessage((message: unknown) => {
      const intent = parseIntent(message);
      if (intent) obey(intent);
      else log.warn('a message from the panel was refused: it is no intent');
    }),
    host.onDidChangeState(follow),
    gateway.onDidChange(sendSoon),
    view.onDidChangeVisibility(send),
    vscode.workspace.onDidGrantWorkspaceTrust(
      () => void host.engine().catch((error: unknown) => log.error('the engine did not start', error)),
    ),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('belay')) sendSoon();
    }),
  );
  view.onDidDispose(() => {
    if (timer) clearTimeout(timer);
    events?.dispose();
    vscode.Disposable.from(...disposables).dispose();
  });
  follow(host.state);
  webview.html = panelHtml(webview, root);
}

function snapshotMessage(
  state: EngineState,
  number: number,
  windowSize: number,
  gatewayUrl: string | null,
): SnapshotMessage {
  const controller = state.status === 'running' ? state.engine.controller : null;
  const found = controller?.recentEvents(windowSize + 1) ?? [];
  return {
    type: 'snapshot',
    number,
    status: statusOf(state, controller),
    statusText: state.status === 'failed' ? state.message : '',
    nowMs: state.status === 'running' ? state.engine.clock.nowMs() : 0,
    snapshot: controller?.snapshot() ?? emptySnapshot,
    events: found.slice(-windowSize),
    hasEarlier: found.length > windowSize && windowSize < EVENT_WINDOW.most,
    candidates: controller?.candidates().map(({ id }) => id) ?? [],
    mode: controller?.settings.mode ?? 'balanced',
    gatewayUrl,
  };
}

function statusOf(state: EngineState, controller: Controller | null): PanelStatus {
  if (!vscode.workspace.isTrusted) return 'untrusted';
  if (state.status === 'failed') return 'failed';
  if (!controller) return 'starting';
  return controller.candidates().length === 0 ? 'no-provider' : 'ready';
}

function badgeOf({ snapshot }: SnapshotMessage): vscode.ViewBadge | undefined {
  const value = snapshot.questions.length + snapshot.totals.unknownEffects;
  return value === 0
    ? undefined
    : { value, tooltip: vscode.l10n.t('{0} questions or unknown effects wait for you', value) };
}

/** The bundle of the user's language without its comments; empty for English. */
function textWords(
  bundle: Readonly<Record<string, string | { readonly message: string }>> | undefined,
): Record<string, string> {
  const entries = Object.entries(bundle ?? {}).map(([text, entry]): [string, string] => [
    text,
    typeof entry === 'string' ? entry : entry.message,
  ]);
  return Object.fromEntries(entries);
}
