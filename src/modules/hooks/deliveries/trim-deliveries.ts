import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { trimDeliveries } from './hook.jobs.js';

/** How long the log of deliveries is kept. */
const KEPT_DAYS = 30;
const BATCH = 1_000;

/** Deletes old deliveries, then the events that nothing tells of any more. */
@Injectable()
@HandlesJob(trimDeliveries)
export class TrimDeliveries implements JobHandler {
  constructor(private readonly deliveries: DeliveriesRepository) {}

  async handle(_: Record<string, never>, { signal }: JobContext): Promise<void> {
    while (!signal.aborted && (await this.deliveries.trimDeliveries(KEPT_DAYS, BATCH)) === BATCH);
    while (!signal.aborted && (await this.deliveries.trimEvents(KEPT_DAYS, BATCH)) === BATCH);
  }
}
