// The panel's page: one script and two style sheets of our own, allowed by a fresh nonce and nothing else.
// No inline styles, no eval, no network: `default-src 'none'`.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The page for files under `root` (dist/webview). */
export function panelHtml(webview: vscode.Webview, root: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const address = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${address('codicon.css')}">
<link rel="stylesheet" href="${address('panel.css')}">
<title>Belay</title>
</head>
<body>
<belay-panel></belay-panel>
<script type="module" nonce="${nonce}" src="${address('panel.js')}"></script>
</body>
</html>`;
}
