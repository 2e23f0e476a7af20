// Which of its models may be used, with price and window where the catalogue knows them. What is plainly not for chat
// (embeddings, speech, pictures) stands last; nothing is hidden.
import * as vscode from 'vscode';
import { modelCatalogue } from '../../../core/catalogue/modelCatalogue.ts';
import type { ModelFacts } from '../../../core/catalogue.ts';
import { checkedCandidates, parsedProvider, type ModelChoice, type ProviderDraft } from './draft.ts';
import { askText, pickSome, separator } from './quickInput.ts';
import type { Place, StepResult } from './steps.ts';
import { wizardTitle, type StepName } from './stepName.ts';

type Result = Promise<StepResult<ProviderDraft, StepName>>;

/** A short list is offered with everything chosen; a long one with nothing. */
const MOST_PRESELECTED = 6;
const NOT_FOR_CHAT =
  /embed|whisper|transcri|tts|speech|audio|dall-e|imag(?:e|en)|moderation|rerank|realtime|sora|veo|stable-diffusion|flux|clip|guard/i;

interface ModelItem extends vscode.QuickPickItem {
  readonly model?: ModelChoice;
}

/** Asks for the models, from the live list where there is one. */
export async function askModels(draft: ProviderDraft, place: Place): Result {
  const { listed } = draft;
  return listed !== null && listed.length > 0 ? pickModels(draft, listed, place) : nameModels(draft, place);
}

async function pickModels(draft: ProviderDraft, listed: readonly ModelChoice[], place: Place): Result {
  const [candidate] = checkedCandidates(parsedProvider(draft));
  const family = candidate?.family ?? '';
  const chosen = new Set(draft.models.map(({ name }) => name));
  const known = listed.map((model) => ({ model, facts: modelCatalogue.find(family, model.name) }));
  const isForChat = ({ model }: (typeof known)[number]): boolean => !NOT_FOR_CHAT.test(model.name);
  const chat = [...known.filter(isForChat)].sort((a, b) => rankOf(a.facts) - rankOf(b.facts));
  const other = known.filter((each) => !isForChat(each));
  const isShort = chat.length <= MOST_PRESELECTED;
  const item = ({ model, facts }: (typeof known)[number], isPicked: boolean): ModelItem => ({
    label: model.name,
    description: factWords(facts, model),
    picked: chosen.size > 0 ? chosen.has(model.name) : isPicked,
    model,
  });
  const answer = await pickSome<ModelItem>({
    place,
    title: wizardTitle(),
    prompt: vscode.l10n.t('Which models may be used? {0}', latencyWords(draft)),
    items: [
      ...chat.map((each) => item(each, isShort)),
      ...(other.length === 0 ? [] : [separator(vscode.l10n.t('Probably not for chat'))]),
      ...other.map((each) => item(each, false)),
    ],
    own: (name) => ({ label: name, description: vscode.l10n.t('not in its list'), model: { name } }),
  });
  if (answer.go !== 'next') return answer;
  return { go: 'next', draft: { ...draft, models: answer.value.flatMap(({ model }) => model ?? []) } };
}

/** Models whose price is known are the vendor's current ones. */
function rankOf({ price }: ModelFacts): number {
  return price === undefined ? 1 : 0;
}

/** `$3 / $15 · 200k tokens`, as far as it is known. */
function factWords({ price, contextWindowTokens }: ModelFacts, model: ModelChoice): string {
  const window = model.contextWindowTokens ?? contextWindowTokens;
  return [
    price === undefined
      ? ''
      : vscode.l10n.t('${0} in, ${1} out per million tokens', price.inputUsdPerMTok, price.outputUsdPerMTok),
    window === undefined ? '' : vscode.l10n.t('{0}k window', Math.round(window / 1000)),
  ]
    .filter((words) => words !== '')
    .join(' · ');
}

function latencyWords({ latencies }: ProviderDraft): string {
  const regions = Object.entries(latencies).map(([region, ms]) =>
    region === 'default' ? `${Math.round(ms)} ms` : `${region} ${Math.round(ms)} ms`,
  );
  return regions.length === 0 ? '' : `(${regions.join(', ')})`;
}

/** The names as text, where there is no list. */
async function nameModels(draft: ProviderDraft, place: Place): Result {
  const isAzure = draft.source.kind === 'azure';
  const answer = await askText({
    place,
    title: wizardTitle(),
    prompt: isAzure
      ? vscode.l10n.t('The names of your deployments, separated by commas')
      : vscode.l10n.t('It lists no models. Their names, separated by commas'),
    value: draft.models.map(({ name }) => name).join(', '),
    check: (text) => (namesIn(text).length === 0 ? vscode.l10n.t('Name at least one model.') : undefined),
  });
  if (answer.go !== 'next') return answer;
  return { go: 'next', draft: { ...draft, models: namesIn(answer.value).map((name) => ({ name })) } };
}

const namesIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];
