// A queue between running attempts and the one consumer of a call, with a high-water mark so that a slow reader
// slows the provider down instead of filling memory.

export class Mailbox<T> {
  private readonly messages: T[] = [];
  private readonly highWater: number;
  private wakeConsumer: (() => void) | null = null;
  private wakeProducers: (() => void)[] = [];

  /** Producers that await `post` wait while `highWater` or more messages are queued. */
  constructor(highWater = 64) {
    this.highWater = highWater;
  }

  /** Queues a message at once; the promise resolves when there is room again. */
  post(message: T): Promise<void> {
    this.messages.push(message);
    this.wakeConsumer?.();
    this.wakeConsumer = null;
    if (this.messages.length < this.highWater) return Promise.resolve();
    return new Promise((resolve) => this.wakeProducers.push(resolve));
  }

  /** The next message, in order of posting. One consumer only. */
  async take(): Promise<T> {
    for (;;) {
      const message = this.messages.shift();
      if (message !== undefined) {
        if (this.messages.length < this.highWater) this.releaseProducers();
        return message;
      }
      await new Promise<void>((resolve) => {
        this.wakeConsumer = resolve;
      });
    }
  }

  /** Lets every waiting producer go on; for the end of a call, when nobody reads any more. */
  releaseProducers(): void {
    const waiting = this.wakeProducers;
    this.wakeProducers = [];
    for (const wake of waiting) wake();
  }
}
