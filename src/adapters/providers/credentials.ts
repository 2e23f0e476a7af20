// Finds the credential of a provider: the stored key, or the cloud's own sign-in. What goes wrong is told as a trouble that
// names the provider and the remedy and never a secret; a sign-in that the network kept from working keeps its network code.
import type { Candidate } from '../../core/candidate.ts';
import { kindFacts } from '../../core/providers/kinds.ts';
import type { Credential } from './credential.ts';
import { clientErrorOf } from './observation.ts';
import { sharedSecret, type SharedSecret } from './sharedSecret.ts';
import type { AwsKeys, SignIn, SignInToken } from './signIn.ts';
import { TROUBLE_CODES, trouble, type Trouble } from './trouble.ts';
import { untilAborted } from './untilAborted.ts';

/**
 * The key of a provider's account: `null` when none is stored, the empty string when the server wants none
 * (a model server on this machine).
 */
export type Secrets = (providerId: string, account: string) => Promise<string | null>;

/** Whose credential it is. */
export type Owner = Pick<Candidate, 'providerId' | 'account' | 'kind' | 'auth' | 'cloud'>;

/** A credential, or why there is none. */
export type CredentialResult =
  { readonly ok: true; readonly credential: Credential } | { readonly ok: false; readonly trouble: Trouble };

/** The credentials of all providers. */
export interface Credentials {
  /** Rejects only when aborted. */
  of(owner: Owner, signal: AbortSignal): Promise<CredentialResult>;
  /** The provider refused it: what came by sign-in is fetched anew the next time. */
  refused(credential: Credential): void;
}

/** Network codes with which a sign-in fails for a while only. */
const NETWORK = /^(?:E[A-Z_]+|UND_ERR_[A-Z_]+)$/;
/** System codes that are no matter of the network: the program or the file is not there. */
const LOCAL = new Set(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'ENOTDIR']);
/** What may be shown of an error: its code or name, never its text, which a tool may have filled with anything. */
const SHOWN = /^[A-Za-z][A-Za-z0-9_]{1,60}$/;

/** Visible ASCII: anything else was pasted along, and could end the header that the key stands in. */
const KEY = /^[\x21-\x7e]+$/;

/** Keeps tokens and AWS keys until they expire; keys of providers are read every time. */
export function createCredentials(secrets: Secrets, signIn: SignIn, nowMs: () => number): Credentials {
  const entra = sharedSecret(nowMs, (signal) => signIn.entraToken(signal));
  const google = sharedSecret(nowMs, (signal) => signIn.googleToken(signal));
  const aws = new Map<string | undefined, SharedSecret<AwsKeys>>();
  const awsOf = (profile: string | undefined): SharedSecret<AwsKeys> => {
    const known = aws.get(profile) ?? sharedSecret(nowMs, (signal) => signIn.awsKeys(profile, signal));
    aws.set(profile, known);
    return known;
  };
  const tokenOf = async (source: SharedSecret<SignInToken>, signal: AbortSignal): Promise<Credential | null> => {
    const token = await source.get(signal);
    return token && { type: 'token', token };
  };
  const signedIn = async ({ kind, cloud }: Owner, signal: AbortSignal): Promise<Credential | null> => {
    switch (kindFacts[kind].signIn) {
      case 'entra':
        return tokenOf(entra, signal);
      case 'google':
        return tokenOf(google, signal);
      case 'aws': {
        const keys = await awsOf(cloud.profile).get(signal);
        return keys && { type: 'aws', keys };
      }
      case null:
        return null;
    }
  };
  return {
    async of(owner, signal) {
      if (owner.auth === 'none') return found({ type: 'none' });
      if (owner.auth === 'key') return keyOf(secrets, owner, signal);
      try {
        const credential = await signedIn(owner, signal);
        return credential ? found(credential) : lost(notSignedIn(owner, null));
      } catch (error) {
        signal.throwIfAborted();
        return lost(notSignedIn(owner, error));
      }
    },
    refused(credential) {
      if (credential.type === 'token') {
        entra.drop(credential.token);
        google.drop(credential.token);
      }
      if (credential.type === 'aws') for (const source of aws.values()) source.drop(credential.keys);
    },
  };
}

const found = (credential: Credential): CredentialResult => ({ ok: true, credential });
const lost = (why: Trouble): CredentialResult => ({ ok: false, trouble: why });

async function keyOf(secrets: Secrets, { providerId, account }: Owner, signal: AbortSignal): Promise<CredentialResult> {
  signal.throwIfAborted();
  try {
    const secret = (await untilAborted(secrets(providerId, account), signal))?.trim();
    if (secret === '') return found({ type: 'none' });
    if (secret !== undefined && !KEY.test(secret)) return lost(damagedKey(providerId, account));
    if (secret !== undefined) return found({ type: 'key', secret });
  } catch {
    signal.throwIfAborted();
    return lost(
      trouble(
        TROUBLE_CODES.keyStore,
        `The stored key of provider "${providerId}" (account "${account}") could not be read. Unlock the key store or enter the key again.`,
      ),
    );
  }
  return lost(
    trouble(
      TROUBLE_CODES.missingKey,
      `No key is stored for provider "${providerId}" (account "${account}"). Add one with "Belay: Add Provider" or set its environment variable.`,
    ),
  );
}

function damagedKey(providerId: string, account: string): Trouble {
  return trouble(
    TROUBLE_CODES.keyStore,
    `The stored key of provider "${providerId}" (account "${account}") has a space, a line break or another character that no key has. Copy it again and enter it anew.`,
  );
}

function notSignedIn(owner: Owner, error: unknown): Trouble {
  const { providerId, kind } = owner;
  const { name, code } = clientErrorOf(error);
  const word = [code, name].find((each) => each !== undefined && each !== 'Error' && SHOWN.test(each));
  const reason = error === null || word === undefined ? '' : ` (${word})`;
  if (code !== undefined && NETWORK.test(code) && !LOCAL.has(code)) {
    return trouble(code, `The sign-in of provider "${providerId}" could not be reached${reason}.`);
  }
  const { who, remedy } = wordsOf(owner);
  return trouble(
    TROUBLE_CODES.signIn,
    `${who} gave no sign-in for provider "${providerId}" of kind ${kind}${reason}. ${remedy}`,
  );
}

function wordsOf({ kind, cloud }: Owner): { readonly who: string; readonly remedy: string } {
  switch (kindFacts[kind].signIn) {
    case 'entra':
      return {
        who: 'Microsoft Entra',
        remedy: 'Sign in with "az login" (or to your Microsoft account in VS Code), or set a key.',
      };
    case 'google':
      return { who: 'Google', remedy: 'Run "gcloud auth application-default login".' };
    case 'aws': {
      const { profile } = cloud;
      // A person may paste it into a shell.
      const option = profile !== undefined && /^[\w.@+-]+$/.test(profile) ? profile : 'NAME';
      return profile === undefined
        ? { who: 'AWS', remedy: 'Run "aws sso login" or "aws configure", or set a Bedrock API key.' }
        : {
            who: `AWS profile "${profile}"`,
            remedy: `Run "aws sso login --profile ${option}" or "aws configure --profile ${option}", or set a Bedrock API key.`,
          };
    }
    case null:
      return { who: 'Its cloud', remedy: 'Set signIn to false and give a key.' };
  }
}
