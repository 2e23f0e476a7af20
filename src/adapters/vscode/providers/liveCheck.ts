// Asks a provider, region by region, whether it works: address, key or sign-in, models, latency. No prompt is sent.
// The key is used and not kept; what comes back never holds it.
import * as vscode from 'vscode';
import type { Candidate } from '../../../core/candidate.ts';
import type { Observation } from '../../../core/faults/fault.ts';
import type { ProviderSettings } from '../../../core/settingsProviders.ts';
import { probeProvider } from '../../providers/probeProvider.ts';
import { realClock } from '../../time/realClock.ts';
import { editorTransport } from '../editorTransport.ts';
import { editorTrouble } from '../editorAnswer.ts';
import { entraSignIn } from '../entraSignIn.ts';
import { checkedCandidates, type ModelChoice } from './draft.ts';

/** After so long a provider counts as silent. */
export const CHECK_TIMEOUT_MS = 8000;

/** What one region said. `models` null: it works and cannot list any. */
export type RegionCheck = { readonly candidate: Candidate } & (
  | { readonly isGood: true; readonly models: readonly ModelChoice[] | null; readonly latencyMs: number | null }
  | { readonly isGood: false; readonly trouble: Observation }
);

/** Checks every region at the same time. `key`: null where none is stored; empty where none is wanted. */
export async function liveCheck(
  provider: ProviderSettings,
  key: string | null,
  signal: AbortSignal,
): Promise<readonly RegionCheck[]> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
  return Promise.all(
    checkedCandidates(provider).map((candidate) =>
      candidate.kind === 'vscode' ? editorCheck(candidate) : networkCheck(candidate, key, deadline),
    ),
  );
}

async function networkCheck(candidate: Candidate, key: string | null, signal: AbortSignal): Promise<RegionCheck> {
  if (key === null && candidate.auth === 'key')
    return { candidate, isGood: false, trouble: editorTrouble('belay_missing_key', '', 'before_headers') };
  const probed = await probeProvider({
    ...candidate,
    key: key ?? '',
    signIn: entraSignIn(),
    signal,
    clock: realClock(),
    transport: editorTransport(),
  });
  if (!probed.ok) return { candidate, isGood: false, trouble: probed.error };
  const { models, isListed, latencyMs } = probed.value;
  return { candidate, isGood: true, models: isListed ? models.map((name) => ({ name })) : null, latencyMs };
}

/** VS Code's own list, with the windows that it tells. Belay's models are not offered to Belay. */
async function editorCheck(candidate: Candidate): Promise<RegionCheck> {
  const models = await editorModelsOf(candidate.domains.vendor);
  if (models.length > 0) return { candidate, isGood: true, models, latencyMs: null };
  return { candidate, isGood: false, trouble: editorTrouble('model_not_found', '', 'before_headers') };
}

async function editorModelsOf(vendor: string): Promise<readonly ModelChoice[]> {
  const models = await vscode.lm.selectChatModels({ vendor });
  return models
    .filter((model) => model.vendor !== 'belay' && model.family !== 'belay')
    .map(({ id, maxInputTokens }) => ({
      name: id,
      ...(maxInputTokens >= 1024 ? { contextWindowTokens: maxInputTokens } : {}),
    }));
}

/** Vendors of VS Code's models, Belay's own left out. */
export async function editorVendors(): Promise<readonly string[]> {
  const models = await vscode.lm.selectChatModels();
  return [...new Set(models.map(({ vendor }) => vendor))].filter((vendor) => vendor !== 'belay');
}
