import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { boundedCount, Page, type PageRequest, windowOf } from '../../../platform/pages/index.js';
import type {
  DeliveryState,
  FailureCause,
  HookDelivery,
} from '../deliveries/hook-delivery.entity.js';
import type { DisabledReason, HookKind } from '../hook.entity.js';

/** A delivery as lists show it. */
export type LoggedDelivery = Omit<
  HookDelivery,
  'hookId' | 'eventId' | 'turn' | 'requestHeaders' | 'responseHeaders' | 'responseBody'
>;

/** A delivery with the request and response of its last attempt. */
export type LoggedDeliveryDetail = LoggedDelivery &
  Pick<HookDelivery, 'requestHeaders' | 'responseHeaders' | 'responseBody'> & {
    requestBody: string | null;
  };

export interface DeliveryFilters {
  readonly state: DeliveryState | undefined;
  readonly kind: HookKind | undefined;
}

/** Which deliveries a replay repeats, by the time of their events. */
export interface ReplayRange {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly states: readonly DeliveryState[];
  /** All hooks when undefined. */
  readonly hookId: number | undefined;
}

/** The last delivery that a replay has handled. */
export interface ReplayPosition {
  /** As PostgreSQL formats it: a `Date` would lose microseconds. */
  readonly createdAt: string;
  readonly id: string;
}

interface ReplayedDelivery extends ReplayPosition {
  readonly hookId: number;
}

/** A delivery at a new turn, which needs a job. */
interface RequeuedDelivery {
  readonly id: string;
  readonly turn: number;
}

/** Counters of all deliveries in the log and of all hooks. */
export interface DeliveryCounts {
  /** Deliveries that have neither succeeded nor failed permanently. */
  readonly pending: number;
  /** Age of the oldest of them; 0 without any. */
  readonly oldestPendingSeconds: number;
  /** Deliveries whose last attempt failed: `pending` ones are retried. */
  readonly failures: readonly {
    readonly cause: FailureCause;
    readonly state: 'pending' | 'failed';
    readonly count: number;
  }[];
  readonly disabledHooks: readonly { readonly reason: DisabledReason; readonly count: number }[];
}

const LISTED = `
  d.id, d.message_id AS "messageId", d.kind, d.state, d.attempts,
  d.response_status AS "responseStatus", d.duration_ms AS "durationMs", d.cause, d.message,
  d.created_at AS "createdAt", d.attempted_at AS "attemptedAt", d.next_at AS "nextAt",
  d.finished_at AS "finishedAt"`;

const DETAIL = `
  SELECT ${LISTED}, d.request_headers AS "requestHeaders", e.body AS "requestBody",
         d.response_headers AS "responseHeaders", d.response_body AS "responseBody"
    FROM hook_deliveries d JOIN hook_events e ON e.id = d.event_id
   WHERE d.hook_id = $1 AND d.id = $2`;

/** Makes a delivery as it was when it was queued; the result of the last attempt stays readable. */
const REQUEUED = `state = 'pending', turn = turn + 1, attempts = 0, next_at = NULL, finished_at = NULL`;

const IN_RANGE = `
  SELECT d.id, d.hook_id AS "hookId", d.created_at::text AS "createdAt"
    FROM hook_deliveries d JOIN hooks h ON h.id = d.hook_id
   WHERE d.created_at >= $1 AND d.created_at < $2
     AND (d.created_at, d.id) > ($3::timestamptz, $4::bigint)
     AND d.state = ANY($5) AND ($6::int IS NULL OR d.hook_id = $6)
     AND h.disabled_reason IS DISTINCT FROM 'gone'
   ORDER BY d.created_at, d.id LIMIT $7`;

const PENDING = `
  SELECT count(*)::int AS pending,
         coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS "oldestPendingSeconds"
    FROM hook_deliveries WHERE state = 'pending'`;

const FAILURES = `
  SELECT cause, state, count(*)::int AS count
    FROM hook_deliveries WHERE cause IS NOT NULL GROUP BY cause, state ORDER BY cause, state`;

const DISABLED_HOOKS = `
  SELECT disabled_reason AS reason, count(*)::int AS count
    FROM hooks WHERE disabled_at IS NOT NULL GROUP BY disabled_reason ORDER BY disabled_reason`;

/** Reads the delivery log, and requeues deliveries of it. */
@Injectable()
export class DeliveryLogRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. */
  async page(
    hookId: number,
    { state, kind }: DeliveryFilters,
    request: PageRequest,
  ): Promise<Page<LoggedDelivery>> {
    const conditions = ['d.hook_id = $1'];
    const parameters: unknown[] = [hookId];
    if (state !== undefined) conditions.push(`d.state = $${String(parameters.push(state))}`);
    if (kind !== undefined) conditions.push(`d.kind = $${String(parameters.push(kind))}`);
    const from = `FROM hook_deliveries d WHERE ${conditions.join(' AND ')}`;
    const { offset, limit } = windowOf(request);
    const rows = await this.database.rows<LoggedDelivery>(
      `SELECT ${LISTED} ${from} ORDER BY d.id DESC LIMIT ${String(limit)} OFFSET ${String(offset)}`,
      parameters,
    );
    const counted = await boundedCount(this.database, `SELECT 1 ${from}`, parameters);
    return Page.cut(rows, counted, request);
  }

  async find(hookId: number, id: number | string): Promise<LoggedDeliveryDetail | null> {
    const [delivery] = await this.database.rows<LoggedDeliveryDetail>(DETAIL, [hookId, id]);
    return delivery ?? null;
  }

  /** Undefined when there is no such delivery. */
  async requeue(hookId: number, id: number): Promise<RequeuedDelivery | undefined> {
    const [requeued] = await this.database.rows<RequeuedDelivery>(
      `UPDATE hook_deliveries SET ${REQUEUED} WHERE hook_id = $1 AND id = $2 RETURNING id, turn`,
      [hookId, id],
    );
    return requeued;
  }

  /** Requeues those of the deliveries that are still in one of the states. */
  requeueAll(
    ids: readonly string[],
    states: readonly DeliveryState[],
  ): Promise<RequeuedDelivery[]> {
    return this.database.rows<RequeuedDelivery>(
      `UPDATE hook_deliveries SET ${REQUEUED}
        WHERE id = ANY($1) AND state = ANY($2) RETURNING id, turn`,
      [ids, states],
    );
  }

  /** The next deliveries of a range, the oldest first, without those of hooks whose receivers responded 410. */
  findInRange(
    { from, to, states, hookId }: ReplayRange,
    after: ReplayPosition | undefined,
    limit: number,
  ): Promise<ReplayedDelivery[]> {
    const { createdAt = '-infinity', id = '0' } = after ?? {};
    const parameters = [from, to, createdAt, id, states, hookId ?? null, limit];
    return this.database.rows<ReplayedDelivery>(IN_RANGE, parameters);
  }

  async count(): Promise<DeliveryCounts> {
    const [pending, failures, disabledHooks] = await Promise.all([
      this.database.rows<Pick<DeliveryCounts, 'pending' | 'oldestPendingSeconds'>>(PENDING),
      this.database.rows<DeliveryCounts['failures'][number]>(FAILURES),
      this.database.rows<DeliveryCounts['disabledHooks'][number]>(DISABLED_HOOKS),
    ]);
    return { pending: 0, oldestPendingSeconds: 0, ...pending[0], failures, disabledHooks };
  }
}
