const LEAST_MS = 0.1;

/** Measures from its creation how long other work had to wait for each turn of the event loop. */
export class EventLoopWaits {
  private readonly waitsMs: number[] = [];
  private last = performance.now();
  private next = setImmediate(() => this.turn());

  /** Ends the measurement. Returns each wait of some length in milliseconds. */
  end(): number[] {
    clearImmediate(this.next);
    this.note();
    return this.waitsMs;
  }

  private turn(): void {
    this.note();
    this.next = setImmediate(() => this.turn());
  }

  private note(): void {
    const now = performance.now();
    if (now - this.last > LEAST_MS) this.waitsMs.push(now - this.last);
    this.last = now;
  }
}
