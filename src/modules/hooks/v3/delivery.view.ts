import { ApiProperty } from '../../../platform/http/index.js';
import {
  DELIVERY_STATES,
  type DeliveryState,
  FAILURE_CAUSES,
  type FailureCause,
} from '../deliveries/hook-delivery.entity.js';
import type {
  LoggedDelivery,
  LoggedDeliveryDetail,
} from '../delivery-log/delivery-log.repository.js';

/** A delivery of an event to a hook. */
export class DeliveryView {
  id!: number;
  /** The `webhook-id` header: the same in every attempt, so that receivers recognise repeats. */
  webhook_id!: string;
  /** The kind of event: `push`, `issue` and so on; `system` for events that only system hooks get. */
  event!: string;
  /** `pending` until an attempt succeeds or none is left. */
  @ApiProperty({ enum: DELIVERY_STATES })
  status!: DeliveryState;
  /** Since the delivery was queued, or sent again on request. */
  attempts!: number;
  /** Of the last attempt, like the following fields; null without a response. */
  response_status!: number | null;
  duration_ms!: number | null;
  /** Why the attempt failed; null when it succeeded. */
  @ApiProperty({ enum: FAILURE_CAUSES, nullable: true, type: String })
  cause!: FailureCause | null;
  /** The cause in words. */
  message!: string | null;
  created_at!: Date;
  attempted_at!: Date | null;
  /** Null for a delivery that is due at once, and for one that has ended. */
  next_attempt_at!: Date | null;
  finished_at!: Date | null;
}

/** A delivery with the request and response of its last attempt. */
export class DeliveryDetailView extends DeliveryView {
  /** Without token, signature and password; null before the first attempt. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, nullable: true })
  request_headers!: Record<string, string> | null;
  /** The same in every attempt; null for pushes before the first. */
  request_body!: string | null;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, nullable: true })
  response_headers!: Record<string, string> | null;
  /** The first 64 KiB at most. */
  response_body!: string | null;
}

export function presentDelivery(delivery: LoggedDelivery): DeliveryView {
  return {
    id: Number(delivery.id),
    webhook_id: delivery.messageId,
    event: delivery.kind,
    status: delivery.state,
    attempts: delivery.attempts,
    response_status: delivery.responseStatus,
    duration_ms: delivery.durationMs,
    cause: delivery.cause,
    message: delivery.message,
    created_at: delivery.createdAt,
    attempted_at: delivery.attemptedAt,
    next_attempt_at: delivery.nextAt,
    finished_at: delivery.finishedAt,
  };
}

export function presentDeliveryDetail(delivery: LoggedDeliveryDetail): DeliveryDetailView {
  return {
    ...presentDelivery(delivery),
    request_headers: delivery.requestHeaders,
    request_body: delivery.requestBody,
    response_headers: delivery.responseHeaders,
    response_body: delivery.responseBody,
  };
}
