import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { Delivering } from './delivering.js';
import { DeliveryPlaces } from './delivery-places.js';
import { deliverHookLater, type DeliveryPayload, WORKER_PLACES } from './hook.jobs.js';

/** Where many receivers do not answer, each gets at most a quarter of the places. */
@Injectable()
@HandlesJob(deliverHookLater)
export class DeliverHookLater implements JobHandler<DeliveryPayload> {
  private readonly places = new DeliveryPlaces(WORKER_PLACES / 4);

  constructor(private readonly delivering: Delivering) {}

  handle(payload: DeliveryPayload, { signal }: JobContext): Promise<void> {
    return this.delivering.deliver(payload, this.places, signal);
  }
}
