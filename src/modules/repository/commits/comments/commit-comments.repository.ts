import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../../platform/database/index.js';
import {
  type Page,
  type PageRequest,
  type SizedRow,
  sizedPageOfQuery,
} from '../../../../platform/pagination/index.js';
import { ProjectAccessRepository } from '../../../authorization/index.js';
import { ErasesAccountData } from '../../../users/index.js';
import { CommitComment } from './commit-comment.entity.js';

type NewComment = Omit<CommitComment, 'id' | 'createdAt' | 'updatedAt'>;

/** Rows that one step of erasing an account changes. */
const CHUNK = 1_000;

@Injectable()
export class CommitCommentsRepository {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectAccessRepository,
  ) {}

  /** Null for a project that is deleted. */
  async insert(comment: NewComment): Promise<CommitComment | null> {
    if (!(await this.projects.hold(comment.projectId))) return null;
    const comments = this.database.of(CommitComment);
    const { identifiers } = await comments.insert(comment);
    return comments.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  findOn(projectId: number, sha: string, id: number): Promise<CommitComment | null> {
    return this.database.of(CommitComment).findOneBy({ id, projectId, sha });
  }

  /** Changes the text of a comment. @returns null if it is deleted */
  async rewrite(id: number, note: string): Promise<CommitComment | null> {
    const comments = this.database.of(CommitComment);
    await comments.update({ id }, { note, updatedAt: () => 'now()' });
    return comments.findOneBy({ id });
  }

  /** Removes a comment with its events, in the caller's unit of work. @returns false if it is deleted already */
  async remove(id: number, eventTarget: string): Promise<boolean> {
    const { affected } = await this.database.of(CommitComment).delete({ id });
    const statement = 'DELETE FROM events WHERE target_type = $1 AND target_id = $2';
    await this.database.rows(statement, [eventTarget, id]);
    return affected !== 0;
  }

  /** Lists the comments on a commit, oldest first. */
  ofCommit(projectId: number, sha: string, request: PageRequest): Promise<Page<SizedRow>> {
    const query = this.database
      .of(CommitComment)
      .createQueryBuilder('comment')
      .where('comment.project_id = :projectId AND comment.sha = :sha', { projectId, sha })
      .orderBy('comment.id');
    return sizedPageOfQuery(this.database, query, { alias: 'comment', text: 'note' }, request);
  }

  /** Returns the existing ones of some comments, oldest first. */
  findByIds(ids: readonly number[]): Promise<CommitComment[]> {
    return this.database
      .of(CommitComment)
      .find({ where: { id: In([...ids]) }, order: { id: 'ASC' } });
  }

  /** Returns the size of notes in bytes, by ID. */
  async sizesOf(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database.rows<SizedRow>(
      'SELECT id, octet_length(note) AS "textBytes" FROM commit_comments WHERE id = ANY($1::int[])',
      [ids],
    );
    return new Map(rows.map(({ id, textBytes }) => [id, textBytes]));
  }

  /** Attributes some comments of a deleted account to the ghost. @returns whether there may be more */
  @ErasesAccountData()
  async handOver(userId: number, ghostId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE commit_comments SET author_id = $2 WHERE id IN (
         SELECT id FROM commit_comments WHERE author_id = $1 ORDER BY id LIMIT $3)
       RETURNING id`,
      [userId, ghostId, CHUNK],
    );
    return rows.length === CHUNK;
  }
}
