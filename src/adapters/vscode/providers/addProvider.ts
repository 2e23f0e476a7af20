// "Belay: Add Provider": what, name, address, key or sign-in, regions, live check, models; Back at every step, and leaving
// leaves nothing. Only the last line writes: the key to the secret storage, everything else to `belay.providers`.
import * as vscode from 'vscode';
import type { Secrets } from '../secrets.ts';
import { checkLive } from './checkStep.ts';
import { emptyDraft, writtenProvider, type ProviderDraft } from './draft.ts';
import { askKey, askProfile, askProject, needsKey } from './keySteps.ts';
import { askKind } from './kindStep.ts';
import { editorVendors } from './liveCheck.ts';
import { askModels } from './modelStep.ts';
import { askAddress, askName } from './nameSteps.ts';
import { pickOne } from './quickInput.ts';
import { askRegions, hasRegions } from './regionStep.ts';
import { runSteps, type Place, type Step, type StepResult } from './steps.ts';
import { wizardTitle, type StepName } from './stepName.ts';
import { addToSettings } from './writtenProviders.ts';

const always = (): boolean => true;

const checkStep: Step<ProviderDraft, StepName> = { name: 'check', isNeeded: always, run: checkLive };
const modelStep: Step<ProviderDraft, StepName> = { name: 'models', isNeeded: always, run: askModels };

/** All steps, in order. */
const steps: readonly Step<ProviderDraft, StepName>[] = [
  { name: 'kind', isNeeded: always, run: askKind },
  { name: 'name', isNeeded: always, run: askName },
  {
    name: 'address',
    isNeeded: ({ source }) =>
      source.kind === 'azure' || (source.kind === 'openai-compatible' && source.preset === undefined),
    run: askAddress,
  },
  { name: 'vendor', isNeeded: ({ source }) => source.kind === 'vscode', run: askVendor },
  { name: 'key', isNeeded: needsKey, run: askKey },
  {
    name: 'profile',
    isNeeded: ({ source, key }) => source.kind === 'bedrock' && key.how === 'sign-in',
    run: askProfile,
  },
  { name: 'project', isNeeded: ({ source }) => source.kind === 'vertex', run: askProject },
  { name: 'regions', isNeeded: hasRegions, run: askRegions },
  checkStep,
  modelStep,
];

/** Asks, checks live, saves. Returns the id of the new provider; null when the person left. */
export async function addProvider(secrets: Secrets): Promise<string | null> {
  const draft = await runSteps(steps, emptyDraft);
  if (!draft) return null;
  const { id, account, key } = draft;
  await addToSettings(secrets, {
    providers: [writtenProvider(draft)],
    keys: key.how === 'stored' ? [{ id, account, key: key.key }] : [],
  });
  void tellNext(draft);
  return id;
}

/** Only the live check and the models, for a provider that is known otherwise; null: the person left. */
export function completeModels(draft: ProviderDraft): Promise<ProviderDraft | null> {
  return runSteps([checkStep, modelStep], draft);
}

/** Whose models of VS Code, where there are several vendors. */
async function askVendor(draft: ProviderDraft, place: Place): Promise<StepResult<ProviderDraft, StepName>> {
  const vendors = await editorVendors();
  const [only] = vendors;
  if (only === undefined || vendors.length === 1)
    return { go: 'passed', draft: only === undefined || only === 'copilot' ? draft : { ...draft, vendor: only } };
  const answer = await pickOne({
    place,
    title: wizardTitle(),
    prompt: vscode.l10n.t('Whose models of VS Code?'),
    items: vendors.map((label) => ({ label })),
  });
  return answer.go === 'next' ? { go: 'next', draft: { ...draft, vendor: answer.value.label } } : answer;
}

/** Says that it is done and what a person can do with it. */
async function tellNext({ id, models, regions }: ProviderDraft): Promise<void> {
  const openPanel = vscode.l10n.t('Open Panel');
  const openChat = vscode.l10n.t('Use in Chat');
  const addAnother = vscode.l10n.t('Add Another');
  const choice = await vscode.window.showInformationMessage(
    regions.length > 1
      ? vscode.l10n.t('{0} is ready. Models: {1}, regions: {2}.', id, models.length, regions.length)
      : vscode.l10n.t('{0} is ready. Models: {1}. A second provider or region lets Belay hedge.', id, models.length),
    openChat,
    openPanel,
    addAnother,
  );
  if (choice === openPanel) await vscode.commands.executeCommand('belay.openPanel');
  if (choice === openChat) await vscode.commands.executeCommand('workbench.action.chat.open');
  if (choice === addAnother) await vscode.commands.executeCommand('belay.addProvider');
}
