import {
  type Database,
  inOrderOf,
  notDeleted,
  rowById,
  rowsByIds,
} from '../../../platform/database/index.js';
import { ErasesAccountData } from '../../users/index.js';
import { existingProject } from '../../authorization/index.js';
import type { IssuableKind } from './issuable.js';
import { hasAmong, type PeopleColumn } from './people.sql.js';

/** Rows that one step of erasing an account changes. */
const CHUNK = 1_000;

/** What feeds show of an issue or merge request. */
export interface TitledIssuable {
  iid: number;
  title: string;
}

/**
 * Implements what the repositories of all kinds do in the same way, with the erasure of accounts: the ghost account
 * becomes the author and editor, and assignees are removed. It waits for transactions that have locked a row.
 */
export abstract class BaseIssuablesRepository {
  protected constructor(
    protected readonly database: Database,
    private readonly table: IssuableKind['table'],
  ) {}

  /** Returns the bytes of text in a response about each, by ID: of its description and its milestone's. */
  async textBytesOf(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database.rows<{ id: number; bytes: number }>(
      `SELECT t.id, (coalesce(octet_length(t.description), 0)
                     + coalesce(octet_length(milestone.description), 0))::int AS bytes
         FROM ${rowsByIds(this.table, '$1::int[]')} t
         LEFT JOIN ${rowById('milestones', 't.milestone_id')} milestone ON true`,
      [ids],
    );
    return new Map(rows.map(({ id, bytes }) => [id, bytes]));
  }

  /** Returns numbers and titles by ID, without those that are deleted. */
  async titlesOf(ids: readonly number[]): Promise<ReadonlyMap<number, TitledIssuable>> {
    const rows = await this.database.rows<TitledIssuable & { id: number }>(
      `SELECT t.id, t.iid, t.title
         FROM ${rowsByIds(this.table, '$1::int[]')} t
         ${existingProject('t.project_id')}
        WHERE t.deleted_at IS NULL`,
      [ids],
    );
    return new Map(rows.map(({ id, iid, title }) => [id, { iid, title }]));
  }

  /** Returns the numbers of a project's rows, deleted ones included. */
  async numbersOf(projectId: number): Promise<Set<number>> {
    const rows = await this.database.rows<{ iid: number }>(
      `SELECT iid FROM ${this.table} WHERE project_id = $1`,
      [projectId],
    );
    return new Set(rows.map(({ iid }) => iid));
  }

  /** Sets `updated_at` to now. @returns false if it is deleted */
  async touch(id: number): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE ${this.table} SET updated_at = now() WHERE id = $1 AND ${notDeleted()} RETURNING id`,
      [id],
    );
    return rows.length > 0;
  }

  /** Locks rows in ID order until the unit of work ends (docs/lock-order.md). */
  async lock(ids: readonly number[]): Promise<void> {
    await this.database.rows(
      `SELECT id FROM ${this.table} WHERE id = ANY($1::int[]) ${inOrderOf('id')} FOR NO KEY UPDATE`,
      [ids],
    );
  }

  @ErasesAccountData()
  handOverAuthors(userId: number, ghostId: number): Promise<boolean> {
    return this.replaceUser('author_id', userId, ghostId);
  }

  @ErasesAccountData()
  handOverEditors(userId: number, ghostId: number): Promise<boolean> {
    return this.replaceUser('updated_by_id', userId, ghostId);
  }

  @ErasesAccountData()
  removeAssignees(userId: number): Promise<boolean> {
    return this.removeFrom('assignee_ids', userId);
  }

  /**
   * Removes a user from lists of some rows. They are locked before they are changed, so that the change is of the lists of then:
   * a transaction that they waited for may have replaced them.
   * @returns whether there may be more rows
   */
  protected async removeFrom(column: PeopleColumn, userId: number): Promise<boolean> {
    const rows = await this.database.rows<{ id: number }>(
      `SELECT id FROM ${this.table}
        WHERE id = ANY(ARRAY(SELECT t.id FROM ${this.table} t
                              WHERE ${hasAmong('t', column, '$1')} LIMIT $2))
        ${inOrderOf('id')} FOR NO KEY UPDATE`,
      [userId, CHUNK],
    );
    await this.database.rows(
      `UPDATE ${this.table} SET ${column} = array_remove(${column}, $1) WHERE id = ANY($2::int[])`,
      [userId, rows.map(({ id }) => id)],
    );
    return rows.length === CHUNK;
  }

  /** Sets a column of some rows to another account. @returns whether there may be more rows */
  protected async replaceUser(column: string, userId: number, other: number): Promise<boolean> {
    const changed = await this.database.rows(
      `UPDATE ${this.table} SET ${column} = $2
        WHERE id IN (SELECT id FROM ${this.table} WHERE ${column} = $1 LIMIT $3 FOR NO KEY UPDATE)
       RETURNING id`,
      [userId, other, CHUNK],
    );
    return changed.length === CHUNK;
  }
}
