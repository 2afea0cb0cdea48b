import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/secrets/index.js';
import { userAgent } from '../../../platform/net/index.js';
import { deliveryUrl } from '../hook-secrets.js';
import { lacksFiles, PushPayloadBuilder } from '../payloads/push-payload-builder.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { type Attempt, DeliveriesRepository, type DueDelivery } from './deliveries.repository.js';
import { type DeliveryRequest, deliveryRequest, withoutSecrets } from './delivery-request.js';
import type { DeliverySlots } from './delivery-slots.js';
import type { DeliveryPayload } from './hook.jobs.js';
import { HttpSender } from './http-sender.js';

/** Attempts deliveries that are due. See docs/decisions/0027-deliveries.md. */
@Injectable()
export class HookDeliverer {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly pushes: PushPayloadBuilder,
    private readonly secrets: Secrets,
    private readonly sender: HttpSender,
    private readonly recorder: AttemptRecorder,
  ) {}

  /**
   * Attempts a delivery, or postpones it when its receiver or its hook already uses its share of `slots`.
   * @param signal aborted when the worker has to stop
   */
  async deliver(job: DeliveryPayload, slots: DeliverySlots, signal: AbortSignal): Promise<void> {
    const delivery = await this.deliveries.findDue(job.deliveryId, job.turn);
    if (delivery === undefined) return;
    if (delivery.isDisabled) return this.deliveries.abandon(delivery);
    const { host } = new URL(delivery.url);
    const slot = await slots.acquire([`host ${host}`, `hook ${String(delivery.hookId)}`]);
    if (typeof slot === 'number') return this.recorder.postpone(delivery, slot);
    try {
      await this.attempt(delivery, signal);
    } finally {
      slot.release();
    }
  }

  private async attempt(delivery: DueDelivery, signal: AbortSignal): Promise<void> {
    const at = new Date();
    const unsent: Attempt = { delivery, at, requestHeaders: {} };
    let request: DeliveryRequest;
    try {
      request = await this.buildRequest(delivery, at);
    } catch (error) {
      const failure = { cause: 'payload', message: String(error) } as const;
      return this.recorder.record(unsent, { durationMs: 0, response: null, failure });
    }
    const { verifiesCertificate } = delivery;
    const result = await this.sender.send(request, { verifiesCertificate, signal });
    const requestHeaders = withoutSecrets(request.headers);
    await this.recorder.record({ ...unsent, requestHeaders }, result);
  }

  private async buildRequest(delivery: DueDelivery, at: Date): Promise<DeliveryRequest> {
    const { tokenSealed, projectId } = delivery;
    const message = { ...delivery, body: delivery.body ?? (await this.buildBody(delivery)) };
    const token = tokenSealed === null ? null : this.secrets.open(tokenSealed);
    const url = deliveryUrl(delivery, this.secrets);
    const receiver = { url, token, isSystemHook: projectId === null };
    return deliveryRequest(message, receiver, { at, userAgent: userAgent() });
  }

  /** Builds the body once and stores it: later attempts and other hooks send the same bytes. */
  private async buildBody({ kind, payload, eventId }: DueDelivery): Promise<string> {
    const complete = lacksFiles(kind) ? await this.pushes.addFiles(payload) : payload;
    return this.deliveries.storeBody(eventId, JSON.stringify(complete));
  }
}
