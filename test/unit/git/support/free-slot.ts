import type { PackSlot } from '../../../../src/git/index.js';

/** A slot that is free at once; counts. */
export class FreeSlot implements PackSlot {
  taken = 0;
  isTaken = false;
  /** What happens meanwhile. */
  whileTaken: (() => void) | undefined;
  whenGivenBack: (() => void) | undefined;

  take(): Promise<void> {
    this.whileTaken?.();
    this.taken++;
    this.isTaken = true;
    return Promise.resolve();
  }

  giveBack(): void {
    if (this.isTaken) this.whenGivenBack?.();
    this.isTaken = false;
  }
}
