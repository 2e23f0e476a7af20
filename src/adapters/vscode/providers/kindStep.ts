// First question: what is added. Servers that answer on this machine come first, and keys that the environment holds are
// pointed out, so that most people choose the first or second line and are nearly done.
import * as vscode from 'vscode';
import type { ProviderKind } from '../../../core/candidate.ts';
import { kindFacts, presetFacts, presetNames, type PresetName } from '../../../core/providers/kinds.ts';
import { emptyDraft, isOwnServer, labelOf, variableOf, type ProviderDraft, type Source } from './draft.ts';
import { runningServers, usualServers, type RunningServer } from './localServers.ts';
import { pickOne, separator } from './quickInput.ts';
import type { Place, StepResult } from './steps.ts';
import { wizardTitle, type StepName } from './stepName.ts';

interface SourceItem extends vscode.QuickPickItem {
  readonly source?: Source;
}

const ROUTERS: ReadonlySet<PresetName> = new Set(['openrouter', 'litellm']);
const CLOUDS: readonly ProviderKind[] = ['azure', 'bedrock', 'vertex'];
const HOSTED: readonly ProviderKind[] = ['openai', 'anthropic', 'gemini'];

/** Asks what is added. A new answer begins a new draft. */
export async function askKind(_draft: ProviderDraft, place: Place): Promise<StepResult<ProviderDraft, StepName>> {
  const items = sourceItems();
  const answer = await pickOne<SourceItem>({
    place,
    title: wizardTitle(),
    prompt: vscode.l10n.t('Whose models? Type to search'),
    items,
    later: runningServers(usualServers).then((running) => withRunning(items, running)),
  });
  if (answer.go !== 'next') return answer;
  const { source } = answer.value;
  if (!source) return { go: 'away' };
  return {
    go: 'next',
    draft: { ...emptyDraft, source, ...(source.kind === 'vertex' ? { key: { how: 'sign-in' } } : {}) },
  };
}

function sourceItems(): readonly SourceItem[] {
  const presets = presetNames.map((preset): Source => ({ kind: 'openai-compatible', preset }));
  const kinds = (list: readonly ProviderKind[]): readonly Source[] => list.map((kind) => ({ kind }));
  const isRouter = ({ preset }: Source): boolean => preset !== undefined && ROUTERS.has(preset);
  return [
    separator(vscode.l10n.t('Hosted')),
    ...[...kinds(HOSTED), ...presets.filter((source) => !isOwnServer(source) && !isRouter(source))].map(sourceItem),
    separator(vscode.l10n.t('Clouds')),
    ...kinds(CLOUDS).map(sourceItem),
    separator(vscode.l10n.t('Routers')),
    ...presets.filter(isRouter).map(sourceItem),
    separator(vscode.l10n.t('On this machine')),
    ...presets.filter(isOwnServer).map(sourceItem),
    separator(vscode.l10n.t("VS Code's own and others")),
    ...kinds(['vscode', 'openai-compatible']).map(sourceItem),
  ];
}

function sourceItem(source: Source): SourceItem {
  return { label: labelOf(source), description: hintOf(source), source };
}

/** What helps to choose: a key that is there already, else where it is or how one signs in. */
function hintOf(source: Source): string {
  const variable = variableOf(source);
  if (variable !== null && (process.env[variable] ?? '') !== '') return vscode.l10n.t('key found in {0}', variable);
  if (source.preset !== undefined) return new URL(presetFacts[source.preset].baseUrl).host;
  return KIND_HINTS[source.kind]();
}

const KIND_HINTS: Readonly<Record<ProviderKind, () => string>> = {
  openai: () => 'api.openai.com',
  anthropic: () => 'api.anthropic.com',
  gemini: () => 'generativelanguage.googleapis.com',
  azure: () => vscode.l10n.t('key or Microsoft sign-in'),
  bedrock: () => vscode.l10n.t('key, AWS profile or SSO'),
  vertex: () => vscode.l10n.t('Google sign-in'),
  vscode: () => vscode.l10n.t('whatever the model picker has; no key'),
  'openai-compatible': () => vscode.l10n.t('any other server with Chat Completions'),
};

function withRunning(items: readonly SourceItem[], running: readonly RunningServer[]): readonly SourceItem[] {
  if (running.length === 0) return items;
  return [
    separator(vscode.l10n.t('Found running')),
    ...running.map(({ preset, modelCount }): SourceItem => {
      const source: Source = { kind: 'openai-compatible', preset };
      return { ...sourceItem(source), description: `${hintOf(source)} · ${vscode.l10n.t('{0} models', modelCount)}` };
    }),
    ...items,
  ];
}

/** What a kind's own sign-in is called. */
export function signInLabel(kind: ProviderKind): string {
  switch (kindFacts[kind].signIn) {
    case 'entra':
      return vscode.l10n.t('Sign in with Microsoft (Entra)');
    case 'aws':
      return vscode.l10n.t('Use an AWS profile or SSO');
    case 'google':
    case null:
      return '';
  }
}
