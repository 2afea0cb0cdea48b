import { Injectable } from '@nestjs/common';
import { Batches } from '../../../platform/async/index.js';
import {
  BatchedReads,
  Database,
  plannedOnce,
  withoutNul,
} from '../../../platform/database/index.js';
import type { FailedOutcome } from './delivery-attempt.js';
import { type DeliveryTurn, type DueDelivery, turnKey, type Verdict } from './due-delivery.js';
import { RECORD_SUCCESSES, recordsOf, type Success } from './successes.js';

/** An attempt that failed, to be recorded. */
export interface RecordedAttempt {
  readonly delivery: DueDelivery;
  readonly at: Date;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly outcome: FailedOutcome;
  readonly verdict: Verdict;
}

/** A delivery that found no place. */
export interface Postponed extends DeliveryTurn {
  /** Milliseconds until it is its turn again. */
  readonly delayMs: number;
}

const DUE = `
  SELECT d.id, d.turn, d.attempts, d.message_id AS "messageId", d.event_id AS "eventId",
         e.kind, CASE WHEN e.body IS NULL THEN e.facts ELSE '{}' END AS facts, e.body,
         h.id AS "hookId", h.project_id AS "projectId", h.url,
         h.password_sealed AS "passwordSealed", h.token_sealed AS "tokenSealed",
         h.enable_ssl_verification AS "verifiesCertificate",
         h.disabled_at IS NOT NULL AS "isDisabled"
    FROM hook_deliveries d JOIN hook_events e ON e.id = d.event_id JOIN hooks h ON h.id = d.hook_id
   WHERE d.id = ANY(${plannedOnce('$1', 'bigint')}) AND d.state = 'pending'`;

const RECORD = `
  UPDATE hook_deliveries
     SET state = $3::varchar, turn = turn + 1, attempts = attempts + 1, attempted_at = $4,
         duration_ms = $5, request_headers = $6::json, response_status = $7,
         response_headers = $8::json, response_body = $9, cause = $10, message = $11,
         next_at = now() + $12::float8 * interval '1 ms',
         finished_at = CASE WHEN $3::varchar <> 'pending' THEN now() END
   WHERE id = $1 AND turn = $2 AND state = 'pending'
  RETURNING id`;

/** What the worker does with deliveries; each statement acts only if it is still the delivery's turn. */
@Injectable()
export class DeliveriesRepository {
  private readonly dues = new BatchedReads<DeliveryTurn, DueDelivery | undefined>({
    key: turnKey,
    answer: (turns) => this.allDue(turns),
  });
  private readonly successes = new Batches<Success, undefined>({
    key: ({ delivery }) => turnKey(delivery),
    answer: (successes) => this.recordAll(successes),
  });

  constructor(private readonly database: Database) {}

  /** Undefined when it was somebody else's turn meanwhile, or the hook is gone. */
  due(id: string, turn: number): Promise<DueDelivery | undefined> {
    return this.dues.ask({ id, turn });
  }

  /** Keeps the body of an event; answers what is kept, which may be what another has made. */
  async keepBody(eventId: string, body: string): Promise<string> {
    const [row] = await this.database.rows<{ body: string }>(
      'UPDATE hook_events SET body = coalesce(body, $2) WHERE id = $1 RETURNING body',
      [eventId, body],
    );
    return row?.body ?? body;
  }

  /**
   * Records an attempt that succeeded, and that the hook does not fail, if it still is the delivery's
   * turn: those that end together with one statement.
   */
  async recordSuccess(success: Success): Promise<void> {
    await this.successes.ask(success);
  }

  /** Records an attempt that failed; false when it is no longer the delivery's turn. */
  async record(attempt: RecordedAttempt): Promise<boolean> {
    const { delivery, at, requestHeaders, outcome, verdict } = attempt;
    const { answer, failure, durationMs } = outcome;
    const rows = await this.database.rows(RECORD, [
      delivery.id,
      delivery.turn,
      verdict.state,
      at,
      durationMs,
      JSON.stringify(requestHeaders),
      answer?.status ?? null,
      answer === null ? null : JSON.stringify(answer.headers),
      answer === null ? null : withoutNul(answer.body),
      failure.cause,
      withoutNul(failure.message),
      verdict.delayMs,
    ]);
    return rows.length > 0;
  }

  /**
   * Moves deliveries to their next turns without an attempt; answers these turns, without those of
   * deliveries whose turn it no longer was.
   */
  postpone(given: readonly Postponed[]): Promise<Postponed[]> {
    return this.database.rows<Postponed>(
      `UPDATE hook_deliveries d
          SET turn = d.turn + 1, next_at = now() + given.delay_ms * interval '1 ms'
         FROM unnest($1::bigint[], $2::int[], $3::float8[]) AS given (id, turn, delay_ms)
        WHERE d.id = given.id AND d.turn = given.turn AND d.state = 'pending'
       RETURNING d.id, d.turn, given.delay_ms AS "delayMs"`,
      [
        given.map(({ id }) => id),
        given.map(({ turn }) => turn),
        given.map(({ delayMs }) => delayMs),
      ],
    );
  }

  /** Ends a delivery that is not attempted, because its hook is disabled. */
  async abandon({ id, turn }: DueDelivery): Promise<void> {
    await this.database.rows(
      `UPDATE hook_deliveries
          SET state = 'failed', cause = 'disabled', message = 'The hook is disabled',
              next_at = NULL, finished_at = now()
        WHERE id = $1 AND turn = $2 AND state = 'pending'`,
      [id, turn],
    );
  }

  /** Deletes up to `limit` ended deliveries older than `days`; answers how many. */
  trimDeliveries(days: number, limit: number): Promise<number> {
    return this.deleted(
      `DELETE FROM hook_deliveries WHERE id IN (
         SELECT id FROM hook_deliveries
          WHERE created_at < now() - $1 * interval '1 day' AND state <> 'pending'
          ORDER BY created_at LIMIT $2)
       RETURNING id`,
      [days, limit],
    );
  }

  /** Deletes up to `limit` events older than `days` that no delivery tells of; answers how many. */
  trimEvents(days: number, limit: number): Promise<number> {
    return this.deleted(
      `DELETE FROM hook_events WHERE id IN (
         SELECT id FROM hook_events
          WHERE created_at < now() - $1 * interval '1 day'
            AND NOT EXISTS (SELECT FROM hook_deliveries WHERE event_id = hook_events.id)
          ORDER BY created_at LIMIT $2)
       RETURNING id`,
      [days, limit],
    );
  }

  private async allDue(turns: readonly DeliveryTurn[]): Promise<(DueDelivery | undefined)[]> {
    const rows = await this.database.rows<DueDelivery>(DUE, [turns.map(({ id }) => id)]);
    const pending = new Map(rows.map((row) => [row.id, row]));
    return turns.map(({ id, turn }) => {
      const delivery = pending.get(id);
      return delivery?.turn === turn ? delivery : undefined;
    });
  }

  private async recordAll(successes: readonly Success[]): Promise<undefined[]> {
    await this.database.rows(RECORD_SUCCESSES, [recordsOf(successes)]);
    return successes.map(() => undefined);
  }

  private async deleted(statement: string, parameters: unknown[]): Promise<number> {
    return (await this.database.rows(statement, parameters)).length;
  }
}
