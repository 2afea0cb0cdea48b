import { Injectable } from '@nestjs/common';
import { Batches } from '../../../platform/async/index.js';
import {
  BatchedReads,
  Database,
  inOrderOf,
  opaqueArray,
  withoutNul,
} from '../../../platform/database/index.js';
import { confirmJobs } from '../../../platform/queue/index.js';
import type { DisabledReason, HookKind, HookVersion } from '../model/hook.entity.js';
import type { SealedHook } from '../model/hook-secrets.js';
import type { AttemptResult, FailedResult } from './http-sender.js';

/** A delivery that is due, with all that an attempt needs. */
export interface DueDelivery extends SealedHook {
  readonly id: string;
  readonly turn: number;
  readonly attempts: number;
  readonly messageId: string;
  readonly eventId: string;
  readonly kind: HookKind;
  /** Of the payload. */
  readonly version: HookVersion;
  /** Identify the event and the hook; null in version 3. */
  readonly eventUuid: string | null;
  readonly hookUuid: string | null;
  readonly needsVersion4: boolean;
  /** Empty when there is a body. */
  readonly payload: object;
  /** Null until it is built. */
  readonly body: string | null;
  readonly hookId: number;
  readonly projectId: number | null;
  readonly verifiesCertificate: boolean;
  readonly isDisabled: boolean;
}

/** The hook of a delivery. */
export type DeliveryHook = Pick<DueDelivery, 'hookId' | 'projectId'>;

/** A delivery that was just inserted. */
interface InsertedDelivery {
  readonly id: string;
  readonly hookId: number;
  readonly eventId: string;
  readonly needsVersion4: boolean;
}

/** A delivery before its first turn, and whether the last attempt of its hook failed. */
export interface UnattemptedDelivery extends Pick<
  InsertedDelivery,
  'id' | 'hookId' | 'needsVersion4'
> {
  readonly isFailing: boolean;
}

/** An event whose payload is not complete. */
type IncompleteEvent = Pick<DueDelivery, 'kind' | 'payload' | 'version'>;

/** What the events of some payloads have in common. */
interface EventForm {
  readonly kind: HookKind;
  readonly version: HookVersion;
  /** Whether `storeBody` follows. */
  readonly isIncomplete: boolean;
}

type DeliveryTurn = Pick<DueDelivery, 'id' | 'turn'>;

/** A delivery that found no free slot. */
export interface PostponedDelivery extends DeliveryTurn {
  /** Milliseconds until its next turn. */
  readonly delayMs: number;
  /** Of its job. */
  readonly fairnessKey: string;
  readonly needsVersion4: boolean;
}

/** What was attempted, and when. */
export interface Attempt {
  readonly delivery: DueDelivery;
  readonly at: Date;
  readonly requestHeaders: Readonly<Record<string, string>>;
}

interface SuccessfulAttempt extends Attempt {
  readonly result: AttemptResult;
  /** The job that made the attempt; null for an attempt on request. */
  readonly jobId: string | null;
}

export interface FailedAttempt extends Attempt {
  readonly result: FailedResult;
}

/** What follows from a failed attempt. */
export interface RetryDecision {
  readonly state: 'pending' | 'failed';
  /** Milliseconds to the next attempt of a pending delivery; null for a failed one. */
  readonly delayMs: number | null;
  /** Why the hook is disabled; null when it is not. */
  readonly disables: DisabledReason | null;
}

/** Identifies one turn of one delivery. */
export const turnKey = ({ id, turn }: DeliveryTurn): string => `${id} ${String(turn)}`;

/**
 * Whether a delivery is left to workers that know version 4: older ones would send its headers without what only version 4 has,
 * and no URL variables.
 */
export const needsVersion4 = (event: string, hook: string): string => `
  (${event}.api_version = 4 OR ${hook}.custom_headers_sealed IS NOT NULL
   OR ${hook}.url_variables_sealed IS NOT NULL)`;

// A hook that has been removed meanwhile gets no delivery; the others stay until the commit.
const INSERT = `
  WITH events AS (
    INSERT INTO hook_events (kind, facts, body, api_version, uuid)
    SELECT $1, CASE WHEN $4::boolean THEN payload::json ELSE '{}' END,
           CASE WHEN $4::boolean THEN NULL ELSE payload END, $5::smallint,
           CASE WHEN $5::smallint = 4 THEN gen_random_uuid() END
      FROM unnest($2::text[]) WITH ORDINALITY AS payloads (payload, position)
     ORDER BY position
    RETURNING id, api_version
  ), recipients AS (
    SELECT id, custom_headers_sealed, url_variables_sealed FROM hooks
     WHERE id = ANY($3::int[]) ${inOrderOf('id')} FOR KEY SHARE
  ), queued AS (
    INSERT INTO hook_deliveries (hook_id, event_id, kind, message_id)
    SELECT recipients.id, events.id, $1, 'msg_' || replace(gen_random_uuid()::text, '-', '')
      FROM events, recipients ORDER BY events.id, recipients.id
    RETURNING id, hook_id, event_id
  )
  SELECT queued.id, hook_id AS "hookId", event_id AS "eventId",
         ${needsVersion4('events', 'recipients')} AS "needsVersion4"
    FROM queued JOIN events ON events.id = event_id JOIN recipients ON recipients.id = hook_id
   ORDER BY queued.id`;

const FIND_INCOMPLETE = `
  SELECT kind, api_version AS version, facts AS payload FROM hook_events WHERE id = $1 AND body IS NULL`;

const FIND_UNATTEMPTED = `
  SELECT d.id, d.hook_id AS "hookId", h.failing_since IS NOT NULL AS "isFailing",
         ${needsVersion4('e', 'h')} AS "needsVersion4"
    FROM hook_deliveries d JOIN hooks h ON h.id = d.hook_id JOIN hook_events e ON e.id = d.event_id
   WHERE d.event_id = $1 AND d.state = 'pending' AND d.turn = 0 ORDER BY d.id`;

const FIND_DUE = `
  SELECT d.id, d.turn, d.attempts, d.message_id AS "messageId", d.event_id AS "eventId",
         e.kind, e.api_version AS version, e.uuid AS "eventUuid", h.uuid AS "hookUuid",
         ${needsVersion4('e', 'h')} AS "needsVersion4", CASE WHEN e.body IS NULL THEN e.facts ELSE '{}' END AS payload, e.body,
         h.id AS "hookId", h.project_id AS "projectId", h.url,
         h.password_sealed AS "passwordSealed", h.token_sealed AS "tokenSealed",
         h.custom_headers_sealed AS "customHeadersSealed",
         h.url_variables_sealed AS "urlVariablesSealed",
         h.enable_ssl_verification AS "verifiesCertificate",
         h.disabled_at IS NOT NULL AS "isDisabled"
    FROM hook_deliveries d JOIN hook_events e ON e.id = d.event_id JOIN hooks h ON h.id = d.hook_id
   WHERE d.id = ANY(${opaqueArray('$1', 'bigint')}) AND d.state = 'pending'`;

// Rows are locked in one order in every statement: two statements in different orders could deadlock.
const RECORD_SUCCESSES = `
  WITH confirmed AS (${confirmJobs('$2')}
  ), recorded AS (
    UPDATE hook_deliveries d
       SET state = 'delivered', turn = d.turn + 1, attempts = d.attempts + 1,
           attempted_at = done.at, duration_ms = done.duration_ms,
           request_headers = done.request_headers, response_status = done.status,
           response_headers = done.response_headers, response_body = done.body,
           cause = NULL, message = NULL, next_at = NULL, finished_at = now()
      FROM (SELECT * FROM json_to_recordset($1) AS attempts (
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

const RECORD_FAILURE = `
  UPDATE hook_deliveries
     SET state = $3::varchar, turn = turn + 1, attempts = attempts + 1, attempted_at = $4,
         duration_ms = $5, request_headers = $6::json, response_status = $7,
         response_headers = $8::json, response_body = $9, cause = $10, message = $11,
         next_at = now() + $12::float8 * interval '1 ms',
         finished_at = CASE WHEN $3::varchar <> 'pending' THEN now() END
   WHERE id = $1 AND turn = $2 AND state = 'pending'
  RETURNING id`;

const POSTPONE = `
  UPDATE hook_deliveries d
     SET turn = d.turn + 1, next_at = now() + postponed.delay_ms * interval '1 ms'
    FROM unnest($1::bigint[], $2::int[], $3::float8[], $4::text[], $5::boolean[])
           AS postponed (id, turn, delay_ms, fairness_key, needs_version_4)
   WHERE d.id = postponed.id AND d.turn = postponed.turn AND d.state = 'pending'
  RETURNING d.id, d.turn, postponed.delay_ms AS "delayMs", fairness_key AS "fairnessKey",
            postponed.needs_version_4 AS "needsVersion4"`;

const ABANDON = `
  UPDATE hook_deliveries
     SET state = 'failed', cause = 'disabled', message = 'The hook is disabled',
         next_at = NULL, finished_at = now()
   WHERE id = $1 AND turn = $2 AND state = 'pending'`;

const TRIM_DELIVERIES = `
  DELETE FROM hook_deliveries WHERE id IN (
    SELECT id FROM hook_deliveries
     WHERE created_at < now() - $1 * interval '1 day' AND state <> 'pending'
     ORDER BY created_at LIMIT $2)
  RETURNING id`;

const TRIM_EVENTS = `
  DELETE FROM hook_events WHERE id IN (
    SELECT id FROM hook_events
     WHERE created_at < now() - $1 * interval '1 day'
       AND NOT EXISTS (SELECT FROM hook_deliveries WHERE event_id = hook_events.id)
     ORDER BY created_at LIMIT $2)
  RETURNING id`;

/**
 * Inserts deliveries, and reads and records them for workers. A worker's statements change a delivery only
 * while its turn is that of the worker's job.
 */
@Injectable()
export class DeliveriesRepository {
  private readonly dueReads = new BatchedReads<DeliveryTurn, DueDelivery | undefined>({
    key: turnKey,
    answer: (turns) => this.findAllDue(turns),
  });
  private readonly successes = new Batches<SuccessfulAttempt, undefined>({
    key: ({ delivery }) => turnKey(delivery),
    answer: (attempts) => this.recordSuccesses(attempts),
  });

  constructor(private readonly database: Database) {}

  /**
   * Inserts an event for each payload, and a delivery of each event to each hook that still exists.
   */
  insert(
    { kind, version, isIncomplete }: EventForm,
    payloads: readonly object[],
    hookIds: readonly number[],
  ): Promise<InsertedDelivery[]> {
    const texts = payloads.map((payload) => JSON.stringify(payload));
    return this.database.rows<InsertedDelivery>(INSERT, [
      kind,
      texts,
      hookIds,
      isIncomplete,
      version,
    ]);
  }

  /** Undefined for an event that has a body, or no longer exists. */
  async findIncomplete(eventId: string): Promise<IncompleteEvent | undefined> {
    const [event] = await this.database.rows<IncompleteEvent>(FIND_INCOMPLETE, [eventId]);
    return event;
  }

  /** The deliveries of an event of which none was attempted or postponed, in order. */
  findUnattempted(eventId: string): Promise<UnattemptedDelivery[]> {
    return this.database.rows<UnattemptedDelivery>(FIND_UNATTEMPTED, [eventId]);
  }

  /** Undefined when the delivery is at another turn, has ended, or its hook has been removed. */
  findDue(id: string, turn: number): Promise<DueDelivery | undefined> {
    return this.dueReads.ask({ id, turn });
  }

  /** Stores the body of an event; returns the stored one, which another worker may have built first. */
  async storeBody(eventId: string, body: string): Promise<string> {
    const [row] = await this.database.rows<{ body: string }>(
      'UPDATE hook_events SET body = coalesce(body, $2) WHERE id = $1 RETURNING body',
      [eventId, body],
    );
    return row?.body ?? body;
  }

  /**
   * Records a successful attempt, confirms its job, and records that the hook is not failing. Attempts that end at the
   * same time share a statement.
   */
  async recordSuccess(attempt: SuccessfulAttempt): Promise<void> {
    await this.successes.ask(attempt);
  }

  /** Records a failed attempt; false when the delivery is already at another turn. */
  async recordFailure(
    { delivery, at, requestHeaders, result }: FailedAttempt,
    { state, delayMs }: RetryDecision,
  ): Promise<boolean> {
    const { response, failure, durationMs } = result;
    const rows = await this.database.rows(RECORD_FAILURE, [
      delivery.id,
      delivery.turn,
      state,
      at,
      durationMs,
      JSON.stringify(requestHeaders),
      response?.status ?? null,
      response === null ? null : JSON.stringify(response.headers),
      response === null ? null : withoutNul(response.body),
      failure.cause,
      withoutNul(failure.message),
      delayMs,
    ]);
    return rows.length > 0;
  }

  /** Moves deliveries to their next turns without an attempt; returns those that it moved. */
  postpone(deliveries: readonly PostponedDelivery[]): Promise<PostponedDelivery[]> {
    return this.database.rows<PostponedDelivery>(POSTPONE, [
      deliveries.map(({ id }) => id),
      deliveries.map(({ turn }) => turn),
      deliveries.map(({ delayMs }) => delayMs),
      deliveries.map(({ fairnessKey }) => fairnessKey),
      deliveries.map(({ needsVersion4 }) => needsVersion4),
    ]);
  }

  /** Fails a delivery without an attempt, because its hook is disabled. */
  async abandon({ id, turn }: DueDelivery): Promise<void> {
    await this.database.rows(ABANDON, [id, turn]);
  }

  /** Deletes up to `limit` ended deliveries older than `days`; returns how many. */
  async trimDeliveries(days: number, limit: number): Promise<number> {
    return (await this.database.rows(TRIM_DELIVERIES, [days, limit])).length;
  }

  /** Deletes up to `limit` events older than `days` without deliveries; returns how many. */
  async trimEvents(days: number, limit: number): Promise<number> {
    return (await this.database.rows(TRIM_EVENTS, [days, limit])).length;
  }

  private async findAllDue(turns: readonly DeliveryTurn[]): Promise<(DueDelivery | undefined)[]> {
    const rows = await this.database.rows<DueDelivery>(FIND_DUE, [turns.map(({ id }) => id)]);
    const pending = new Map(rows.map((row) => [row.id, row]));
    return turns.map(({ id, turn }) => {
      const delivery = pending.get(id);
      return delivery?.turn === turn ? delivery : undefined;
    });
  }

  private async recordSuccesses(attempts: readonly SuccessfulAttempt[]): Promise<undefined[]> {
    await this.database.rows(RECORD_SUCCESSES, [
      JSON.stringify(attempts.map(successRecord)),
      attempts.flatMap(({ jobId }) => jobId ?? []).sort(),
    ]);
    return attempts.map(() => undefined);
  }
}

/** The columns of a successful attempt as `RECORD_SUCCESSES` names them. */
function successRecord({ delivery, at, requestHeaders, result }: SuccessfulAttempt): object {
  const { durationMs, response } = result;
  return {
    id: delivery.id,
    turn: delivery.turn,
    at,
    duration_ms: durationMs,
    request_headers: requestHeaders,
    status: response?.status,
    response_headers: response?.headers,
    body: withoutNul(response?.body ?? ''),
  };
}
