import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { deliverHookLater } from '../deliveries/hook.jobs.js';
import { HooksRepository } from '../hooks.repository.js';
import { ReplayRepository, type ReplayPosition, type ReplayRange } from './replay.repository.js';

const BATCH = 1_000;

/** Repeats deliveries of a time, for example after a receiver has lost what it was sent. */
@Injectable()
export class DeliveryReplay {
  constructor(
    private readonly work: UnitOfWork,
    private readonly deliveries: ReplayRepository,
    private readonly hooks: HooksRepository,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Queues the deliveries of a range once more, each with its id and bytes. Hooks that were given up for
   * want of a success are tried again, those whose receivers wanted no more are left alone.
   * @returns how many
   */
  async run(range: ReplayRange): Promise<number> {
    let total = 0;
    let position: ReplayPosition | undefined;
    do {
      const batch = await this.repeatSome(range, position);
      total += batch.repeated;
      position = batch.last;
    } while (position !== undefined);
    return total;
  }

  private repeatSome(
    range: ReplayRange,
    after: ReplayPosition | undefined,
  ): Promise<{ repeated: number; last: ReplayPosition | undefined }> {
    return this.work.run(async () => {
      const found = await this.deliveries.next(range, after, BATCH);
      await this.hooks.enable([...new Set(found.map(({ hookId }) => hookId))]);
      const ids = found.map(({ id }) => id);
      const repeated = await this.deliveries.repeat(ids, range.states);
      // Behind what is happening now, in the queue in which waiting is usual.
      const jobs = repeated.map(({ id, turn }) => deliverHookLater.with({ deliveryId: id, turn }));
      await this.outbox.addAll(jobs);
      return { repeated: repeated.length, last: found.at(-1) };
    });
  }
}
