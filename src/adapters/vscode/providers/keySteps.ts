// How its requests prove who they are: a key for the secret storage, one that the environment holds, the cloud's own
// sign-in, or nothing. A key that is typed stays in the draft until everything is written.
import * as vscode from 'vscode';
import { kindFacts } from '../../../core/providers/kinds.ts';
import { signInToEntra } from '../entraSignIn.ts';
import { awsProfiles } from './awsProfiles.ts';
import { isOwnServer, labelOf, variableOf, type KeyChoice, type ProviderDraft } from './draft.ts';
import { signInLabel } from './kindStep.ts';
import { askText, pickOne, type Asked } from './quickInput.ts';
import type { Place, StepResult } from './steps.ts';
import { wizardTitle, type StepName } from './stepName.ts';

type Result = Promise<StepResult<ProviderDraft, StepName>>;

interface KeyItem extends vscode.QuickPickItem {
  readonly how: 'stored' | 'variable' | 'found' | 'sign-in' | 'none';
}

/** Whether anything is asked: servers of this machine want no key, VS Code's models have their own sign-in, Vertex only one way. */
export function needsKey({ source }: ProviderDraft): boolean {
  return source.kind !== 'vscode' && source.kind !== 'vertex' && !isOwnServer(source);
}

/** Asks for the key or what stands in its place. */
export async function askKey(draft: ProviderDraft, place: Place): Result {
  const items = keyItems(draft);
  const picked = await pickOne({
    place,
    title: wizardTitle(),
    prompt: vscode.l10n.t('Where does the key come from?'),
    items,
  });
  if (picked.go !== 'next') return picked;
  const key = await keyBy(picked.value.how, draft, place);
  if (key.go === 'back') return askKey(draft, place);
  return key.go === 'next' ? { go: 'next', draft: { ...draft, key: key.value } } : key;
}

function keyItems({ source }: ProviderDraft): readonly KeyItem[] {
  const variable = variableOf(source);
  const isSet = variable !== null && (process.env[variable] ?? '') !== '';
  const { signIn } = kindFacts[source.kind];
  return [
    ...(isSet
      ? [
          {
            label: vscode.l10n.t('Use the key in {0}', variable),
            description: vscode.l10n.t('found'),
            how: 'found' as const,
          },
        ]
      : []),
    ...(signIn === null ? [] : [{ label: signInLabel(source.kind), how: 'sign-in' as const }]),
    {
      label: vscode.l10n.t('Enter a key'),
      description: vscode.l10n.t('kept in the secret storage, never in the settings'),
      how: 'stored' as const,
    },
    {
      label: vscode.l10n.t('Use an environment variable'),
      description: vscode.l10n.t('its name is kept, not its value'),
      how: 'variable' as const,
    },
    ...(source.kind === 'openai-compatible'
      ? [{ label: vscode.l10n.t('No key'), description: vscode.l10n.t('the server wants none'), how: 'none' as const }]
      : []),
  ];
}

async function keyBy(how: KeyItem['how'], draft: ProviderDraft, place: Place): Promise<Asked<KeyChoice>> {
  const variable = variableOf(draft.source);
  const own = { ...place, canGoBack: true };
  switch (how) {
    case 'none':
      return { go: 'next', value: { how: 'none' } };
    case 'found':
      return { go: 'next', value: { how: 'variable', name: variable ?? '' } };
    case 'sign-in':
      // Here, and only here, a window may open: a person asked for it. Without one `az login` may still do.
      if (kindFacts[draft.source.kind].signIn === 'entra') await signInToEntra();
      return { go: 'next', value: { how: 'sign-in' } };
    case 'variable': {
      const answer = await askText({
        place: own,
        title: wizardTitle(),
        prompt: vscode.l10n.t('Name of the environment variable'),
        value: draft.key.how === 'variable' ? draft.key.name : (variable ?? ''),
        check: (text) =>
          /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
            ? undefined
            : vscode.l10n.t('Give the name of a variable, e.g. {0}, not its value.', variable ?? 'MY_KEY'),
      });
      return answer.go === 'next' ? { go: 'next', value: { how: 'variable', name: answer.value } } : answer;
    }
    case 'stored': {
      const answer = await askText({
        place: own,
        title: wizardTitle(),
        prompt: vscode.l10n.t('The key of {0}. It is never written to the settings.', labelOf(draft.source)),
        value: '',
        isSecret: true,
        check: (text) =>
          text === ''
            ? vscode.l10n.t('This must not be empty.')
            : /^[\x21-\x7e]+$/.test(text)
              ? undefined
              : vscode.l10n.t('A key has no spaces and no letters with accents. Copy it again.'),
      });
      return answer.go === 'next' ? { go: 'next', value: { how: 'stored', key: answer.value } } : answer;
    }
  }
}

/** Asks which AWS profile signs the requests. */
export async function askProfile(draft: ProviderDraft, place: Place): Result {
  const answer = await pickOne({
    place,
    title: wizardTitle(),
    prompt: vscode.l10n.t('Which AWS profile?'),
    items: [
      {
        label: vscode.l10n.t('The usual order of AWS'),
        description: vscode.l10n.t('environment, default profile, SSO, role of the machine'),
        profile: '',
      },
      ...awsProfiles().map((profile) => ({ label: profile, description: '', profile })),
    ],
  });
  if (answer.go !== 'next') return answer;
  const { profile: _old, ...rest } = draft;
  const { profile } = answer.value;
  return { go: 'next', draft: profile === '' ? rest : { ...rest, profile } };
}

/** Asks which Google Cloud project pays. */
export async function askProject(draft: ProviderDraft, place: Place): Result {
  const answer = await askText({
    place,
    title: wizardTitle(),
    prompt: vscode.l10n.t('The Google Cloud project that pays'),
    value: draft.project ?? process.env.GOOGLE_CLOUD_PROJECT ?? '',
    check: (text) =>
      /^[a-z][a-z0-9.:-]{2,60}$/.test(text)
        ? undefined
        : vscode.l10n.t('Give the id of a project, e.g. my-project-123.'),
  });
  return answer.go === 'next' ? { go: 'next', draft: { ...draft, project: answer.value } } : answer;
}
