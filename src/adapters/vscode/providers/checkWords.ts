// What a live check found, in a person's words: what is wrong, and which answers may mend it. Data of the provider never
// becomes part of a sentence; only statuses, error codes and names from the settings do.
import * as vscode from 'vscode';
import type { Observation } from '../../../core/faults/fault.ts';
import type { Candidate } from '../../../core/candidate.ts';
import { CHECK_TIMEOUT_MS, type RegionCheck } from './liveCheck.ts';

/** What a person may change to mend it. */
export type Mend = 'key' | 'address' | 'sign-in' | 'regions';

/** What is wrong, in one sentence, and how it may be mended. */
export interface CheckTrouble {
  readonly text: string;
  readonly mends: readonly Mend[];
}

type Place = Pick<Candidate, 'baseUrl' | 'domains' | 'region'>;

const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ERR_TLS/;

/** The words for a failed check. */
export function troubleWords(trouble: Observation, candidate: Place): CheckTrouble {
  const code = trouble.clientError?.code ?? '';
  return byCode(code, candidate) ?? byStatus(trouble.httpStatus, candidate) ?? unknownWords(code);
}

function byCode(code: string, { baseUrl, domains }: Place): CheckTrouble | null {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
  if (UNTRUSTED.test(code))
    return {
      text: vscode.l10n.t(
        "The certificate of {0} is not trusted here ({1}). Add your company's certificate to the system, or set NODE_EXTRA_CA_CERTS.",
        host,
        code,
      ),
      mends: ['address'],
    };
  switch (code) {
    case 'belay_missing_key':
      return { text: vscode.l10n.t('There is no key for it.'), mends: ['key'] };
    case 'belay_sign_in':
      return { text: vscode.l10n.t('Nobody is signed in for it.'), mends: ['sign-in', 'key'] };
    case 'belay_bad_base_url':
      return {
        text: vscode.l10n.t('Its address must start with http:// or https:// and hold no name, password or fragment.'),
        mends: ['address'],
      };
    case 'belay_malformed_chunk':
      return {
        text: vscode.l10n.t(
          '{0} answers, but not with a list of models. Is the address right, up to and with /v1?',
          host,
        ),
        mends: ['address'],
      };
    case 'model_not_found':
      return {
        text: vscode.l10n.t(
          'VS Code has no models of "{0}" now. Install its extension and sign in to it.',
          domains.vendor,
        ),
        mends: [],
      };
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { text: vscode.l10n.t('There is no host {0}.', host), mends: ['address', 'regions'] };
    case 'ECONNREFUSED':
      return { text: vscode.l10n.t('Nothing listens at {0}. Start the server.', host), mends: ['address'] };
    case 'ABORT_ERR':
    case 'ETIMEDOUT':
      return {
        text: vscode.l10n.t('{0} did not answer within {1} s.', host, CHECK_TIMEOUT_MS / 1000),
        mends: ['address'],
      };
    default:
      return null;
  }
}

function byStatus(status: number | null, { baseUrl, region }: Place): CheckTrouble | null {
  switch (status) {
    case null:
      return null;
    case 401:
      return { text: vscode.l10n.t('It refuses the key or sign-in (401).'), mends: ['key', 'sign-in'] };
    case 402:
      return { text: vscode.l10n.t('The account has no credit left (402).'), mends: ['key'] };
    case 403:
      return {
        text: vscode.l10n.t('The key or account may not use it in region {0} (403).', region),
        mends: ['key', 'sign-in', 'regions'],
      };
    case 404:
      return {
        text: vscode.l10n.t('{0} is not there (404). Is the address right?', baseUrl.replace(/\?.*$/, '')),
        mends: ['address', 'regions'],
      };
    case 429:
      return {
        text: vscode.l10n.t('Its limit is reached (429). Wait, or look at the quota of the account.'),
        mends: ['key'],
      };
    default:
      return status >= 500
        ? { text: vscode.l10n.t('It is in trouble itself ({0}). Try again in a minute.', status), mends: [] }
        : { text: vscode.l10n.t('It refuses the request ({0}).', status), mends: ['key', 'address'] };
  }
}

function unknownWords(code: string): CheckTrouble {
  return /^[A-Za-z0-9_]{1,60}$/.test(code)
    ? { text: vscode.l10n.t('It cannot be reached ({0}).', code), mends: ['address'] }
    : { text: vscode.l10n.t('It cannot be reached.'), mends: ['address'] };
}

/** One line about a region that works: how fast, how many models. */
export function goodWords(check: Extract<RegionCheck, { readonly isGood: true }>): string {
  const models =
    check.models === null
      ? vscode.l10n.t('works, but lists no models')
      : vscode.l10n.t('{0} models', check.models.length);
  return check.latencyMs === null ? models : `${Math.round(check.latencyMs)} ms · ${models}`;
}
