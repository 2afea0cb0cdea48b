import { Injectable } from '@nestjs/common';
import { Database, notDeleted, rowsWhere } from '../../../platform/database/index.js';
import { COUNTED_ITEMS, Page, type PageRequest } from '../../../platform/pagination/index.js';
import { ErasesAccountData, type User, UsersRepository } from '../../users/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import type { Issuable, IssuableKind, IssuableType } from '../model/issuable.js';
import { isAmong, peopleColumns } from '../model/people.sql.js';

/** Rows that one step of erasing an account removes. */
const CHUNK = 500;

/**
 * Expresses whether a user is a participant of an issue or merge request, and so subscribed without having chosen
 * to be (docs/reference/issues.md#subscriptions). Null or false for an anonymous reader. Deleted accounts and the
 * ghost account are not excluded.
 *
 * `OFFSET 0` makes PostgreSQL look each of them up by index. Without it, it may collect all notes or awards of the user
 * first, however many there are.
 * @param target alias of the kind's table
 * @param user column or expression that holds a user's ID
 */
export const participates = (target: string, type: IssuableType, user: string): string => `
  (${target}.author_id = ${user}
   OR ${peopleColumns(type)
     .map((column) => isAmong(target, column, user))
     .join(' OR ')}
   OR EXISTS (SELECT 1 FROM notes n
               WHERE n.noteable_type = '${type}' AND n.noteable_id = ANY(ARRAY[${target}.id])
                 AND n.author_id = ${user} AND NOT n.system ORDER BY n.noteable_id OFFSET 0)
   OR EXISTS (SELECT 1 FROM mentions m
               WHERE m.target_type = '${type}' AND m.target_id = ${target}.id AND m.user_id = ${user}
              OFFSET 0)
   OR EXISTS (SELECT 1 FROM award_emoji a
               WHERE a.awardable_type = '${type}' AND a.awardable_id = ${target}.id
                 AND a.user_id = ${user} OFFSET 0))`;

/** Selects the users of `participates`, without deleted accounts. @param $1 kind @param $2 ID @param $3 most users */
const participantsOf = ({ table, type }: Pick<IssuableKind, 'table' | 'type'>): string => `
  SELECT u.id
    FROM (SELECT author_id AS user_id FROM ${table} WHERE id = $2
          ${peopleColumns(type)
            .map((column) => `UNION SELECT unnest(${column}) FROM ${table} WHERE id = $2`)
            .join(' ')}
          UNION SELECT author_id FROM notes
                 WHERE noteable_type = $1 AND noteable_id = $2 AND NOT system
          UNION SELECT user_id FROM mentions WHERE target_type = $1 AND target_id = $2
          UNION SELECT user_id FROM award_emoji
                 WHERE awardable_type = $1 AND awardable_id = $2) participant
    JOIN users u ON u.id = participant.user_id AND u.deleted_at IS NULL AND NOT u.ghost
   ORDER BY u.id LIMIT $3`;

/** Stores the choices of users to be subscribed or not (docs/reference/issues.md#subscriptions). */
@Injectable()
export class SubscriptionsRepository {
  constructor(
    private readonly database: Database,
    private readonly kinds: IssuableKinds,
    private readonly users: UsersRepository,
  ) {}

  /**
   * Stores a user's choice about an issue or merge request that the user may read.
   * @returns false if nothing changes
   */
  choose(
    { type, id, projectId }: Pick<Issuable, 'type' | 'id' | 'projectId'>,
    userId: number,
    subscribed: boolean,
  ): Promise<boolean> {
    const otherwise = `EXISTS (SELECT 1 FROM ${this.kinds.of(type).table} t
      WHERE t.id = $2::int AND ${participates('t', type, '$3::int')})`;
    return this.write({ type, id, projectId }, userId, subscribed, otherwise);
  }

  /** Lists the users who take part in an issue or merge request and are not deleted, by ID. */
  async listParticipants(
    { type, id }: Pick<Issuable, 'type' | 'id'>,
    request: PageRequest,
  ): Promise<Page<User>> {
    const rows = await this.database.rows<{ id: number }>(participantsOf(this.kinds.of(type)), [
      type,
      id,
      COUNTED_ITEMS + 1,
    ]);
    const page = Page.of(rows, request, { isCut: rows.length > COUNTED_ITEMS });
    const users = await this.users.findAuthors(page.items.map((row) => row.id));
    return page.withItems(page.items.flatMap((row) => users.get(row.id) ?? []));
  }

  /** As `choose`, for a label, to which users are subscribed by choice only. */
  chooseLabel(
    { id, projectId }: { id: number; projectId: number | null },
    userId: number,
    subscribed: boolean,
  ): Promise<boolean> {
    return this.write({ type: 'Label', id, projectId }, userId, subscribed, 'false');
  }

  /** Returns the labels that a user is subscribed to. */
  async chosenLabels(ids: readonly number[], userId: number): Promise<ReadonlySet<number>> {
    const rows = await this.database.rows<{ id: number }>(
      `SELECT asked.id
         FROM unnest($1::int[]) AS asked (id)
         JOIN ${rowsWhere('subscriptions', `target_type = 'Label' AND target_id = asked.id AND user_id = $2`)} s
           ON s.subscribed`,
      [[...ids], userId],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Removes all choices about a deleted object. */
  async removeAll({ type, id }: { type: Issuable['type'] | 'Label'; id: number }): Promise<void> {
    await this.database.rows(
      'DELETE FROM subscriptions WHERE target_type = $1 AND target_id = $2',
      [type, id],
    );
  }

  /** Removes some subscriptions of a deleted account. @returns whether there may be more */
  @ErasesAccountData()
  async removeSomeOf(userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `DELETE FROM subscriptions WHERE user_id = $1 AND (target_type, target_id) IN (
         SELECT target_type, target_id FROM subscriptions WHERE user_id = $1 LIMIT $2)
       RETURNING target_id`,
      [userId, CHUNK],
    );
    return rows.length === CHUNK;
  }

  /**
   * Locks the account's row, so that nothing is written after its erasure.
   * @param otherwise whether the user is subscribed without a choice, in SQL
   */
  private async write(
    {
      type,
      id,
      projectId,
    }: { type: Issuable['type'] | 'Label'; id: number; projectId: number | null },
    userId: number,
    subscribed: boolean,
    otherwise: string,
  ): Promise<boolean> {
    const rows = await this.database.rows(
      `INSERT INTO subscriptions AS chosen (target_type, target_id, user_id, project_id, subscribed)
       SELECT $1::varchar, $2::int, u.id, $4::int, $5::boolean FROM users u
        WHERE u.id = $3::int AND ${notDeleted('u')}
          AND (EXISTS (SELECT 1 FROM subscriptions s
                        WHERE s.target_type = $1::varchar AND s.target_id = $2::int
                          AND s.user_id = u.id)
               OR (${otherwise}) <> $5::boolean)
          FOR SHARE OF u
       ON CONFLICT (target_type, target_id, user_id) DO UPDATE SET subscribed = excluded.subscribed
        WHERE chosen.subscribed <> excluded.subscribed
       RETURNING target_id`,
      [type, id, userId, projectId, subscribed],
    );
    return rows.length > 0;
  }
}
