import { Injectable } from '@nestjs/common';
import type { JobQueue } from '../backends/queue-backend.js';
import { QueueFactory } from '../backends/queue-factory.js';
import { HandlerRegistry } from '../jobs/handler-registry.js';
import type { AnyJobDefinition } from '../jobs/job-definition.js';

/** Sees to it that the queue repeats what it has to: the schedules lie there, once for everybody. */
@Injectable()
export class RecurringSchedule {
  constructor(
    private readonly registry: HandlerRegistry,
    private readonly queues: QueueFactory,
  ) {}

  /** Adds missing schedules, corrects changed ones and drops those nobody defines any more. */
  async establish(): Promise<void> {
    await this.#reconcile({ dropUnknown: true });
  }

  /**
   * Adds what has got lost. Unknown schedules stay: while versions change, they belong to a newer
   * worker that has established them.
   */
  async restore(): Promise<void> {
    await this.#reconcile({ dropUnknown: false });
  }

  async #reconcile({ dropUnknown }: { dropUnknown: boolean }): Promise<void> {
    const definitions = this.registry.all().map(({ definition }) => definition);
    for (const name of new Set(definitions.map(({ queue }) => queue))) {
      const wanted = definitions.filter(({ queue, everyMs }) => queue === name && everyMs);
      if (wanted.length === 0 && !dropUnknown) continue;
      await this.#reconcileQueue(this.queues.queue(name), wanted, dropUnknown);
    }
  }

  async #reconcileQueue(
    queue: JobQueue,
    wanted: readonly AnyJobDefinition[],
    dropUnknown: boolean,
  ): Promise<void> {
    const present = await queue.getJobSchedulers();
    for (const { name, everyMs } of wanted) {
      const scheduler = present.find(({ key }) => key === name);
      if (everyMs === undefined || Number(scheduler?.every) === everyMs) continue;
      await queue.upsertJobScheduler(name, { every: everyMs }, { name, data: {} });
    }
    if (!dropUnknown) return;
    const unknown = present.filter(({ key }) => !wanted.some(({ name }) => name === key));
    for (const { key } of unknown) await queue.removeJobScheduler(key);
  }
}
