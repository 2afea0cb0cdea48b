import { withoutNul } from '../../../platform/database/index.js';
import type { AttemptOutcome } from './delivery-attempt.js';
import type { DueDelivery } from './due-delivery.js';

/** An attempt that succeeded, to be recorded. */
export interface Success {
  readonly delivery: DueDelivery;
  readonly at: Date;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly outcome: AttemptOutcome;
}

/**
 * Records any number of successes of deliveries whose turn it is, and that their hooks do not fail. In one
 * order everywhere, lest two statements lock each other out.
 */
export const RECORD_SUCCESSES = `
  WITH recorded AS (
    UPDATE hook_deliveries d
       SET state = 'delivered', turn = d.turn + 1, attempts = d.attempts + 1,
           attempted_at = done.at, duration_ms = done.duration_ms,
           request_headers = done.request_headers, response_status = done.status,
           response_headers = done.response_headers, response_body = done.body,
           cause = NULL, message = NULL, next_at = NULL, finished_at = now()
      FROM (SELECT * FROM json_to_recordset($1) AS given (
              id bigint, turn int, at timestamptz, duration_ms int, request_headers json,
              status int, response_headers json, body text)
             ORDER BY id) AS done
     WHERE d.id = done.id AND d.turn = done.turn AND d.state = 'pending'
    RETURNING d.hook_id
  )
  UPDATE hooks SET failing_since = NULL
   WHERE id IN (SELECT id FROM hooks
                 WHERE id IN (SELECT hook_id FROM recorded) AND failing_since IS NOT NULL
                 ORDER BY id FOR NO KEY UPDATE)`;

/** The parameter of the statement. */
export function recordsOf(successes: readonly Success[]): string {
  return JSON.stringify(successes.map(recordOf));
}

function recordOf({ delivery, at, requestHeaders, outcome }: Success): object {
  const { durationMs, answer } = outcome;
  return {
    ...{ id: delivery.id, turn: delivery.turn, at, duration_ms: durationMs },
    ...{ request_headers: requestHeaders, response_headers: answer?.headers },
    ...{ status: answer?.status, body: withoutNul(answer?.body ?? '') },
  };
}
