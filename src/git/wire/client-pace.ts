import type { ClientRate } from '../process/runtime.js';

const LONGEST_STEP_MS = 1_000;

/**
 * Enforces the least rate of a client. The client falls behind while git waits for it, and catches up with each
 * byte that is sent or taken. Time in which the client waits for git does not count.
 */
export class ClientPace {
  private behindMs = 0;
  private movedBytes = 0;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param isAwaited returns whether git waits for the client
   * @param onSlow called once when the client has fallen behind too far
   */
  constructor(
    private readonly rate: ClientRate,
    private readonly isAwaited: () => boolean,
    private readonly onSlow: () => void,
  ) {
    const stepMs = Math.min(LONGEST_STEP_MS, rate.patienceMs / 10);
    this.timer = setInterval(() => this.check(stepMs), stepMs).unref();
  }

  /** Records bytes that the client has sent or taken. */
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
