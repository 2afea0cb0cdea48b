/** The limits of the messages of a connection. */
export interface MessageLimits {
  /** In all, before the client has authenticated. */
  readonly messagesBeforeSignIn: number;
  /** Without a pause, once the client has authenticated. */
  readonly messagesAtOnce: number;
  /** Given back to such a client. */
  readonly messagesPerSecond: number;
  /** The bytes in either direction for which one more is given back. */
  readonly bytesPerMessage: number;
}

/** Counts the messages of a connection: bytes alone do not bound the work that a client causes. */
export class MessageBudget {
  private beforeSignIn = 0;
  private left: number;
  /** By `now`. */
  private counted: number;

  /** @param now milliseconds */
  constructor(
    private readonly limits: MessageLimits,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.left = limits.messagesAtOnce;
    this.counted = now();
  }

  /** Counts messages of a client that has not authenticated. Returns whether it may send more. */
  allowsBeforeSignIn(messages: number): boolean {
    this.beforeSignIn += messages;
    return this.beforeSignIn <= this.limits.messagesBeforeSignIn;
  }

  /**
   * Counts messages of a client that has authenticated.
   * @param bytes transferred since the last call, in both directions
   * @returns for how long nothing more is read of it; milliseconds
   */
  pauseAfter(messages: number, bytes: number): number {
    const { messagesAtOnce, messagesPerSecond, bytesPerMessage } = this.limits;
    const now = this.now();
    const givenBack = ((now - this.counted) / 1_000) * messagesPerSecond + bytes / bytesPerMessage;
    this.counted = now;
    this.left = Math.min(messagesAtOnce, this.left + givenBack) - messages;
    return Math.max(0, (-this.left / messagesPerSecond) * 1_000);
  }
}
