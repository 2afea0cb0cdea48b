import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between two looks. A shorter time would wake an idle process more often. */
const RESOLUTION_MS = 50;

/** How late timers of this process are. */
export class EventLoopDelay {
  private readonly histogram: IntervalHistogram;

  constructor() {
    this.histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.histogram.enable();
  }

  /** Returns the 99th percentile since the last call in milliseconds, and begins anew. */
  take(): number {
    // What is measured is the time from one look to the next.
    const ms = this.histogram.count === 0 ? 0 : this.histogram.percentile(99) / 1e6 - RESOLUTION_MS;
    this.histogram.reset();
    return Math.max(0, ms);
  }

  stop(): void {
    this.histogram.disable();
  }
}
