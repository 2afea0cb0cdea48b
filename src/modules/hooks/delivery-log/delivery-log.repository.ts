import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import {
  boundedCount,
  Page,
  type PageRequest,
  windowOf,
} from '../../../platform/pagination/index.js';
import { needsVersion4 } from '../deliveries/deliveries.repository.js';
import type { DeliveryState, HookDelivery } from '../deliveries/hook-delivery.entity.js';
import type { DisabledReason, HookKind } from '../model/hook.entity.js';
import { countDeliveries, type DeliveryCounts } from './delivery-counts.query.js';

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

/** Statuses of responses. */
export interface StatusRange {
  readonly least: number;
  readonly most: number;
}

/** The hook that a delivery goes to, in lists of all hooks. */
export interface DeliveryReceiver {
  readonly hookId: number;
  /** The password in it is masked, unless an older version stored it. */
  readonly url: string;
  /** Null for system hooks, as the next. */
  readonly projectId: number | null;
  /** With that of its namespace. */
  readonly projectPath: string | null;
}

/** A delivery in lists of all hooks. */
export type InstanceDelivery = LoggedDelivery & DeliveryReceiver & Pick<HookDelivery, 'turn'>;

/** A delivery of any hook with the request and response of its last attempt. */
export type InstanceDeliveryDetail = LoggedDeliveryDetail &
  DeliveryReceiver &
  Pick<HookDelivery, 'turn'> & {
    readonly disabledReason: DisabledReason | null;
    /** Characters of the request body, of which the beginning is shown. */
    readonly requestLength: number | null;
  };

export interface InstanceDeliveryFilters extends DeliveryFilters {
  readonly hookId: number | undefined;
  readonly projectId: number | undefined;
  /** By the time of their events. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
}

/** The last delivery of a page, behind which the next one begins. */
export type DeliveryPosition = Pick<HookDelivery, 'createdAt' | 'id'>;

export interface DeliveryPage {
  readonly deliveries: readonly InstanceDelivery[];
  /** Null on the last page. */
  readonly next: DeliveryPosition | null;
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
export interface RequeuedDelivery {
  readonly id: string;
  readonly turn: number;
  readonly hookId: number;
  readonly projectId: number | null;
  readonly needsVersion4: boolean;
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

/** Characters of a request body that the detail of a delivery shows: pushes may have megabytes. */
const SHOWN_BODY = 64 * 1_024;

const WITH_ATTEMPT = `
  SELECT ${LISTED}, d.request_headers AS "requestHeaders",
         CASE WHEN length(e.body) <= ${String(SHOWN_BODY)} THEN e.body END AS "requestBody",
         d.response_headers AS "responseHeaders", d.response_body AS "responseBody"`;

const RECEIVER = `
  d.turn, h.id AS "hookId", h.url, h.project_id AS "projectId",
  n.path || '/' || p.path AS "projectPath"`;

const WITH_RECEIVER = `
  JOIN hooks h ON h.id = d.hook_id
  LEFT JOIN projects p ON p.id = h.project_id
  LEFT JOIN namespaces n ON n.id = p.namespace_id`;

const INSTANCE_DETAIL = `
  SELECT ${LISTED}, ${RECEIVER}, h.disabled_reason AS "disabledReason",
         d.request_headers AS "requestHeaders", left(e.body, ${String(SHOWN_BODY)}) AS "requestBody",
         length(e.body) AS "requestLength", d.response_headers AS "responseHeaders",
         d.response_body AS "responseBody"
    FROM hook_deliveries d JOIN hook_events e ON e.id = d.event_id ${WITH_RECEIVER}
   WHERE d.id = $1`;

/** Makes a delivery as it was when it was queued; the result of the last attempt stays readable. */
const REQUEUED = `state = 'pending', turn = turn + 1, attempts = 0, next_at = NULL, finished_at = NULL`;

const REQUEUED_ROW = `
  id, turn, hook_id AS "hookId",
  (SELECT project_id FROM hooks WHERE hooks.id = hook_id) AS "projectId",
  (SELECT ${needsVersion4('e', 'h')} FROM hooks h, hook_events e
    WHERE h.id = hook_id AND e.id = event_id) AS "needsVersion4"`;

const IN_RANGE = `
  SELECT d.id, d.hook_id AS "hookId", d.created_at::text AS "createdAt"
    FROM hook_deliveries d JOIN hooks h ON h.id = d.hook_id
   WHERE d.created_at >= $1 AND d.created_at < $2
     AND (d.created_at, d.id) > ($3::timestamptz, $4::bigint)
     AND d.state = ANY($5) AND ($6::int IS NULL OR d.hook_id = $6)
     AND h.disabled_reason IS DISTINCT FROM 'gone'
   ORDER BY d.created_at, d.id LIMIT $7`;

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

  /** The newest first, each with its last attempt, but without long request bodies. */
  async pageWithAttempts(
    hookId: number,
    statuses: StatusRange | undefined,
    request: PageRequest,
  ): Promise<Page<LoggedDeliveryDetail>> {
    const conditions = ['d.hook_id = $1'];
    const parameters: unknown[] = [hookId];
    if (statuses !== undefined) {
      const given = (value: number): string => `$${String(parameters.push(value))}`;
      // Other statuses are failures, by whose index they are found.
      if (statuses.least >= 300) conditions.push("d.state <> 'delivered'");
      conditions.push(
        `d.response_status BETWEEN ${given(statuses.least)} AND ${given(statuses.most)}`,
      );
    }
    const where = conditions.join(' AND ');
    const { offset, limit } = windowOf(request);
    const rows = await this.database.rows<LoggedDeliveryDetail>(
      `${WITH_ATTEMPT} FROM (SELECT * FROM hook_deliveries d WHERE ${where}
                           ORDER BY d.id DESC LIMIT ${String(limit)} OFFSET ${String(offset)}) d
         JOIN hook_events e ON e.id = d.event_id ORDER BY d.id DESC`,
      parameters,
    );
    const sql = `SELECT 1 FROM hook_deliveries d WHERE ${where}`;
    return Page.cut(rows, await boundedCount(this.database, sql, parameters), request);
  }

  /**
   * The deliveries of all hooks, the newest first.
   * @param after undefined for the first page
   */
  async pageOfInstance(
    filters: InstanceDeliveryFilters,
    after: DeliveryPosition | undefined,
    limit: number,
  ): Promise<DeliveryPage> {
    const { sql, parameters } = instancePage(filters, after, limit + 1);
    const rows = await this.database.rows<InstanceDelivery>(sql, parameters);
    const deliveries = rows.slice(0, limit);
    const last = deliveries.at(-1);
    if (last === undefined || rows.length <= limit) return { deliveries, next: null };
    return { deliveries, next: { createdAt: last.createdAt, id: last.id } };
  }

  /** Finds a delivery of any hook. */
  async findInInstance(id: number): Promise<InstanceDeliveryDetail | null> {
    const [delivery] = await this.database.rows<InstanceDeliveryDetail>(INSTANCE_DETAIL, [id]);
    return delivery ?? null;
  }

  /** Undefined when there is no such delivery. */
  async requeue(hookId: number, id: number): Promise<RequeuedDelivery | undefined> {
    const [requeued] = await this.database.rows<RequeuedDelivery>(
      `UPDATE hook_deliveries SET ${REQUEUED} WHERE hook_id = $1 AND id = $2
       RETURNING ${REQUEUED_ROW}`,
      [hookId, id],
    );
    return requeued;
  }

  /** Requeues a delivery of any hook that is still at a turn; undefined when it is not. */
  async requeueAtTurn(id: number, turn: number): Promise<RequeuedDelivery | undefined> {
    const [requeued] = await this.database.rows<RequeuedDelivery>(
      `UPDATE hook_deliveries SET ${REQUEUED} WHERE id = $1 AND turn = $2
        RETURNING ${REQUEUED_ROW}`,
      [id, turn],
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
        WHERE id = ANY($1) AND state = ANY($2) RETURNING ${REQUEUED_ROW}`,
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

  /** The cost does not grow with the number of deliveries. */
  count(): Promise<DeliveryCounts> {
    return countDeliveries(this.database);
  }
}

/**
 * Makes the statement of a page of the deliveries of all hooks. Without a filter, and for those that succeeded, it reads the newest by
 * the index of times; otherwise the page of each hook by the hook's own indexes, by ID. So there is no need of indexes that each
 * delivery would have to be written to.
 */
function instancePage(
  { state, kind, hookId, projectId, from, to }: InstanceDeliveryFilters,
  after: DeliveryPosition | undefined,
  limit: number,
): { sql: string; parameters: unknown[] } {
  const parameters: unknown[] = [];
  const given = (value: unknown): string => `$${String(parameters.push(value))}`;
  const hooks: string[] = ['true'];
  if (hookId !== undefined) hooks.push(`id = ${given(hookId)}`);
  if (projectId !== undefined) hooks.push(`project_id = ${given(projectId)}`);
  const isPerHook =
    hooks.length > 1 || kind !== undefined || (state ?? 'delivered') !== 'delivered';
  const conditions: string[] = [isPerHook ? 'd.hook_id = chosen.id' : 'true'];
  // In the text, since the partial indexes fit only then; it is one of three words.
  if (state !== undefined) conditions.push(`d.state = '${state}'`);
  if (kind !== undefined) conditions.push(`d.kind = ${given(kind)}`);
  if (from !== undefined) conditions.push(`d.created_at >= ${given(from)}`);
  if (to !== undefined) conditions.push(`d.created_at < ${given(to)}`);
  if (after !== undefined) {
    const id = given(after.id);
    conditions.push(
      isPerHook ? `d.id < ${id}` : `(d.created_at, d.id) < (${given(after.createdAt)}, ${id})`,
    );
  }
  const order = isPerHook ? 'd.id DESC' : 'd.created_at DESC, d.id DESC';
  const count = given(limit);
  const page = `
    (SELECT * FROM hook_deliveries d WHERE ${conditions.join(' AND ')}
      ORDER BY ${order} LIMIT ${count}) AS d`;
  const source = isPerHook
    ? `(SELECT id FROM hooks WHERE ${hooks.join(' AND ')}) AS chosen CROSS JOIN LATERAL ${page}`
    : page;
  const sql = `
    SELECT ${LISTED}, ${RECEIVER} FROM ${source} ${WITH_RECEIVER}
     ORDER BY ${order} LIMIT ${count}`;
  return { sql, parameters };
}
