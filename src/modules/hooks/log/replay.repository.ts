import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { DeliveryState } from '../deliveries/hook-delivery.entity.js';
import { AS_QUEUED, type RepeatedDelivery } from './delivery-log.repository.js';

/** Which deliveries are repeated: by when their events happened. */
export interface ReplayRange {
  readonly from: Date;
  /** Not included. */
  readonly to: Date;
  readonly states: readonly DeliveryState[];
  /** All hooks when absent. */
  readonly hookId: number | undefined;
}

/** How far a replay has come: the time as the database writes it, no digit lost. */
export interface ReplayPosition {
  readonly createdAt: string;
  readonly id: string;
}

export interface ReplayedDelivery extends ReplayPosition {
  readonly hookId: number;
}

const NEXT = `
  SELECT d.id, d.hook_id AS "hookId", d.created_at::text AS "createdAt"
    FROM hook_deliveries d JOIN hooks h ON h.id = d.hook_id
   WHERE d.created_at >= $1 AND d.created_at < $2
     AND (d.created_at, d.id) > ($3::timestamptz, $4::bigint)
     AND d.state = ANY($5) AND ($6::int IS NULL OR d.hook_id = $6)
     AND h.disabled_reason IS DISTINCT FROM 'gone'
   ORDER BY d.created_at, d.id LIMIT $7`;

@Injectable()
export class ReplayRepository {
  constructor(private readonly database: Database) {}

  /** The next deliveries of a range, the oldest first. */
  next(
    { from, to, states, hookId }: ReplayRange,
    after: ReplayPosition | undefined,
    limit: number,
  ): Promise<ReplayedDelivery[]> {
    const { createdAt = '-infinity', id = '0' } = after ?? {};
    const parameters = [from, to, createdAt, id, states, hookId ?? null, limit];
    return this.database.rows<ReplayedDelivery>(NEXT, parameters);
  }

  /** Makes deliveries be attempted once more from the first, as far as they are in one of the states. */
  repeat(ids: readonly string[], states: readonly DeliveryState[]): Promise<RepeatedDelivery[]> {
    return this.database.rows<RepeatedDelivery>(
      `UPDATE hook_deliveries SET ${AS_QUEUED}
        WHERE id = ANY($1) AND state = ANY($2) RETURNING id, turn`,
      [ids, states],
    );
  }
}
