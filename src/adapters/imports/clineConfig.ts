// Cline's stored state: `globalState.json` names provider and model for planning and acting, `secrets.json` holds the keys;
// both are plain files in its data folder. What it keeps elsewhere (VS Code's secret storage) cannot be read and is a note.
// Source: the storage keys of Cline's own sources.
import { entryOf, isRecord, parseJson, recordOf, textOf, type JsonRecord } from '../providers/json.ts';
import {
  keyOf,
  nameOf,
  safeLabel,
  type ImportedEntry,
  type ImportNote,
  type KeySource,
  type NoteReason,
} from './entry.ts';
import { gather, type ImportResult } from './gather.ts';
import { clineTargets, keyOrNone, placedAt, targetOf } from './targets.ts';

/** The two files. */
export interface ClineFiles {
  readonly stateText: string;
  /** Null: there is none, or it may not be read. */
  readonly secretsText: string | null;
}

/** Where a provider's values stand: the secret, the address, and the part of the model's name after `planMode`. */
interface Place {
  readonly secret?: string;
  readonly address?: string;
  readonly model?: string;
}

const GENERIC_MODEL = 'ApiModelId';
const PLACES: Readonly<Record<string, Place>> = {
  anthropic: { secret: 'apiKey', address: 'anthropicBaseUrl' },
  openrouter: { secret: 'openRouterApiKey', model: 'OpenRouterModelId' },
  bedrock: { secret: 'awsBedrockApiKey' },
  vertex: {},
  openai: { secret: 'openAiApiKey', address: 'openAiBaseUrl', model: 'OpenAiModelId' },
  'openai-native': { secret: 'openAiNativeApiKey' },
  ollama: { secret: 'ollamaApiKey', address: 'ollamaBaseUrl', model: 'OllamaModelId' },
  lmstudio: { address: 'lmStudioBaseUrl', model: 'LmStudioModelId' },
  gemini: { secret: 'geminiApiKey', address: 'geminiBaseUrl' },
  deepseek: { secret: 'deepSeekApiKey' },
  together: { secret: 'togetherApiKey', model: 'TogetherModelId' },
  fireworks: { secret: 'fireworksApiKey', model: 'FireworksModelId' },
  mistral: { secret: 'mistralApiKey' },
  xai: { secret: 'xaiApiKey' },
  cerebras: { secret: 'cerebrasApiKey' },
  groq: { secret: 'groqApiKey', model: 'GroqModelId' },
  litellm: { secret: 'liteLlmApiKey', address: 'liteLlmBaseUrl', model: 'LiteLlmModelId' },
};

/** Providers that go through an account of Cline or of another program: there is no key that could be taken. */
const OTHER_SIGN_INS = new Set(['cline', 'claude-code', 'openai-codex', 'qwen-code', 'oca']);
const AWS_KEYS = ['awsAccessKey', 'awsSecretKey'];

/** Reads both files; never throws, whatever is in them. */
export function readCline({ stateText, secretsText }: ClineFiles): ImportResult {
  const state = recordOf(parseJson(stateText));
  if (!state)
    return gather({ entries: [], notes: [{ entry: 'Cline', reason: 'unreadable' }], routes: [], secrets: [] });
  const secrets = recordOf(parseJson(secretsText ?? '{}')) ?? {};
  const notes: ImportNote[] = [];
  const entries: ImportedEntry[] = [];
  for (const mode of ['act', 'plan'] as const) {
    const provider = textOf(state[`${mode}ModeApiProvider`]);
    if (provider === undefined) continue;
    const label = `${safeLabel(provider)} (${mode})`;
    const read = readMode(state, secrets, mode, provider);
    if (typeof read === 'string') notes.push({ entry: label, reason: read });
    else entries.push({ ...read, label });
  }
  if (entries.length === 0 && notes.length === 0) notes.push({ entry: 'Cline', reason: 'no-provider' });
  return gather({
    entries,
    notes: [...notes, ...unusedKeys(secrets, state)],
    routes: [],
    secrets: Object.values(secrets).flatMap((value) => textOf(value) ?? []),
  });
}

function readMode(
  state: JsonRecord,
  secrets: JsonRecord,
  mode: 'act' | 'plan',
  provider: string,
): Omit<ImportedEntry, 'label'> | NoteReason {
  if (OTHER_SIGN_INS.has(provider)) return 'other-sign-in';
  const target = targetOf(clineTargets, provider);
  if (!target) return 'unknown-provider';
  if (target.kind === 'vscode') return editorModel(state[`${mode}ModeVsCodeLmModelSelector`]);
  const place = entryOf(PLACES, provider);
  if (!place) return 'unknown-provider';
  const placed = placedAt(target, place.address === undefined ? undefined : state[place.address]);
  if ('reason' in placed) return placed.reason;
  const model = nameOf(state[`${mode}Mode${place.model ?? GENERIC_MODEL}`]);
  if (model === undefined) return 'no-model';
  if (target.kind === 'bedrock') return bedrockModel(state, secrets, model);
  if (target.kind === 'vertex') {
    const [project, region] = [nameOf(state.vertexProjectId), nameOf(state.vertexRegion)];
    if (region === undefined) return 'no-region';
    return project === undefined ? 'no-project' : { target, model, project, region, key: { from: 'sign-in' } };
  }
  const key = keySourceOf(place.secret === undefined ? undefined : secrets[place.secret]);
  if (!key) return 'bad-key';
  return { ...placed, model, key: keyOrNone(placed.target, key) };
}

/** Key, profile or the usual order of AWS. Plain access keys belong into an AWS profile, not here. */
function bedrockModel(
  state: JsonRecord,
  secrets: JsonRecord,
  model: string,
): Omit<ImportedEntry, 'label'> | NoteReason {
  const region = nameOf(state.awsRegion);
  if (region === undefined) return 'no-region';
  const profile = nameOf(state.awsProfile);
  const common = { target: { kind: 'bedrock' }, model, region } as const;
  if (state.awsAuthentication === 'apikey') {
    const key = keySourceOf(secrets.awsBedrockApiKey);
    return key ? { ...common, key } : 'bad-key';
  }
  const usesProfile = state.awsAuthentication === 'profile' || state.awsUseProfile === true;
  if (!usesProfile && AWS_KEYS.some((name) => textOf(secrets[name]) !== undefined)) return 'cloud-keys';
  return { ...common, key: { from: 'sign-in' }, ...(usesProfile && profile !== undefined ? { profile } : {}) };
}

function editorModel(selector: unknown): Omit<ImportedEntry, 'label'> | NoteReason {
  if (!isRecord(selector)) return 'no-model';
  const model = nameOf(selector.id ?? selector.family);
  const vendor = nameOf(selector.vendor);
  if (model === undefined) return 'no-model';
  return { target: { kind: 'vscode' }, model, key: { from: 'none' }, ...(vendor === undefined ? {} : { vendor }) };
}

function keySourceOf(stored: unknown): KeySource | null {
  if (stored === undefined || stored === null || stored === '') return { from: 'usual' };
  const key = keyOf(stored);
  return key === undefined ? null : { from: 'text', key };
}

/** Providers that have a key but are not the chosen ones: which model to use is not known. */
function unusedKeys(secrets: JsonRecord, state: JsonRecord): readonly ImportNote[] {
  const chosen = new Set([state.actModeApiProvider, state.planModeApiProvider]);
  return Object.entries(PLACES).flatMap(([provider, { secret }]): ImportNote[] =>
    secret !== undefined && !chosen.has(provider) && textOf(secrets[secret]) !== undefined
      ? [{ entry: provider, reason: 'key-without-model' }]
      : [],
  );
}
