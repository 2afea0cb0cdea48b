import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/secrets/index.js';
import { userAgent } from '../../../platform/net/index.js';
import { deliveryUrl } from '../hook-address.js';
import { HookBodies } from '../payloads/hook-bodies.js';
import { type Attempt, AttemptRecorder } from './attempt-recorder.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import type { DeliveryPlaces } from './delivery-places.js';
import { type DeliveryRequest, deliveryRequest, withoutSecrets } from './delivery-request.js';
import type { DueDelivery } from './due-delivery.js';
import type { DeliveryPayload } from './hook.jobs.js';
import { HttpSender } from './http-sender.js';

/** Attempts deliveries whose turn it is. */
@Injectable()
export class Delivering {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly recorder: AttemptRecorder,
    private readonly bodies: HookBodies,
    private readonly secrets: Secrets,
    private readonly sender: HttpSender,
  ) {}

  /**
   * Attempts a delivery, or sends it away for a while when the receiver has its share of `places` already.
   * @param signal aborted when the worker has to stop
   */
  async deliver(job: DeliveryPayload, places: DeliveryPlaces, signal: AbortSignal): Promise<void> {
    const delivery = await this.deliveries.due(job.deliveryId, job.turn);
    if (delivery === undefined) return;
    if (delivery.isDisabled) return this.deliveries.abandon(delivery);
    const { host } = new URL(delivery.url);
    const place = await places.take([`host ${host}`, `hook ${String(delivery.hookId)}`]);
    if (typeof place === 'number') return this.recorder.postpone(delivery, place);
    try {
      await this.attempt(delivery, signal);
    } finally {
      place.leave();
    }
  }

  private async attempt(delivery: DueDelivery, signal: AbortSignal): Promise<void> {
    const at = new Date();
    const unsent: Attempt = { delivery, at, requestHeaders: {} };
    let request: DeliveryRequest;
    try {
      request = await this.request(delivery, at);
    } catch (error) {
      const failure = { cause: 'payload', message: String(error) } as const;
      return this.recorder.record(unsent, { durationMs: 0, answer: null, failure });
    }
    const { verifiesCertificate } = delivery;
    const outcome = await this.sender.send(request, { verifiesCertificate, signal });
    const requestHeaders = withoutSecrets(request.headers);
    await this.recorder.record({ ...unsent, requestHeaders }, outcome);
  }

  private async request(delivery: DueDelivery, at: Date): Promise<DeliveryRequest> {
    const { tokenSealed, projectId } = delivery;
    const message = { ...delivery, body: delivery.body ?? (await this.makeBody(delivery)) };
    const token = tokenSealed === null ? null : this.secrets.open(tokenSealed);
    const url = deliveryUrl(delivery, this.secrets);
    const addressee = { url, token, isSystemHook: projectId === null };
    return deliveryRequest(message, addressee, { at, userAgent: userAgent() });
  }

  /** Made once: later attempts and other hooks send the same bytes. */
  private async makeBody(delivery: DueDelivery): Promise<string> {
    return this.deliveries.keepBody(delivery.eventId, await this.bodies.of(delivery));
  }
}
