// The live check while a provider is added: every region is asked, what works goes on, and what does not is shown with the
// ways to mend it. Nothing is asked where everything works.
import * as vscode from 'vscode';
import { kindFacts } from '../../../core/providers/kinds.ts';
import { signInToEntra } from '../entraSignIn.ts';
import { goodWords, troubleWords, type Mend } from './checkWords.ts';
import { parsedProvider, type ModelChoice, type ProviderDraft } from './draft.ts';
import { liveCheck, type RegionCheck } from './liveCheck.ts';
import { pickOne, separator, whileBusy, type Asked } from './quickInput.ts';
import type { Place, StepResult } from './steps.ts';
import { wizardTitle, type StepName } from './stepName.ts';

type Result = Promise<StepResult<ProviderDraft, StepName>>;

interface CheckItem extends vscode.QuickPickItem {
  /** Absent: a line between groups. */
  readonly choice?: Mend | 'again' | 'working' | 'anyway' | 'shown';
}

/** Checks, and asks what to do where something is wrong. */
export async function checkLive(draft: ProviderDraft, place: Place): Result {
  const found = await checked(draft, place);
  if (found.go !== 'next') return found;
  const checks = found.value;
  const known = withFindings(draft, checks);
  if (checks.every(({ isGood }) => isGood)) return { go: 'passed', draft: known };
  const answer = await pickOne<CheckItem>({
    place: { ...place, canGoBack: true },
    title: wizardTitle(),
    prompt: firstTrouble(checks),
    items: [...mendItems(draft, checks), separator(vscode.l10n.t('What the check found')), ...checks.map(checkItem)],
  });
  if (answer.go !== 'next') return answer;
  const { choice = 'again' } = answer.value;
  switch (choice) {
    case 'again':
    case 'shown':
      return checkLive(draft, place);
    case 'working': {
      const regions = checks.filter(({ isGood }) => isGood).map(({ candidate }) => candidate.region);
      return { go: 'next', draft: { ...known, regions } };
    }
    case 'anyway':
      return { go: 'next', draft: known };
    case 'sign-in':
      await signInToEntra();
      return checkLive(draft, place);
    case 'key':
    case 'address':
    case 'regions':
      return { go: 'to', step: choice, draft };
  }
}

/** The check itself, which can be left. */
function checked(draft: ProviderDraft, place: Place): Promise<Asked<readonly RegionCheck[]>> {
  const { key } = draft;
  const secret = key.how === 'stored' ? key.key : key.how === 'variable' ? (process.env[key.name] ?? null) : '';
  const prompt = vscode.l10n.t('Asking {0} for its models …', draft.id);
  return whileBusy({ place, title: wizardTitle(), prompt }, (signal) =>
    liveCheck(parsedProvider(draft), secret, signal),
  );
}

function withFindings(draft: ProviderDraft, checks: readonly RegionCheck[]): ProviderDraft {
  const listed = new Map<string, ModelChoice>();
  const latencies: Record<string, number> = {};
  let isListed = false;
  for (const check of checks) {
    if (!check.isGood) continue;
    if (check.latencyMs !== null) latencies[check.candidate.region] = check.latencyMs;
    if (check.models === null) continue;
    isListed = true;
    for (const model of check.models) if (!listed.has(model.name)) listed.set(model.name, model);
  }
  return { ...draft, listed: isListed ? [...listed.values()] : null, latencies };
}

/** What a person reads first. */
function firstTrouble(checks: readonly RegionCheck[]): string {
  const bad = checks.find((check) => !check.isGood);
  return bad ? troubleWords(bad.trouble, bad.candidate).text : '';
}

function mendItems({ source, regions }: ProviderDraft, checks: readonly RegionCheck[]): readonly CheckItem[] {
  const mends = new Set(
    checks.flatMap((check) => (check.isGood ? [] : troubleWords(check.trouble, check.candidate).mends)),
  );
  const worksSomewhere = checks.some(({ isGood }) => isGood);
  const hasAddress = source.kind === 'azure' || source.kind === 'openai-compatible';
  const items: readonly (CheckItem | null)[] = [
    worksSomewhere ? { label: vscode.l10n.t('$(check) Go on with the regions that work'), choice: 'working' } : null,
    mends.has('sign-in') && kindFacts[source.kind].signIn === 'entra'
      ? { label: vscode.l10n.t('$(account) Sign in'), choice: 'sign-in' }
      : null,
    mends.has('key') && source.kind !== 'vscode'
      ? { label: vscode.l10n.t('$(key) Change the key'), choice: 'key' }
      : null,
    mends.has('address') && hasAddress
      ? { label: vscode.l10n.t('$(link) Change the address'), choice: 'address' }
      : null,
    mends.has('regions') && regions.length > 0
      ? { label: vscode.l10n.t('$(globe) Change the regions'), choice: 'regions' }
      : null,
    { label: vscode.l10n.t('$(refresh) Try again'), choice: 'again' },
    {
      label: vscode.l10n.t('$(save) Save anyway'),
      description: vscode.l10n.t('calls to it will fail until it is mended'),
      choice: 'anyway',
    },
  ];
  return items.filter((item) => item !== null);
}

function checkItem(check: RegionCheck): CheckItem {
  const { region } = check.candidate;
  const label = region === 'default' ? check.candidate.providerId : region;
  return check.isGood
    ? { label: `$(pass) ${label}`, description: goodWords(check), choice: 'shown' }
    : { label: `$(error) ${label}`, detail: troubleWords(check.trouble, check.candidate).text, choice: 'shown' };
}
