import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { deliverHook, deliverHookLater } from '../deliveries/hook.jobs.js';
import type { HookKind } from '../hook-kinds.js';
import type { HookOwner } from '../hooks.repository.js';
import { isKnownAtOnce } from '../payloads/hook-bodies.js';
import { WANTS } from './wanted-kinds.js';

/** Something that happened, for the hooks of one project or of the instance. */
export interface Occasion {
  readonly kind: HookKind;
  readonly owner: HookOwner;
}

/** A hook that is told of something. */
export interface ListeningHook {
  readonly id: number;
  /** Whether its last attempt failed. */
  readonly isFailing: boolean;
}

interface QueuedDelivery {
  readonly id: string;
  readonly hookId: number;
}

/** What is told of it: a payload for each event. */
type Telling = () => Promise<readonly object[]>;

const wanting = ({ kind, owner }: Occasion): string => `
  SELECT id, failing_since IS NOT NULL AS "isFailing" FROM hooks
   WHERE ${owner === null ? 'project_id IS NULL' : 'project_id = $1'} AND disabled_at IS NULL
     AND ${WANTS[kind]}`;

// A hook that is removed meanwhile is told nothing any more; one that is there stays until the commit.
const RECORD = `
  WITH told AS (
    INSERT INTO hook_events (kind, facts, body)
    SELECT $1, CASE WHEN $4::boolean THEN '{}' ELSE facts::json END,
           CASE WHEN $4::boolean THEN facts END
      FROM unnest($2::text[]) WITH ORDINALITY AS given (facts, position)
     ORDER BY position
    RETURNING id
  ), listening AS (
    SELECT id FROM hooks WHERE id = ANY($3::int[]) FOR KEY SHARE
  )
  INSERT INTO hook_deliveries (hook_id, event_id, kind, message_id)
  SELECT listening.id, told.id, $1, 'msg_' || replace(gen_random_uuid()::text, '-', '')
    FROM told, listening ORDER BY told.id, listening.id
  RETURNING id, hook_id AS "hookId"`;

/** Tells hooks of what happened, in the unit of work in which it happens (open points 7.1). */
@Injectable()
export class HookEvents {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Queues a delivery of each event to each hook that wants events of this kind.
   * @param telling asked only where there is such a hook
   */
  async tell(occasion: Occasion, telling: Telling): Promise<void> {
    const { kind, owner } = occasion;
    const parameters = owner === null ? [] : [owner];
    const hooks = await this.database.rows<ListeningHook>(wanting(occasion), parameters);
    if (hooks.length > 0) await this.deliver(kind, await telling(), hooks);
  }

  /** As `tell`, of a single event; its payload is null where nobody may be told after all. */
  tellOne(occasion: Occasion, payload: () => Promise<object | null>): Promise<void> {
    return this.tell(occasion, async () => {
      const told = await payload();
      return told === null ? [] : [told];
    });
  }

  /**
   * Queues a delivery of each event to each of some hooks, whatever they want; answers the ids of the
   * deliveries.
   */
  async deliver(
    kind: HookKind,
    payloads: readonly object[],
    hooks: readonly ListeningHook[],
  ): Promise<string[]> {
    if (payloads.length === 0) return [];
    const facts = payloads.map((payload) => JSON.stringify(payload));
    const parameters = [kind, facts, hooks.map(({ id }) => id), isKnownAtOnce(kind)];
    const queued = await this.database.rows<QueuedDelivery>(RECORD, parameters);
    const failing = new Set(hooks.filter(({ isFailing }) => isFailing).map(({ id }) => id));
    // Where the last attempt failed, the next may take its time too: not in the way of all others.
    const jobs = queued.map(({ id: deliveryId, hookId }) =>
      (failing.has(hookId) ? deliverHookLater : deliverHook).with({ deliveryId, turn: 0 }),
    );
    await this.outbox.addAll(jobs);
    return queued.map(({ id }) => id);
  }
}
