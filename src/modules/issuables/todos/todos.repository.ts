import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { ErasesAccountData } from '../../users/index.js';
import type { Issuable } from '../issuable.js';
import { Todo } from './todo.entity.js';

export type TodoTarget = Pick<Issuable, 'type' | 'id' | 'projectId'>;
export type TodoReason = Pick<Todo, 'action' | 'authorId'> & { noteId?: number | undefined };

/** Writes todos; what their lists show is told by `TodoLists`. */
@Injectable()
export class TodosRepository {
  constructor(private readonly database: Database) {}

  /** Adds a pending todo for each user who has none for the target; answers the IDs of the new ones. */
  async insertUnlessPending(
    { type, id, projectId }: TodoTarget,
    userIds: readonly number[],
    { action, authorId, noteId }: TodoReason,
  ): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(INSERT, [
      ...[[...userIds].sort((a, b) => a - b), projectId, type, id],
      ...[noteId ?? null, authorId, action],
    ]);
    return rows.map((row) => row.id);
  }

  findById(id: number): Promise<Todo | null> {
    return this.database.of(Todo).findOneBy({ id });
  }

  /** Makes a user's pending todo for a target done. */
  async finish({ type, id }: Pick<Issuable, 'type' | 'id'>, userId: number): Promise<void> {
    await this.database.rows(
      `UPDATE todos SET state = 'done'
        WHERE user_id = $1 AND target_type = $2 AND target_id = $3 AND state = 'pending'`,
      [userId, type, id],
    );
  }

  async removeOf({ type, id }: Pick<Issuable, 'type' | 'id'>): Promise<void> {
    await this.database.of(Todo).delete({ targetType: type, targetId: id });
  }

  /** Removes some todos of a deleted account. @returns whether there may be more */
  @ErasesAccountData()
  async removeSomeOfUser(userId: number): Promise<boolean> {
    const gone = await this.database.rows(REMOVE_SOME, [userId]);
    return gone.length === CHUNK;
  }

  /** Attributes some todos that a deleted account caused to the ghost. @returns whether there may be more */
  @ErasesAccountData()
  async handOver(authorId: number, ghostId: number): Promise<boolean> {
    const moved = await this.database.rows(HAND_OVER, [authorId, ghostId]);
    return moved.length === CHUNK;
  }
}

const CHUNK = 1_000;

// In the order of users, whoever else inserts at the same time: nobody waits for one who waits for them.
const INSERT = `
  INSERT INTO todos (user_id, project_id, target_type, target_id, note_id, author_id, action)
  SELECT user_id, $2, $3, $4, $5, $6, $7 FROM unnest($1::int[]) AS wanted (user_id)
  ON CONFLICT DO NOTHING
  RETURNING id`;

const REMOVE_SOME = `
  DELETE FROM todos
   WHERE id IN (SELECT id FROM todos WHERE user_id = $1 LIMIT ${String(CHUNK)})
  RETURNING id`;

const HAND_OVER = `
  UPDATE todos SET author_id = $2
   WHERE id IN (SELECT id FROM todos WHERE author_id = $1 LIMIT ${String(CHUNK)})
  RETURNING id`;
