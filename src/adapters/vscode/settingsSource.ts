// Settings from VS Code's configuration: read by full name, parsed by core, problems shown as one message.
// A bad setting never stops Belay: core puts a safe value in its place and says where and why.
import * as vscode from 'vscode';
import { residencyWarnings } from '../../core/providers/check.ts';
import { parseSettings, settingDefinitions, type ParsedSettings, type SettingProblem } from '../../core/settings.ts';
import { DISCLOSURE_SETTINGS, tightenedDisclosure, type DisclosureLevel } from '../../core/settingsDisclosure.ts';

const names = Object.keys(settingDefinitions);

/** Reads and parses all settings as they are now. Of disclosure each level is read for itself: a workspace only tightens it. */
export function readSettings(): ParsedSettings {
  const configuration = vscode.workspace.getConfiguration();
  const values = Object.fromEntries(names.map((name) => [name, plain(configuration.get(name))]));
  // In a window of one folder the workspace's settings are the folder's: read twice, each rule would stand there twice.
  const folders = vscode.workspace.workspaceFile ? (vscode.workspace.workspaceFolders ?? []) : [];
  const disclosure = tightenedDisclosure(disclosureAt(configuration, 'globalValue'), [
    disclosureAt(configuration, 'workspaceValue'),
    ...folders.map(({ uri }) => disclosureAt(vscode.workspace.getConfiguration('', uri), 'workspaceFolderValue')),
  ]);
  const { settings, problems } = parseSettings({ ...values, ...disclosure.raw });
  const warnings = residencyWarnings(settings, values['belay.providers']);
  return { settings, problems: [...disclosure.problems, ...problems, ...warnings] };
}

/** The settings of disclosure as one level has them, unmerged. */
function disclosureAt(
  configuration: vscode.WorkspaceConfiguration,
  level: 'globalValue' | 'workspaceValue' | 'workspaceFolderValue',
): DisclosureLevel {
  const at = (name: string): unknown => plain(configuration.inspect<unknown>(name)?.[level]);
  const { rules, residency, scrubSecrets } = DISCLOSURE_SETTINGS;
  return { rules: at(rules), residency: at(residency), scrubSecrets: at(scrubSecrets) };
}

/** VS Code hands objects out as read-only proxies; JSON gives a plain copy. */
export function plain(value: unknown): unknown {
  if (value === undefined) return undefined;
  const copy: unknown = JSON.parse(JSON.stringify(value));
  return copy;
}

/** The setting a problem belongs to: the longest known name its path starts with. */
export function settingOf(path: string): string {
  const owners = names.filter((name) => path === name || path.startsWith(`${name}.`));
  return owners.sort((a, b) => b.length - a.length)[0] ?? 'belay';
}

/** Shows problems, each list of them once. */
export class ProblemReporter {
  #shown = '';

  /** One message for all problems, with the way to the first one's setting. Says nothing when nothing changed. */
  report(problems: readonly SettingProblem[]): void {
    const text = JSON.stringify(problems);
    const [first] = problems;
    const isNews = text !== this.#shown;
    this.#shown = text;
    if (!first || !isNews) return;
    void this.#show(first, problems.length - 1);
  }

  async #show(first: SettingProblem, others: number): Promise<void> {
    const openSettings = vscode.l10n.t('Open Settings');
    const message =
      others === 0
        ? vscode.l10n.t('Belay cannot use the setting {0}: {1}.', first.path, first.message)
        : vscode.l10n.t(
            'Belay cannot use the setting {0}: {1}. There are {2} more problems.',
            first.path,
            first.message,
            others,
          );
    const choice = await vscode.window.showWarningMessage(message, openSettings);
    if (choice === openSettings)
      await vscode.commands.executeCommand('workbench.action.openSettings', settingOf(first.path));
  }
}
