import type { RefUpdate } from '../../../git/index.js';
import type { PushPayload } from './push-payloads.js';

/** Refs that are described side by side; a push may bring any number of them. */
const BATCH_SIZE = 50;

type Batch = readonly RefUpdate[];

/**
 * The refs of a push, in batches that bound how much of it is in memory. The batch described last is
 * remembered: a push of few refs is described once for all its readers.
 */
export class PushedRefs {
  readonly batches: readonly Batch[];
  private last: { batch: Batch; payloads: Promise<readonly PushPayload[]> } | undefined;

  constructor(
    updates: readonly RefUpdate[],
    private readonly read: (batch: Batch) => Promise<readonly PushPayload[]>,
  ) {
    const count = Math.ceil(updates.length / BATCH_SIZE);
    this.batches = Array.from({ length: count }, (_, index) =>
      updates.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
    );
  }

  /** Describes each ref of a batch. */
  describe(batch: Batch): Promise<readonly PushPayload[]> {
    if (this.last?.batch !== batch) this.last = { batch, payloads: this.read(batch) };
    return this.last.payloads;
  }
}
