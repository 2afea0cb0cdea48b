import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/index.js';
import { QueueFactory } from '../backends/queue-factory.js';
import { failureOf } from '../jobs/failures.js';
import { HandlerRegistry } from '../jobs/job-handler.js';
import { jobIdOf, OutboxRepository, type OutboxRow } from '../outbox/outbox.repository.js';
import { JobRunner } from '../running/job-runner.js';
import { LateRecords } from '../running/late-records.js';

const BATCH = 500;
// BullMQ's own words for a job whose workers died too often.
const STALLED_REASON = 'job stalled more than allowable limit';

type Finding = 'present' | 'lost' | 'stalled-out';

/**
 * Compares rows that were handed over and never confirmed with the queue. What the queue has lost
 * (emptied, restored from an older state, a crash before it wrote to disk) is handed over again.
 */
@Injectable()
export class OutboxSweep {
  constructor(
    private readonly store: OutboxRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly queues: QueueFactory,
    private readonly registry: HandlerRegistry,
    private readonly runner: JobRunner,
    private readonly late: LateRecords,
  ) {}

  /** Checks every row that was not seen in the queue for `ageMs`; returns how many were given back. */
  async run(ageMs: number): Promise<number> {
    const moment = await this.store.momentAgo(ageMs);
    let givenBack = 0;
    for (;;) {
      const batch = await this.unitOfWork.run(() => this.#checkBatch(moment));
      givenBack += batch.givenBack;
      if (batch.size < BATCH) return givenBack;
    }
  }

  // The rows are locked meanwhile, and every job confirms or records its failure in its row before
  // the queue removes it: a job that is not in the queue now will not appear later.
  async #checkBatch(moment: string): Promise<{ size: number; givenBack: number }> {
    const rows = await this.store.claimEnqueuedBefore(moment, BATCH);
    if (rows.length === 0) return { size: 0, givenBack: 0 };
    const findings = await Promise.all(rows.map((row) => this.#find(row)));
    const found = (wanted: Finding) => rows.filter((_, index) => findings[index] === wanted);
    const lost = found('lost');
    const stalledOut = found('stalled-out');
    await this.store.markEnqueued(found('present').map(({ id }) => id));
    await this.store.release(lost);
    for (const row of stalledOut) await this.#recordStall(row);
    return { size: rows.length, givenBack: lost.length + stalledOut.length };
  }

  async #find(row: OutboxRow): Promise<Finding> {
    // After the queue was emptied, its workers continue with the jobs that they have taken.
    if (this.runner.inFlight.has(row.id)) return 'present';
    const queue = await this.queues.reach(row.queue);
    const state = await queue.getJobState(jobIdOf(row));
    if (state === 'failed') {
      const job = await queue.getJob(jobIdOf(row));
      if (job?.failedReason === STALLED_REASON) return 'stalled-out';
    } else if (state !== 'unknown' && state !== 'completed') {
      return 'present';
    }
    // A job that has ended in this process is recorded in its row soon. Any other is lost; where it is completed, its row was
    // restored from a backup, or it never ran.
    return this.late.hasEndOf(row) ? 'present' : 'lost';
  }

  async #recordStall(row: OutboxRow): Promise<void> {
    const definition = this.registry.find(row.queue, row.name)?.definition;
    const error = new Error(STALLED_REASON);
    if (definition === undefined) await this.store.release([row]);
    else await this.store.recordFailure(row, failureOf(error, definition, row.attempts));
  }
}
