// What one run leaves behind: figures of every step in the order of their start, and sums. Nothing is judged here.

/** Grows by doubling; the columns are as long as the run has steps. */
export class RunRecord {
  steps = 0;
  startedAtS = new Float64Array(1024);
  /** From the step's start to its answer or failure. */
  latencyS = new Float64Array(1024);
  /** From the first usable answer to the decision; 0 where there was none. */
  holdS = new Float64Array(1024);
  /** Tokens billed for the step, losers included. */
  tokens = new Float64Array(1024);
  /** What the policy expected of its start set; NaN where it said nothing. */
  predicted = new Float64Array(1024);
  /** Candidate of the first attempt; -1 where none was started. */
  primary = new Int8Array(1024);
  /** Candidate of the answer; -1 where the step failed. */
  winner = new Int8Array(1024);
  /** 1 where every attempt that was started at the beginning has failed. */
  startSetFailed = new Uint8Array(1024);
  workflows = 0;
  failedWorkflows = 0;
  /** Sum over the answers. */
  quality = 0;
  attempts = 0;
  /** price * (prompt + output), over attempts. */
  pricedTokens = 0;
  /** price * (prompt + 4 output), judges included. */
  cost = 0;
  /** Tokens of calls for no step. */
  sideTokens = 0;
  sideCalls = 0;

  /** Room for one more step; its number. */
  add(startedAtS: number): number {
    const ordinal = this.steps++;
    if (ordinal === this.latencyS.length) this.grow();
    this.startedAtS[ordinal] = startedAtS;
    this.predicted[ordinal] = Number.NaN;
    this.primary[ordinal] = -1;
    this.winner[ordinal] = -1;
    return ordinal;
  }

  addTokens(ordinal: number, tokens: number): void {
    this.tokens[ordinal] = (this.tokens[ordinal] ?? 0) + tokens;
  }

  private grow(): void {
    const wider = (old: Float64Array): Float64Array<ArrayBuffer> => {
      const next = new Float64Array(2 * old.length);
      next.set(old);
      return next;
    };
    this.startedAtS = wider(this.startedAtS);
    this.latencyS = wider(this.latencyS);
    this.holdS = wider(this.holdS);
    this.tokens = wider(this.tokens);
    this.predicted = wider(this.predicted);
    const length = this.latencyS.length;
    const primary = new Int8Array(length);
    primary.set(this.primary);
    this.primary = primary;
    const winner = new Int8Array(length);
    winner.set(this.winner);
    this.winner = winner;
    const startSetFailed = new Uint8Array(length);
    startSetFailed.set(this.startSetFailed);
    this.startSetFailed = startSetFailed;
  }
}
