// Under which name it is kept (a provider of its own, or another account of one that is there), and where it is.
import * as vscode from 'vscode';
import { presetFacts } from '../../../core/providers/kinds.ts';
import { addressOf } from '../../imports/entry.ts';
import { freeId } from '../../imports/gather.ts';
import { ACCOUNT, labelOf, type ProviderDraft } from './draft.ts';
import { askText, pickOne, type Asked } from './quickInput.ts';
import type { Place, StepResult } from './steps.ts';
import { wizardTitle, type StepName } from './stepName.ts';
import { namedEntries, type WrittenEntry } from './writtenProviders.ts';

type Result = Promise<StepResult<ProviderDraft, StepName>>;

const ID_FORM = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Asks for the name; where the same provider is there already, first whether this is another account of it. */
export async function askName(draft: ProviderDraft, place: Place): Result {
  const entries = namedEntries();
  const same = [...new Set(entries.filter((entry) => isSame(entry, draft)).map(({ id }) => id))];
  const owner = same.length === 0 ? null : await askOwner(same, draft, place);
  if (owner && owner.go !== 'next') return owner;
  const existing = owner?.value ?? null;
  const taken = new Set(
    existing === null
      ? entries.map(({ id }) => id)
      : entries.filter(({ id }) => id === existing).map(({ account }) => account),
  );
  const base = existing === null ? (draft.source.preset ?? draft.source.kind) : 'second';
  const answer = await askText({
    place,
    title: wizardTitle(),
    prompt:
      existing === null
        ? vscode.l10n.t('Your name for it: letters, digits, dot, dash and underscore')
        : vscode.l10n.t('Your name for this account of {0}', existing),
    value: draft.id !== '' && existing === null ? draft.id : freeId(base, taken),
    check: (text) => {
      if (!ID_FORM.test(text))
        return vscode.l10n.t(
          'Use letters, digits, dot, dash and underscore, at most 64, starting with a letter or digit.',
        );
      return taken.has(text) ? vscode.l10n.t('{0} is in use. Choose another name.', text) : undefined;
    },
  });
  if (answer.go !== 'next') return answer.go === 'back' && existing !== null ? askName(draft, place) : answer;
  const named = existing === null ? { id: answer.value, account: ACCOUNT } : { id: existing, account: answer.value };
  return { go: 'next', draft: { ...draft, ...named } };
}

function isSame({ kind, preset }: WrittenEntry, { source }: ProviderDraft): boolean {
  return source.kind !== 'vscode' && kind === source.kind && preset === source.preset;
}

async function askOwner(ids: readonly string[], draft: ProviderDraft, place: Place): Promise<Asked<string | null>> {
  const answer = await pickOne({
    place,
    title: wizardTitle(),
    prompt: vscode.l10n.t('{0} is configured already', labelOf(draft.source)),
    items: [
      ...ids.map((id) => ({
        label: vscode.l10n.t('Another account of {0}', id),
        description: vscode.l10n.t('a second key, with limits of its own'),
        owner: id,
      })),
      { label: vscode.l10n.t('A provider of its own'), description: '', owner: null },
    ],
  });
  return answer.go === 'next' ? { go: 'next', value: answer.value.owner } : answer;
}

/** Asks for the address. */
export async function askAddress(draft: ProviderDraft, place: Place): Result {
  const { source, baseUrl } = draft;
  const usual = source.preset === undefined ? undefined : presetFacts[source.preset].baseUrl;
  const isAzure = source.kind === 'azure';
  const answer = await askText({
    place,
    title: wizardTitle(),
    prompt: isAzure ? vscode.l10n.t('The address of your resource') : vscode.l10n.t('Its base URL, up to and with /v1'),
    placeholder: isAzure ? 'https://NAME.openai.azure.com' : 'http://127.0.0.1:8000/v1',
    value: baseUrl ?? usual ?? (isAzure ? (process.env.AZURE_OPENAI_ENDPOINT ?? '') : ''),
    check: (text) =>
      addressOf(text) === undefined
        ? vscode.l10n.t('Give an address that starts with http:// or https://, without name, password or query.')
        : undefined,
  });
  if (answer.go !== 'next') return answer;
  const address = addressOf(answer.value);
  const { baseUrl: _old, ...rest } = draft;
  return { go: 'next', draft: address === undefined || address === usual ? rest : { ...rest, baseUrl: address } };
}
