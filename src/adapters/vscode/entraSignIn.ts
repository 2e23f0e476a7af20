// Azure's sign-in by the Microsoft account of VS Code. A running request never opens a sign-in window: it takes the session
// that is there, else what `az login` left. The window comes only when a person adds or checks a provider.
import * as vscode from 'vscode';
import { azToken } from '../providers/commandLineSignIn.ts';
import type { SignIn, SignInToken } from '../providers/signIn.ts';
import { realClock } from '../time/realClock.ts';

/** Azure OpenAI's scope (learn.microsoft.com, Entra ID authentication for Azure AI services). */
const SCOPES = ['https://cognitiveservices.azure.com/.default'];

/** Entra through VS Code, then through the Azure command line. */
export function entraSignIn(): Pick<SignIn, 'entraToken'> {
  const clock = realClock();
  return { entraToken: async (signal) => (await sessionToken('silent')) ?? azToken(() => clock.nowMs(), signal) };
}

/** Asks the person to sign in where nobody is; false when they did not. */
export async function signInToEntra(): Promise<boolean> {
  return (await sessionToken('ask')) !== null;
}

async function sessionToken(how: 'silent' | 'ask'): Promise<SignInToken | null> {
  try {
    const options = how === 'ask' ? { createIfNone: true } : { silent: true };
    const session = await vscode.authentication.getSession('microsoft', SCOPES, options);
    // VS Code renews its tokens itself and keeps their life to itself.
    return session ? { secret: session.accessToken, expiresAtMs: null } : null;
  } catch {
    // No such account provider in this editor, or the person closed its window.
    return null;
  }
}
