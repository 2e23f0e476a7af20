// "Belay: Check Providers": the live check over everything that is configured, as a list that fills while it runs. Each
// problem names its place in the settings; choosing it leads there, or asks for the key that is wrong.
import * as vscode from 'vscode';
import { readSettings } from '../settingsSource.ts';
import type { Log } from '../log.ts';
import type { Secrets } from '../secrets.ts';
import { liveFindings, settingFindings, type CheckedProvider, type Finding } from './checkFindings.ts';
import { liveCheck } from './liveCheck.ts';
import { providerKey } from './providerKey.ts';
import { askText, separator } from './quickInput.ts';
import { namedEntries } from './writtenProviders.ts';

interface FindingItem extends vscode.QuickPickItem {
  readonly finding?: Finding;
  readonly provider?: CheckedProvider;
}

interface Found {
  readonly finding: Finding;
  readonly provider?: CheckedProvider;
}

const ICONS: Readonly<Record<Finding['rank'], string>> = { problem: 'error', doubt: 'warning', good: 'pass' };

/** Checks all, shows the result, and resolves when the list is closed or its choice is done. */
export async function checkProviders(secrets: Secrets, log: Log): Promise<void> {
  const { settings, problems } = readSettings();
  const entries = namedEntries();
  const found: Found[] = settingFindings(problems, (at) => entries.find(({ index }) => index === at)?.id).map(
    (finding) => ({ finding }),
  );
  const providers = settings.providers.filter(({ enabled }) => enabled).map(placed);
  if (providers.length === 0 && found.length === 0) {
    const add = vscode.l10n.t('Add Provider');
    const choice = await vscode.window.showInformationMessage(vscode.l10n.t('No provider is configured yet.'), add);
    if (choice === add) await vscode.commands.executeCommand('belay.addProvider');
    return;
  }
  const closed = new AbortController();
  const input = vscode.window.createQuickPick<FindingItem>();
  input.title = vscode.l10n.t('Belay: Check Providers');
  input.matchOnDescription = true;
  input.matchOnDetail = true;
  input.ignoreFocusOut = true;
  const update = (isBusy: boolean): void => {
    input.busy = isBusy;
    input.placeholder = isBusy ? vscode.l10n.t('Asking {0} providers …', providers.length) : summary(found);
    input.items = itemsOf(found);
  };
  update(true);
  const chosen = new Promise<FindingItem | undefined>((resolve) => {
    input.onDidAccept(() => resolve(input.activeItems[0]));
    input.onDidHide(() => resolve(undefined));
  });
  input.show();
  const checking = Promise.all(
    providers.map(async (provider) => {
      const key = await providerKey(secrets, provider.provider);
      if (key !== null) log.redactor.learn(key);
      const findings = liveFindings(provider, await liveCheck(provider.provider, key, closed.signal));
      if (closed.signal.aborted) return;
      found.push(...findings.map((finding) => ({ finding, provider })));
      for (const { rank, subject, text, path } of findings)
        if (rank !== 'good') log.warn(`check: ${subject}: ${text} (${path})`);
      update(true);
    }),
  ).then(() => {
    if (!closed.signal.aborted) update(false);
  });
  const item = await chosen;
  closed.abort();
  input.dispose();
  await checking;
  if (item?.finding) await mend(secrets, item.finding, item.provider);
}

/** A provider at its place in the list as it is written. */
function placed(provider: CheckedProvider['provider']): CheckedProvider {
  const entry = namedEntries().find(({ id, account }) => id === provider.id && account === provider.account);
  return { index: entry?.index ?? 0, provider };
}

function itemsOf(found: readonly Found[]): readonly FindingItem[] {
  const group = (rank: Finding['rank'], title: string): readonly FindingItem[] => {
    const members = found.filter(({ finding }) => finding.rank === rank);
    return members.length === 0 ? [] : [separator(title), ...members.map(itemOf)];
  };
  return [
    ...group('problem', vscode.l10n.t('Problems')),
    ...group('doubt', vscode.l10n.t('Doubtful')),
    ...group('good', vscode.l10n.t('Works')),
  ];
}

function itemOf({ finding, provider }: Found): FindingItem {
  const { rank, subject, text, path } = finding;
  const common = { label: `$(${ICONS[rank]}) ${subject}`, finding, ...(provider ? { provider } : {}) };
  return rank === 'good' ? { ...common, description: text } : { ...common, description: path, detail: text };
}

function summary(found: readonly Found[]): string {
  const problems = found.filter(({ finding }) => finding.rank === 'problem').length;
  return problems === 0
    ? vscode.l10n.t('Everything that is configured works.')
    : vscode.l10n.t('{0} problems. Choose one to mend it.', problems);
}

async function mend(secrets: Secrets, { mends, path }: Finding, checked: CheckedProvider | undefined): Promise<void> {
  if (mends[0] === 'key' && checked) {
    const { id, account } = checked.provider;
    const answer = await askText({
      title: vscode.l10n.t('Belay: Check Providers'),
      prompt: vscode.l10n.t('The key of {0}. It is never written to the settings.', id),
      value: '',
      isSecret: true,
      check: (text) => (text === '' ? vscode.l10n.t('This must not be empty.') : undefined),
    });
    if (answer.go === 'next') await secrets.saveKey({ id, account }, answer.value);
    return;
  }
  const setting = path.startsWith('belay.routes') ? 'belay.routes' : 'belay.providers';
  await vscode.commands.executeCommand('workbench.action.openSettingsJson', {
    revealSetting: { key: setting, edit: false },
  });
}
