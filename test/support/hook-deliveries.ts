import { deliverHook, fairnessKeyOf } from '../../src/modules/hooks/deliveries/deliver-hook.job.js';
import { Database, UnitOfWork } from '../../src/platform/database/index.js';
import { Outbox } from '../../src/platform/queue/index.js';
import { Secrets } from '../../src/platform/secrets/index.js';
import { untilJobsRan } from './due-jobs.js';
import type { Trellis } from './trellis.js';

export interface HookSettings {
  token?: string;
  projectId?: number;
  verifies?: boolean;
}

/** A row of the delivery log, and what its hook is like by now. */
export interface LoggedDelivery {
  id: string;
  state: string;
  turn: number;
  attempts: number;
  message_id: string;
  cause: string | null;
  message: string | null;
  request_headers: Record<string, string> | null;
  response_status: number | null;
  response_headers: Record<string, string> | null;
  response_body: string | null;
  waits: number | null;
  disabled_reason: string | null;
  failing: boolean;
}

/** Hooks and what is on its way to them, without anything that has to happen for it. */
export class HookDeliveries {
  constructor(private readonly trellis: Trellis) {}

  /** A hook of the instance, unless it is one of a project. */
  async hook(url: string, { token, projectId, verifies = true }: HookSettings = {}) {
    const sealed = token === undefined ? null : this.trellis.app.get(Secrets).seal(token);
    const [hook] = await this.trellis.rows<{ id: number }>(
      `INSERT INTO hooks (url, project_id, token_sealed, enable_ssl_verification)
       VALUES ($1, $2, $3, $4) RETURNING id`,
      [url, projectId ?? null, sealed, verifies],
    );
    if (hook === undefined) throw new Error('The hook was not stored');
    return hook.id;
  }

  /** Queues deliveries of one event to a hook, as events do. */
  async queue(hookId: number, facts: object = { object_kind: 'push' }, count = 1) {
    const deliveries = await this.trellis.app.get(UnitOfWork).run(async () => {
      const rows = await this.insert(hookId, facts, count);
      const jobs = rows.map(({ id, projectId }) =>
        deliverHook.with(
          { deliveryId: id, turn: 0 },
          { fairnessKey: fairnessKeyOf({ hookId, projectId }) },
        ),
      );
      await this.trellis.app.get(Outbox).addAll(jobs);
      return rows;
    });
    return deliveries[0]?.id ?? '';
  }

  async read(id: string): Promise<LoggedDelivery> {
    const [row] = await this.trellis.rows<LoggedDelivery>(
      `SELECT d.*, h.disabled_reason, h.failing_since IS NOT NULL AS failing,
              extract(epoch FROM next_at - now())::float8 AS waits
         FROM hook_deliveries d JOIN hooks h ON h.id = d.hook_id WHERE d.id = $1`,
      [id],
    );
    if (row === undefined) throw new Error(`There is no delivery ${id}`);
    return row;
  }

  /** What the log says of a delivery that has come to its end. */
  ended(id: string): Promise<LoggedDelivery> {
    return untilJobsRan(this.trellis, async () => {
      const delivery = await this.read(id);
      return delivery.state !== 'pending' && delivery;
    });
  }

  /** What the log says once so many attempts were made. */
  attempted(id: string, attempts: number): Promise<LoggedDelivery> {
    return untilJobsRan(this.trellis, async () => {
      const delivery = await this.read(id);
      return delivery.attempts >= attempts && delivery;
    });
  }

  private insert(
    hookId: number,
    facts: object,
    count: number,
  ): Promise<{ id: string; projectId: number | null }[]> {
    return this.trellis.app.get(Database).rows(
      `WITH event AS (
         INSERT INTO hook_events (kind, facts) VALUES ('issue', $2::json) RETURNING id)
       INSERT INTO hook_deliveries (hook_id, event_id, kind, message_id)
       SELECT $1, event.id, 'issue', 'msg_' || replace(gen_random_uuid()::text, '-', '')
         FROM event, generate_series(1, $3)
       RETURNING id, (SELECT project_id FROM hooks WHERE hooks.id = hook_id) AS "projectId"`,
      [hookId, JSON.stringify(facts), count],
    );
  }
}
