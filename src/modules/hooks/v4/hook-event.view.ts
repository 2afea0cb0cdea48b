import { ApiProperty } from '../../../platform/http/index.js';
import type { LoggedDeliveryDetail } from '../delivery-log/delivery-log.repository.js';
import type { HookKind } from '../model/hook.entity.js';

/** A delivery to a hook with its last attempt. */
export class V4HookEventView {
  id!: number;
  /** With `***` for its password, and the names of its variables for their values. */
  url!: string;
  /** The kind of event, such as `push_hooks`. */
  trigger!: string;
  /** Without secrets. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  request_headers!: Record<string, string>;
  /** Empty where it has more than 65,536 characters. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  request_data!: object;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  response_headers!: Record<string, string>;
  /** The first 64 KiB at most. */
  response_body!: string;
  /** Seconds. */
  execution_duration!: number;
  /** `internal error` without a response, `pending` before the first attempt. */
  response_status!: string;
}

/** The answer to a delivery that was sent again. */
export class V4ResentView {
  response_status!: number;
}

/** The names of kinds that are called otherwise. */
const TRIGGERS: Partial<Record<HookKind, string>> = { build: 'job' };

/** @param url of the hook, without secrets */
export const presentHookEvent = (url: string, delivery: LoggedDeliveryDetail): V4HookEventView => ({
  id: Number(delivery.id),
  url,
  trigger: `${TRIGGERS[delivery.kind] ?? delivery.kind}_hooks`,
  request_headers: delivery.requestHeaders ?? {},
  request_data: JSON.parse(delivery.requestBody ?? '{}') as object,
  response_headers: delivery.responseHeaders ?? {},
  response_body: delivery.responseBody ?? '',
  execution_duration: (delivery.durationMs ?? 0) / 1_000,
  response_status: String(
    delivery.responseStatus ?? (delivery.attemptedAt === null ? 'pending' : 'internal error'),
  ),
});
