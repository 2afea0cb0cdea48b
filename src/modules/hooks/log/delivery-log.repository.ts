import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { boundedCount, Page, type PageRequest, windowOf } from '../../../platform/http/index.js';
import type { DeliveryState, HookDelivery } from '../deliveries/hook-delivery.entity.js';
import type { HookKind } from '../hook-kinds.js';

/** What the log tells of a delivery in a list. */
export type LoggedDelivery = Omit<
  HookDelivery,
  'hookId' | 'eventId' | 'turn' | 'requestHeaders' | 'responseHeaders' | 'responseBody'
>;

/** The same with what was sent and answered. */
export type LoggedDetail = LoggedDelivery &
  Pick<HookDelivery, 'requestHeaders' | 'responseHeaders' | 'responseBody'> & {
    requestBody: string | null;
  };

/** What a list is narrowed to. */
export interface DeliveryFilters {
  readonly state: DeliveryState | undefined;
  readonly kind: HookKind | undefined;
}

/** A delivery whose turn has been raised, for the job that is to be added. */
export interface RepeatedDelivery {
  readonly id: string;
  readonly turn: number;
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

/** As it was when it was queued: the attempts begin anew, what the last one brought stays to be read. */
export const AS_QUEUED = `state = 'pending', turn = turn + 1, attempts = 0, next_at = NULL, finished_at = NULL`;

/** The log of deliveries, as those read it who own the hooks. */
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

  async find(hookId: number, id: number | string): Promise<LoggedDetail | null> {
    const [delivery] = await this.database.rows<LoggedDetail>(DETAIL, [hookId, id]);
    return delivery ?? null;
  }

  /** Makes a delivery be attempted once more from the first; undefined when there is no such one. */
  async repeat(hookId: number, id: number): Promise<RepeatedDelivery | undefined> {
    const [repeated] = await this.database.rows<RepeatedDelivery>(
      `UPDATE hook_deliveries SET ${AS_QUEUED} WHERE hook_id = $1 AND id = $2 RETURNING id, turn`,
      [hookId, id],
    );
    return repeated;
  }
}
