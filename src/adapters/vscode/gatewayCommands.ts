// The gateway as a person handles it: start, stop, copy its address or token. The token is shown nowhere.
import * as vscode from 'vscode';
import type { GatewayHost } from './gatewayHost.ts';
import type { Secrets } from './secrets.ts';

/** Starts the gateway and offers to copy what an agent needs. */
export async function startGatewayCommand(gateway: GatewayHost, secrets: Secrets): Promise<void> {
  const url = await gateway.start();
  void offerAddress(vscode.l10n.t('The Belay gateway listens on {0}.', url), url, secrets);
}

/** Stops the gateway and says so. */
export async function stopGatewayCommand(gateway: GatewayHost): Promise<void> {
  await gateway.stop();
  void vscode.window.showInformationMessage(vscode.l10n.t('The Belay gateway has stopped.'));
}

/** Copies the URL or the token of the running gateway. */
export async function copyGatewayAddress(gateway: GatewayHost, secrets: Secrets): Promise<void> {
  const { url } = gateway;
  if (url === null) throw new Error(vscode.l10n.t('The gateway is not running. Use "Belay: Start Gateway".'));
  const items = [
    { label: vscode.l10n.t('Copy URL'), description: url, what: 'url' as const },
    {
      label: vscode.l10n.t('Copy Token'),
      description: vscode.l10n.t('the API key that agents send'),
      what: 'token' as const,
    },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Belay gateway') });
  if (picked) await copy(picked.what, url, secrets);
}

async function offerAddress(message: string, url: string, secrets: Secrets): Promise<void> {
  const copyUrl = vscode.l10n.t('Copy URL');
  const copyToken = vscode.l10n.t('Copy Token');
  const choice = await vscode.window.showInformationMessage(message, copyUrl, copyToken);
  if (choice !== undefined) await copy(choice === copyUrl ? 'url' : 'token', url, secrets);
}

async function copy(what: 'url' | 'token', url: string, secrets: Secrets): Promise<void> {
  await vscode.env.clipboard.writeText(what === 'url' ? url : await secrets.gatewayToken());
}
