/** How slowly a client may send or read. */
export interface ClientRate {
  readonly bytesPerSecond: number;
  /** How far it may fall behind that rate; milliseconds. */
  readonly patienceMs: number;
}

const LONGEST_STEP_MS = 1_000;

/**
 * Holds a client to the least rate. Every moment in which git waits for the client puts it behind, every
 * byte that moves brings it forward again. Time in which the client waits for git does not count.
 */
export class ClientPace {
  private behindMs = 0;
  private movedBytes = 0;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param isAwaited whether git waits for the client now
   * @param onSlow called once, when the client is further behind than it may be
   */
  constructor(
    private readonly rate: ClientRate,
    private readonly isAwaited: () => boolean,
    private readonly onSlow: () => void,
  ) {
    const stepMs = Math.min(LONGEST_STEP_MS, rate.patienceMs / 10);
    this.timer = setInterval(() => this.check(stepMs), stepMs).unref();
  }

  /** Notes bytes that the client has sent or taken. */
  moved(bytes: number): void {
    this.movedBytes += bytes;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private check(stepMs: number): void {
    const { bytesPerSecond, patienceMs } = this.rate;
    const dueMs = this.isAwaited() ? stepMs : 0;
    const paidMs = (this.movedBytes / bytesPerSecond) * 1_000;
    this.behindMs = Math.max(0, this.behindMs + dueMs - paidMs);
    this.movedBytes = 0;
    if (this.behindMs <= patienceMs) return;
    this.stop();
    this.onSlow();
  }
}
