// How the store tells that it could not do a thing.

/** Why the store could not do a thing. `message` names the file and the remedy for a person. */
export interface StoreFault {
  readonly kind: 'locked' | 'full' | 'corrupt' | 'read-only' | 'closed' | 'fenced' | 'illegal-transition' | 'other';
  readonly message: string;
}
