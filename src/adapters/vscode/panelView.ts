// Registers the panel's view at once; what fills it is loaded when the view is first shown.
import * as vscode from 'vscode';
import type { PanelDependencies } from './panelSession.ts';

/** Registers the view `belay.panel`. */
export function registerPanel(dependencies: PanelDependencies): vscode.Disposable {
  return vscode.window.registerWebviewViewProvider('belay.panel', {
    resolveWebviewView: async (view) => {
      const { openPanelSession } = await import('./panelSession.ts');
      openPanelSession(view, dependencies);
    },
  });
}
