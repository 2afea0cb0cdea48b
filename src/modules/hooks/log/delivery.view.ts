import { ApiProperty } from '@nestjs/swagger';
import { FAILURE_CAUSES, type FailureCause } from '../deliveries/failure-cause.js';
import { DELIVERY_STATES, type DeliveryState } from '../deliveries/hook-delivery.entity.js';

/** An event on its way to a hook, or at its end (docs/reference/hooks.md#the-delivery-object). */
export class DeliveryView {
  id!: number;
  /** What receivers tell repeats by: the same in every attempt. */
  webhook_id!: string;
  /** What it tells of: `push`, `issue`; `system` for all that only hooks of the instance are told. */
  event!: string;
  /** `pending` until it was delivered or given up. */
  @ApiProperty({ enum: DELIVERY_STATES })
  status!: DeliveryState;
  /** Since it was queued, or repeated by hand. */
  attempts!: number;
  /** Of the last attempt, as the following; null without an answer. */
  response_status!: number | null;
  duration_ms!: number | null;
  /** Why it failed; null when it succeeded. */
  @ApiProperty({ enum: FAILURE_CAUSES, nullable: true, type: String })
  cause!: FailureCause | null;
  /** The cause in words. */
  message!: string | null;
  created_at!: Date;
  attempted_at!: Date | null;
  /** Null for what is due at once, and for what has come to its end. */
  next_attempt_at!: Date | null;
  finished_at!: Date | null;
}

/** A delivery with what was sent and answered by its last attempt. */
export class DeliveryDetailView extends DeliveryView {
  /** Without token, signature and password; null before the first attempt. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, nullable: true })
  request_headers!: Record<string, string> | null;
  /** The same in every attempt; that of pushes is null before the first. */
  request_body!: string | null;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, nullable: true })
  response_headers!: Record<string, string> | null;
  /** What was read of it: 64 KB at most. */
  response_body!: string | null;
}
