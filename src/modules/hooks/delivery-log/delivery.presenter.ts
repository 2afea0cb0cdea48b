import type { DeliveryDetailView, DeliveryView } from './delivery.view.js';
import type { LoggedDelivery, LoggedDeliveryDetail } from './delivery-log.repository.js';

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
