import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import { deliveryUrl, sealUrl } from '../hook-secrets.js';
import { HooksRepository } from '../hooks.repository.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliverySlots } from './delivery-slots.js';
import { HookDeliverer } from './hook-deliverer.js';
import {
  deliverHook,
  deliverHookLater,
  type DeliveryPayload,
  sealHookPasswords,
  trimDeliveries,
  WORKER_CONCURRENCY,
} from './hook.jobs.js';

/** How long the delivery log is kept. */
const KEPT_DAYS = 30;
/** Rows that the recurring jobs handle with one statement. */
const BATCH = 1_000;

/** Makes first attempts. A receiver gets at most half of the slots. */
@Injectable()
@HandlesJob(deliverHook)
export class DeliverHookJob implements JobHandler<DeliveryPayload> {
  private readonly slots = new DeliverySlots(WORKER_CONCURRENCY / 2);

  constructor(private readonly deliverer: HookDeliverer) {}

  handle(payload: DeliveryPayload, { signal }: JobContext): Promise<void> {
    return this.deliverer.deliver(payload, this.slots, signal);
  }
}

/** Makes further attempts. Many receivers do not respond here, so each gets at most a quarter of the slots. */
@Injectable()
@HandlesJob(deliverHookLater)
export class DeliverHookLaterJob implements JobHandler<DeliveryPayload> {
  private readonly slots = new DeliverySlots(WORKER_CONCURRENCY / 4);

  constructor(private readonly deliverer: HookDeliverer) {}

  handle(payload: DeliveryPayload, { signal }: JobContext): Promise<void> {
    return this.deliverer.deliver(payload, this.slots, signal);
  }
}

/** Deletes old deliveries, then events without deliveries. */
@Injectable()
@HandlesJob(trimDeliveries)
export class TrimDeliveriesJob implements JobHandler {
  constructor(private readonly deliveries: DeliveriesRepository) {}

  async handle(_: Record<string, never>, { signal }: JobContext): Promise<void> {
    while (!signal.aborted && (await this.deliveries.trimDeliveries(KEPT_DAYS, BATCH)) === BATCH);
    while (!signal.aborted && (await this.deliveries.trimEvents(KEPT_DAYS, BATCH)) === BATCH);
  }
}

/** Encrypts the passwords that older versions stored in the URLs of hooks. */
@Injectable()
@HandlesJob(sealHookPasswords)
export class SealHookPasswordsJob implements JobHandler {
  constructor(
    private readonly hooks: HooksRepository,
    private readonly secrets: Secrets,
  ) {}

  async handle(_: Record<string, never>, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    let lastId = 0;
    while (!signal.aborted) {
      const hooks = await this.hooks.findPlainPasswords(lastId, BATCH);
      for (const { id, url, passwordSealed } of hooks) {
        const stored = { url, passwordSealed };
        if (deliveryUrl(stored, this.secrets).password === '') continue;
        await this.hooks.replaceUrl(id, url, sealUrl(url, this.secrets, stored));
      }
      lastId = hooks.at(-1)?.id ?? lastId;
      if (hooks.length < BATCH) return;
    }
  }
}
