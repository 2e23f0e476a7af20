// "Belay: Import Providers": from where -> what (a list with everything chosen and, below it, what could not be taken) ->
// live models where the source names none -> keys to the secret storage, the rest to the settings, in one go at the end.
import * as vscode from 'vscode';
import type { Secrets } from '../secrets.ts';
import { completeModels } from './addProvider.ts';
import { emptyDraft, labelOf, writtenProvider, type KeyChoice, type ProviderDraft } from './draft.ts';
import { importSources, litellmSource, type ImportSource } from './importSources.ts';
import { planImport, type ImportPlan, type PlannedProvider, type PlannedRoute } from './importPlan.ts';
import { reasonWords } from './importWords.ts';
import { pickOne, pickSome, separator } from './quickInput.ts';
import { addToSettings, writtenProviders, writtenRoutes } from './writtenProviders.ts';

interface SourceItem extends vscode.QuickPickItem {
  readonly source?: ImportSource;
}

interface PlanItem extends vscode.QuickPickItem {
  readonly provider?: PlannedProvider;
  readonly route?: PlannedRoute;
}

/** Asks, shows, saves. Returns how many providers were added; 0 when the person left. */
export async function importProviders(secrets: Secrets): Promise<number> {
  const source = await askSource();
  if (!source) return 0;
  const plan = planImport(source.result, { providers: writtenProviders(), routes: writtenRoutes() });
  const chosen = await askItems(source, plan);
  if (!chosen) return 0;
  const completed = await withModels(chosen.flatMap(({ provider }) => provider ?? []));
  if (completed.length === 0) return 0;
  const ids = new Set(completed.map(({ provider }) => provider.id));
  const routes = chosen.flatMap(({ route }) => (route?.ids.every((id) => ids.has(id)) === true ? [route] : []));
  await addToSettings(secrets, {
    providers: completed.map(({ provider }) => provider),
    routes: Object.fromEntries(routes.map(({ name, route }) => [name, route])),
    keys: completed.flatMap(({ key }) => key ?? []),
  });
  void tellNext(completed.length, routes.length);
  return completed.length;
}

function title(): string {
  return vscode.l10n.t('Belay: Import Providers');
}

const NAMES: Readonly<Record<ImportSource['name'], () => string>> = {
  environment: () => vscode.l10n.t('Environment variables'),
  continue: () => 'Continue',
  cline: () => 'Cline',
  litellm: () => 'LiteLLM',
};

async function askSource(): Promise<ImportSource | null> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const found = importSources(folders).map((source): SourceItem => {
    const { providers, notes } = source.result;
    return {
      label: NAMES[source.name](),
      description: vscode.l10n.t('providers: {0}, notes: {1}', providers.length, notes.length),
      ...(source.file === null ? {} : { detail: source.file }),
      source,
    };
  });
  const answer = await pickOne<SourceItem>({
    title: title(),
    prompt: found.length === 0 ? vscode.l10n.t('Nothing was found in the usual places') : vscode.l10n.t('From where?'),
    items: [
      ...found,
      ...(found.length === 0 ? [] : [separator('')]),
      { label: vscode.l10n.t('A LiteLLM configuration …'), description: vscode.l10n.t('choose its config.yaml') },
    ],
  });
  if (answer.go !== 'next') return null;
  return answer.value.source ?? askLitellmFile();
}

async function askLitellmFile(): Promise<ImportSource | null> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: title(),
      canSelectMany: false,
      filters: { YAML: ['yaml', 'yml'] },
    })) ?? [];
  return file ? litellmSource(file.fsPath) : null;
}

async function askItems(source: ImportSource, plan: ImportPlan): Promise<readonly PlanItem[] | null> {
  const { notes } = source.result;
  const information: readonly PlanItem[] = [
    ...plan.known.map((label) => ({ label, description: vscode.l10n.t('configured already; left as it is') })),
    ...notes.map(({ entry, reason }) => ({ label: entry, description: reasonWords(reason) })),
  ];
  const group = (name: string, items: readonly PlanItem[]): readonly PlanItem[] =>
    items.length === 0 ? [] : [separator(name), ...items];
  const answer = await pickSome<PlanItem>({
    title: title(),
    prompt:
      plan.providers.length === 0
        ? vscode.l10n.t('There is nothing new to take')
        : vscode.l10n.t('What is taken? Nothing is written before you accept'),
    items: [
      ...group(vscode.l10n.t('Providers'), plan.providers.map(providerItem)),
      ...group(vscode.l10n.t('Routes'), plan.routes.map(routeItem)),
      ...group(vscode.l10n.t('For your information'), information),
    ],
    isChoosable: ({ provider, route }) => provider !== undefined || route !== undefined,
  });
  return answer.go === 'next' ? answer.value : null;
}

function providerItem(planned: PlannedProvider): PlanItem {
  const { provider, key } = planned;
  const models = provider.models.map(({ name }) => name);
  const place = provider.baseUrl ?? provider.regions?.map(({ name }) => name).join(', ');
  return {
    label: provider.id,
    description: [
      labelOf({ kind: provider.kind, ...(provider.preset === undefined ? {} : { preset: provider.preset }) }),
      ...(place === undefined ? [] : [place]),
      keyWords(planned),
    ].join(' · '),
    detail: models.length === 0 ? vscode.l10n.t('you choose its models in the next step') : models.join(', '),
    picked: true,
    provider: { ...planned, key },
  };
}

function keyWords({ provider, key }: PlannedProvider): string {
  if (key) return vscode.l10n.t('key goes to the secret storage');
  if (provider.keyEnv !== undefined) return vscode.l10n.t('key from {0}', provider.keyEnv);
  if (provider.signIn === true) return vscode.l10n.t('sign-in');
  return provider.keyless === true || provider.kind === 'vscode'
    ? vscode.l10n.t('no key')
    : vscode.l10n.t("key from the vendor's usual variable");
}

function routeItem(planned: PlannedRoute): PlanItem {
  const { name, route } = planned;
  return {
    label: name,
    description: route.order === 'listed' ? vscode.l10n.t('in this order') : vscode.l10n.t('the best goes first'),
    detail: route.candidates.join(' → '),
    picked: true,
    route: planned,
  };
}

/** Providers without models are checked live and asked about, one after the other; who leaves one leaves out that one. */
async function withModels(chosen: readonly PlannedProvider[]): Promise<readonly PlannedProvider[]> {
  const completed: PlannedProvider[] = [];
  for (const planned of chosen) {
    if (planned.provider.models.length > 0) {
      completed.push(planned);
      continue;
    }
    const draft = await completeModels(draftOf(planned));
    if (draft) completed.push({ ...planned, provider: { ...planned.provider, models: writtenProvider(draft).models } });
  }
  return completed;
}

function draftOf({ provider, key }: PlannedProvider): ProviderDraft {
  const { id, kind, preset, baseUrl, project, profile, regions } = provider;
  return {
    ...emptyDraft,
    id,
    source: { kind, ...(preset === undefined ? {} : { preset }) },
    key: keyChoice(provider, key?.key),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(project === undefined ? {} : { project }),
    ...(profile === undefined ? {} : { profile }),
    regions: regions?.map(({ name }) => name) ?? [],
  };
}

function keyChoice({ keyEnv, signIn }: PlannedProvider['provider'], key: string | undefined): KeyChoice {
  if (key !== undefined) return { how: 'stored', key };
  if (keyEnv !== undefined) return { how: 'variable', name: keyEnv };
  return signIn === true ? { how: 'sign-in' } : { how: 'none' };
}

async function tellNext(providers: number, routes: number): Promise<void> {
  const check = vscode.l10n.t('Check Providers');
  const openPanel = vscode.l10n.t('Open Panel');
  const choice = await vscode.window.showInformationMessage(
    vscode.l10n.t('Imported. Providers: {0}, routes: {1}.', providers, routes),
    check,
    openPanel,
  );
  if (choice === check) await vscode.commands.executeCommand('belay.checkProviders');
  if (choice === openPanel) await vscode.commands.executeCommand('belay.openPanel');
}
