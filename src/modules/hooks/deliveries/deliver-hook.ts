import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { Delivering } from './delivering.js';
import { DeliveryPlaces } from './delivery-places.js';
import { deliverHook, type DeliveryPayload, WORKER_PLACES } from './hook.jobs.js';

/** A receiver gets at most half of the places for first attempts. */
@Injectable()
@HandlesJob(deliverHook)
export class DeliverHook implements JobHandler<DeliveryPayload> {
  private readonly places = new DeliveryPlaces(WORKER_PLACES / 2);

  constructor(private readonly delivering: Delivering) {}

  handle(payload: DeliveryPayload, { signal }: JobContext): Promise<void> {
    return this.delivering.deliver(payload, this.places, signal);
  }
}
