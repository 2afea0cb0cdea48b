import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { DisabledReason } from '../hook.entity.js';
import type { FailureCause } from './failure-cause.js';

/** How deliveries to all hooks fare. */
export interface DeliveryCounts {
  /** What has not been delivered and not been given up. */
  readonly pending: number;
  /** Since the oldest of these happened; 0 without any. */
  readonly oldestPendingSeconds: number;
  /** Of the log: what failed the last time, by whether it is tried again. */
  readonly failures: readonly {
    readonly cause: FailureCause;
    readonly state: 'pending' | 'failed';
    readonly count: number;
  }[];
  readonly disabledHooks: readonly { readonly reason: DisabledReason; readonly count: number }[];
}

const PENDING = `
  SELECT count(*)::int AS pending,
         coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS "oldestPendingSeconds"
    FROM hook_deliveries WHERE state = 'pending'`;

const FAILURES = `
  SELECT cause, state, count(*)::int AS count
    FROM hook_deliveries WHERE cause IS NOT NULL GROUP BY cause, state ORDER BY cause, state`;

const DISABLED = `
  SELECT disabled_reason AS reason, count(*)::int AS count
    FROM hooks WHERE disabled_at IS NOT NULL GROUP BY disabled_reason ORDER BY disabled_reason`;

/** Counts deliveries, for those who run the instance. */
@Injectable()
export class DeliveryCounting {
  constructor(private readonly database: Database) {}

  async read(): Promise<DeliveryCounts> {
    const [pending, failures, disabledHooks] = await Promise.all([
      this.database.rows<Pick<DeliveryCounts, 'pending' | 'oldestPendingSeconds'>>(PENDING),
      this.database.rows<DeliveryCounts['failures'][number]>(FAILURES),
      this.database.rows<DeliveryCounts['disabledHooks'][number]>(DISABLED),
    ]);
    return { pending: 0, oldestPendingSeconds: 0, ...pending[0], failures, disabledHooks };
  }
}
