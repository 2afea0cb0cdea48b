import type { Statements } from '../../../platform/database/index.js';
import { boundedGroups } from '../../../platform/pagination/bounded-groups.js';
import { COUNTED_ITEMS } from '../../../platform/pagination/page.js';
import type { FailureCause } from '../deliveries/hook-delivery.entity.js';
import type { DisabledReason } from '../model/hook.entity.js';

/** Counters of all deliveries in the log, exact up to `COUNTED_ITEMS`, and of all hooks. */
export interface DeliveryCounts {
  /** Deliveries that have neither succeeded nor failed permanently. */
  readonly pending: number;
  readonly hasMorePending: boolean;
  /** Age of the oldest of them; 0 without any. */
  readonly oldestPendingSeconds: number;
  /** Deliveries whose last attempt failed: `pending` ones are retried. */
  readonly failures: readonly {
    readonly cause: FailureCause;
    readonly state: 'pending' | 'failed';
    readonly count: number;
    readonly hasMore: boolean;
  }[];
  readonly disabledHooks: readonly { readonly reason: DisabledReason; readonly count: number }[];
}

type PendingCounts = Omit<DeliveryCounts, 'failures' | 'disabledHooks'>;

const BOUND = String(COUNTED_ITEMS);

const PENDING = `
  SELECT least(count(*), ${BOUND})::int AS pending, count(*) > ${BOUND} AS "hasMorePending",
         coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS "oldestPendingSeconds"
    FROM (SELECT created_at FROM hook_deliveries WHERE state = 'pending'
           ORDER BY created_at LIMIT ${BOUND} + 1) AS bounded`;

const FAILED = boundedGroups({
  table: 'hook_deliveries',
  where: 'cause IS NOT NULL',
  by: ['cause', 'state'],
});

const FAILURES = `
  SELECT cause, state, least(counted, ${BOUND}) AS count, counted > ${BOUND} AS "hasMore"
    FROM (${FAILED}) AS failures ORDER BY cause, state`;

const DISABLED_HOOKS = `
  SELECT disabled_reason AS reason, count(*)::int AS count
    FROM hooks WHERE disabled_at IS NOT NULL GROUP BY disabled_reason ORDER BY disabled_reason`;

/** The cost does not grow with the number of deliveries. */
export async function countDeliveries(statements: Statements): Promise<DeliveryCounts> {
  const [pending, failures, disabledHooks] = await Promise.all([
    statements.rowsInIndexOrder<PendingCounts>(PENDING),
    statements.rowsInIndexOrder<DeliveryCounts['failures'][number]>(FAILURES),
    statements.rows<DeliveryCounts['disabledHooks'][number]>(DISABLED_HOOKS),
  ]);
  const none = { pending: 0, hasMorePending: false, oldestPendingSeconds: 0 };
  return { ...none, ...pending[0], failures, disabledHooks };
}
