// The one status bar item. It follows the engine's events and never starts the engine; a click opens the panel.
import * as vscode from 'vscode';
import type { DecisionEvent, Rung } from '../../core/events.ts';
import type { Disposable } from '../../engine/controller.ts';
import type { EngineHost, EngineState } from './engineHost.ts';
import { statusLines, statusLook, type StatusFacts } from './statusText.ts';

/** A burst of events is drawn once: a person does not read faster. */
const REDRAW_MS = 100;

/** The item as it is shown, for the tests of the real host. */
export interface StatusBar extends Disposable {
  readonly text: string;
}

/** Makes and shows the item. */
export function showStatusBar(host: EngineHost): StatusBar {
  const item = vscode.window.createStatusBarItem('belay.status', vscode.StatusBarAlignment.Left, 50);
  item.name = 'Belay';
  item.command = 'belay.openPanel';
  let rung: Rung = 'L0';
  let timer: NodeJS.Timeout | null = null;
  let subscription: Disposable | null = null;

  const draw = (): void => {
    timer = null;
    const { state } = host;
    const facts: StatusFacts = {
      engine: state.status,
      snapshot: state.status === 'running' ? state.engine.controller.snapshot() : null,
      rung,
    };
    const { text, severity } = statusLook(facts, vscode.l10n.t);
    item.text = text;
    item.backgroundColor =
      severity === 'none' ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
    const failure = state.status === 'failed' ? [state.message] : statusLines(facts, vscode.l10n.t);
    item.tooltip = failure.join('\n');
    item.accessibilityInformation = { label: text.replace(/^\$\([^)]*\) /, '') };
  };
  const follow = (state: EngineState): void => {
    subscription?.dispose();
    subscription = state.status === 'running' ? state.engine.controller.onDidEmit(onEvent) : null;
    draw();
  };
  const onEvent = ({ body }: DecisionEvent): void => {
    if (body.type === 'call-committed' || body.type === 'call-finished') rung = body.rung;
    timer ??= setTimeout(draw, REDRAW_MS);
  };
  const listener = host.onDidChangeState(follow);
  follow(host.state);
  item.show();

  return {
    get text() {
      return item.text;
    },
    dispose() {
      if (timer) clearTimeout(timer);
      subscription?.dispose();
      listener.dispose();
      item.dispose();
    },
  };
}
