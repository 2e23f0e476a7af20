// The clouds' own sign-in, as the adapters ask for it: Entra (Azure), AWS, Google. Who signs in and how is somebody else's
// matter: the command line asks the clouds' tools, VS Code its accounts. Null: nobody is signed in.

/** A bearer token. */
export interface SignInToken {
  readonly secret: string;
  /** Milliseconds since the epoch; null: the source keeps its own cache and is asked every time. */
  readonly expiresAtMs: number | null;
  /** Headers that go with it (Google's quota project); they hold no secret. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Keys that sign a request to AWS. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Milliseconds since the epoch; null as in `SignInToken`. */
  readonly expiresAtMs: number | null;
}

/** The sign-ins. A rejected promise means that the sign-in failed, null that there is none. */
export interface SignIn {
  /** A token for `https://cognitiveservices.azure.com`. */
  entraToken(signal: AbortSignal): Promise<SignInToken | null>;
  /** A token for `https://www.googleapis.com/auth/cloud-platform`. */
  googleToken(signal: AbortSignal): Promise<SignInToken | null>;
  /** Keys of this profile and no other; undefined: the usual order of AWS. */
  awsKeys(profile: string | undefined, signal: AbortSignal): Promise<AwsKeys | null>;
}
