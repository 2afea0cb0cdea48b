import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/index.js';
import { ErasesAccountData } from '../../../users/index.js';
import { DraftNote } from './draft-note.entity.js';

/** Whose drafts: those of an author on a merge request. */
export interface DraftOwner {
  readonly mergeRequestId: number;
  readonly authorId: number;
}

export type DraftValues = Pick<
  DraftNote,
  'body' | 'discussionId' | 'resolves' | 'position' | 'commitSha'
>;

/** Rows that one step of erasing an account removes. */
const ERASED_AT_ONCE = 1_000;

/** The drafts of notes on merge requests. */
@Injectable()
export class DraftNotesRepository {
  constructor(private readonly database: Database) {}

  /** Finds all drafts of an author on a merge request, the oldest first. */
  findAll({ mergeRequestId, authorId }: DraftOwner): Promise<DraftNote[]> {
    const where = { mergeRequestId, authorId };
    return this.database.of(DraftNote).find({ where, order: { id: 'ASC' } });
  }

  findOne({ mergeRequestId, authorId }: DraftOwner, id: number): Promise<DraftNote | null> {
    return this.database.of(DraftNote).findOneBy({ id, mergeRequestId, authorId });
  }

  /** Returns how many drafts there are, without one of them, and the bytes of their texts. */
  async measure(
    { mergeRequestId, authorId }: DraftOwner,
    withoutId: number | null,
  ): Promise<{ readonly drafts: number; readonly bytes: number }> {
    const [row] = await this.database.rows<{ drafts: number; bytes: number }>(MEASURE, [
      mergeRequestId,
      authorId,
      withoutId,
    ]);
    return row ?? { drafts: 0, bytes: 0 };
  }

  async insert({ mergeRequestId, authorId }: DraftOwner, values: DraftValues): Promise<DraftNote> {
    const { body, discussionId, resolves, position, commitSha } = values;
    const [row] = await this.database.rows<{ id: number }>(INSERT, [
      ...[mergeRequestId, authorId, body, discussionId, resolves],
      ...[position && JSON.stringify(position), commitSha],
    ]);
    return this.database.of(DraftNote).findOneByOrFail({ id: row?.id ?? 0 });
  }

  /** @returns null if it is deleted */
  async update(
    id: number,
    { body, position }: Pick<DraftValues, 'body' | 'position'>,
  ): Promise<DraftNote | null> {
    await this.database.rows(UPDATE, [id, body, position && JSON.stringify(position)]);
    return this.database.of(DraftNote).findOneBy({ id });
  }

  /** @returns whether it was there */
  async remove({ mergeRequestId, authorId }: DraftOwner, id: number): Promise<boolean> {
    const { affected } = await this.database.of(DraftNote).delete({ id, mergeRequestId, authorId });
    return affected === 1;
  }

  /** Removes drafts that are as they were read. @returns whether all of them were */
  async removeUnchanged(drafts: readonly DraftNote[]): Promise<boolean> {
    const removed = await this.database.rows(REMOVE_UNCHANGED, [
      drafts.map(({ id }) => id),
      drafts.map(({ updatedAt }) => updatedAt.toISOString()),
    ]);
    return removed.length === drafts.length;
  }

  /** Removes some drafts of a deleted account. @returns whether there may be more */
  @ErasesAccountData()
  async removeSomeOf(userId: number): Promise<boolean> {
    const rows = await this.database.rows(REMOVE_SOME, [userId, ERASED_AT_ONCE]);
    return rows.length === ERASED_AT_ONCE;
  }
}

const MEASURE = `
  SELECT count(*)::int AS drafts, coalesce(sum(octet_length(body)), 0)::int AS bytes
    FROM draft_notes
   WHERE merge_request_id = $1 AND author_id = $2 AND id IS DISTINCT FROM $3::int`;

const INSERT = `
  INSERT INTO draft_notes (merge_request_id, author_id, body, discussion_id, resolves, position, commit_sha)
  VALUES ($1, $2, $3, $4::int, $5, $6::jsonb, $7) RETURNING id`;

// Two changes in one millisecond get different times, so that publishing notices both.
const UPDATE = `
  UPDATE draft_notes
     SET body = $2, position = $3::jsonb,
         updated_at = greatest(now(), updated_at + interval '1 millisecond')
   WHERE id = $1`;

const REMOVE_UNCHANGED = `
  DELETE FROM draft_notes
   WHERE id = ANY($1::int[])
     AND updated_at = ($2::timestamptz[])[array_position($1::int[], id)]
  RETURNING id`;

const REMOVE_SOME = `
  DELETE FROM draft_notes WHERE id IN (
    SELECT id FROM draft_notes WHERE author_id = $1 LIMIT $2)
  RETURNING id`;
