// "Belay: Add Provider": kind -> name -> address -> key -> region -> models, each step may be left with Escape.
// The key goes to the secret storage and nowhere else; everything else to `belay.providers` in the user settings.
import * as vscode from 'vscode';
import type { Environment, ProviderKind } from '../../core/candidate.ts';
import type { ListModels } from './listModels.ts';
import type { KeyOwner, Secrets } from './secrets.ts';

interface KindItem extends vscode.QuickPickItem {
  readonly api: ProviderKind;
  readonly baseUrl: string;
  readonly keyEnv: string;
}

const ACCOUNT = 'main';
const ID_FORM = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const TOTAL_STEPS = 6;
/** A short list is offered with everything chosen; a long one with nothing. */
const MOST_PRESELECTED = 6;

/** How the key comes: typed in, from an environment variable by name, or not at all. */
type KeyChoice =
  | { readonly how: 'stored'; readonly key: string }
  | { readonly how: 'environment'; readonly name: string }
  | { readonly how: 'none' };

/** Asks, checks live, saves. Returns the id of the new provider; null when the person left. */
export async function addProvider(secrets: Secrets, listModels: ListModels): Promise<string | null> {
  const kind = await askKind();
  if (!kind) return null;
  const existing = writtenProviders();
  const id = await askId(kind, ownersOf(existing));
  if (id === undefined) return null;
  const baseUrl = kind.api === 'openai-compatible' ? await askBaseUrl(kind.baseUrl) : kind.baseUrl;
  if (baseUrl === undefined) return null;
  const key = await askKey(kind);
  if (!key) return null;
  const region = await askRegion(kind);
  if (!region) return null;
  const models = await askModels(kind.api, baseUrl, key, listModels);
  if (!models) return null;

  if (key.how === 'stored') await secrets.saveKey({ id, account: ACCOUNT }, key.key);
  const provider = {
    id,
    kind: kind.api,
    ...(kind.api === 'openai-compatible' ? { baseUrl } : {}),
    ...(key.how === 'environment' ? { keyEnv: key.name } : {}),
    ...(key.how === 'none' ? { keyless: true } : {}),
    regions: [region],
    models: models.map((name) => ({ name })),
  };
  await vscode.workspace
    .getConfiguration('belay')
    .update('providers', [...existing, provider], vscode.ConfigurationTarget.Global);
  return id;
}

/** "Belay: Remove Provider Key": picks among the configured providers and forgets the key of one. */
export async function removeProviderKey(secrets: Secrets): Promise<string | null> {
  const owners = ownersOf(writtenProviders());
  const held = await Promise.all(owners.map(async (owner) => ((await secrets.key(owner)) === null ? [] : [owner])));
  const items = held.flat().map((owner) => ({ label: owner.id, description: owner.account, owner }));
  if (items.length === 0) throw new Error(vscode.l10n.t('No provider key is stored.'));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Belay: remove the key of') });
  if (!picked) return null;
  await secrets.removeKey(picked.owner);
  return picked.owner.id;
}

/** The providers exactly as they are written in the settings, bad ones included: adding must not lose what a person wrote. */
function writtenProviders(): readonly unknown[] {
  const value: unknown = JSON.parse(JSON.stringify(vscode.workspace.getConfiguration('belay').get('providers') ?? []));
  return Array.isArray(value) ? value : [];
}

function ownersOf(providers: readonly unknown[]): readonly KeyOwner[] {
  return providers.filter(isNamed).map(({ id, account }) => ({ id, account: account ?? ACCOUNT }));
}

function isNamed(value: unknown): value is { readonly id: string; readonly account?: string } {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string';
}

function title(step: number): string {
  return vscode.l10n.t('Belay: Add Provider ({0}/{1})', step, TOTAL_STEPS);
}

async function askKind(): Promise<KindItem | undefined> {
  const items: readonly KindItem[] = [
    {
      label: 'OpenAI',
      description: 'api.openai.com',
      api: 'openai',
      baseUrl: 'https://api.openai.com/v1',
      keyEnv: 'OPENAI_API_KEY',
    },
    {
      label: 'Anthropic',
      description: 'api.anthropic.com',
      api: 'anthropic',
      baseUrl: 'https://api.anthropic.com',
      keyEnv: 'ANTHROPIC_API_KEY',
    },
    {
      label: vscode.l10n.t('OpenAI compatible'),
      description: vscode.l10n.t('any server that speaks Chat Completions: a gateway, vLLM, Ollama, LM Studio'),
      api: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:11434/v1',
      keyEnv: 'OPENAI_API_KEY',
    },
  ];
  return vscode.window.showQuickPick(items, {
    title: title(1),
    placeHolder: vscode.l10n.t('Which API does it speak?'),
    ignoreFocusOut: true,
  });
}

async function askId(kind: KindItem, existing: readonly { readonly id: string }[]): Promise<string | undefined> {
  const taken = new Set(existing.map(({ id }) => id));
  const base = kind.api === 'openai-compatible' ? 'local' : kind.api;
  let suggestion: string = base;
  for (let number = 2; taken.has(suggestion); number += 1) suggestion = `${base}-${number}`;
  return vscode.window.showInputBox({
    title: title(2),
    prompt: vscode.l10n.t('Your name for it: letters, digits, dot, dash and underscore'),
    value: suggestion,
    ignoreFocusOut: true,
    validateInput: (value) => {
      if (!ID_FORM.test(value))
        return vscode.l10n.t(
          'Use letters, digits, dot, dash and underscore, at most 64, starting with a letter or digit.',
        );
      return taken.has(value) ? vscode.l10n.t('{0} is in use. Choose another name.', value) : undefined;
    },
  });
}

async function askBaseUrl(value: string): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: title(3),
    prompt: vscode.l10n.t('Its base URL, up to and with /v1'),
    value,
    ignoreFocusOut: true,
    validateInput: (text) => {
      const protocol = URL.canParse(text) ? new URL(text).protocol : '';
      return protocol === 'http:' || protocol === 'https:'
        ? undefined
        : vscode.l10n.t('Give an address that starts with http:// or https://.');
    },
  });
}

async function askKey(kind: KindItem): Promise<KeyChoice | null> {
  const items = [
    {
      label: vscode.l10n.t('Enter a key'),
      description: vscode.l10n.t('kept in the secret storage'),
      how: 'stored' as const,
    },
    { label: vscode.l10n.t('Use an environment variable'), description: kind.keyEnv, how: 'environment' as const },
    ...(kind.api === 'openai-compatible'
      ? [{ label: vscode.l10n.t('No key'), description: vscode.l10n.t('a local server'), how: 'none' as const }]
      : []),
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: title(4),
    placeHolder: vscode.l10n.t('Where does the key come from?'),
    ignoreFocusOut: true,
  });
  if (!picked) return null;
  if (picked.how === 'none') return { how: 'none' };
  const isSecret = picked.how === 'stored';
  const text = await vscode.window.showInputBox({
    title: title(4),
    prompt: isSecret
      ? vscode.l10n.t('The key of {0}. It is never written to the settings.', kind.label)
      : vscode.l10n.t('Name of the environment variable'),
    password: isSecret,
    value: isSecret ? '' : kind.keyEnv,
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() === '' ? vscode.l10n.t('This must not be empty.') : undefined),
  });
  if (text === undefined) return null;
  return isSecret ? { how: 'stored', key: text.trim() } : { how: 'environment', name: text.trim() };
}

async function askRegion(kind: KindItem): Promise<{ readonly name: string; readonly environment: Environment } | null> {
  const items: readonly (vscode.QuickPickItem & { readonly environment: Environment; readonly name: string })[] = [
    {
      label: vscode.l10n.t('Global'),
      description: vscode.l10n.t('one address for the whole world'),
      environment: 'global',
      name: 'default',
    },
    {
      label: vscode.l10n.t('Regional'),
      description: vscode.l10n.t('a region near you'),
      environment: 'regional',
      name: 'regional',
    },
    {
      label: vscode.l10n.t('Local'),
      description: vscode.l10n.t('this machine or its network'),
      environment: 'local',
      name: 'local',
    },
  ];
  const ordered = kind.api === 'openai-compatible' ? [...items].reverse() : items;
  const picked = await vscode.window.showQuickPick(ordered, {
    title: title(5),
    placeHolder: vscode.l10n.t('How far away is it?'),
    ignoreFocusOut: true,
  });
  if (!picked) return null;
  if (picked.environment === 'local') return { name: picked.name, environment: picked.environment };
  const name = await vscode.window.showInputBox({
    title: title(5),
    prompt: vscode.l10n.t('Name of the region, e.g. us-east'),
    value: picked.name,
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() === '' ? vscode.l10n.t('This must not be empty.') : undefined),
  });
  return name === undefined ? null : { name: name.trim(), environment: picked.environment };
}

async function askModels(
  kind: ProviderKind,
  baseUrl: string,
  key: KeyChoice,
  listModels: ListModels,
): Promise<readonly string[] | null> {
  const secret = key.how === 'stored' ? key.key : key.how === 'environment' ? (process.env[key.name] ?? null) : null;
  const progress = {
    location: vscode.ProgressLocation.Window,
    title: vscode.l10n.t('Asking the provider for its models'),
  };
  const listed = await vscode.window.withProgress(progress, () => listModels({ kind, baseUrl, key: secret }));
  if (listed.ok && listed.value.length > 0) {
    const items = listed.value.map((label) => ({ label, picked: listed.value.length <= MOST_PRESELECTED }));
    const picked = await vscode.window.showQuickPick(items, {
      title: title(6),
      placeHolder: vscode.l10n.t('Which models may be used?'),
      canPickMany: true,
      ignoreFocusOut: true,
    });
    return picked && picked.length > 0 ? picked.map(({ label }) => label) : null;
  }
  const reason = listed.ok ? vscode.l10n.t('it lists no models') : listed.error;
  const text = await vscode.window.showInputBox({
    title: title(6),
    prompt: vscode.l10n.t('The models could not be listed ({0}). Their names, separated by commas', reason),
    ignoreFocusOut: true,
    validateInput: (value) => (namesIn(value).length === 0 ? vscode.l10n.t('Name at least one model.') : undefined),
  });
  return text === undefined ? null : namesIn(text);
}

const namesIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
