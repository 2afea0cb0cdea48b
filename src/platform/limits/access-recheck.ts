import type { ReleaseSlot } from './fair-slots.js';

/** For how long a check counts, in milliseconds. */
const FRESH_MS = 100;

/**
 * The access of a request that streams, which may be taken away while the request waits for its body or a slot. Checks it
 * again after a wait.
 */
export class AccessRecheck {
  private checkedAt = performance.now();

  /** @param check rejects with the refusal */
  constructor(private readonly check: () => Promise<unknown>) {}

  /**
   * Takes a slot, and gives it back if the access was taken away meanwhile.
   * @throws the refusal, or what the slot is rejected with
   */
  async afterWait(slot: Promise<ReleaseSlot>): Promise<ReleaseSlot> {
    const release = await slot;
    if (performance.now() - this.checkedAt < FRESH_MS) return release;
    try {
      await this.check();
    } catch (error) {
      release();
      throw error;
    }
    this.checkedAt = performance.now();
    return release;
  }
}
