import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { IssueLink } from './issue-link.entity.js';

/** Links between issues. Who changes the links of an issue has locked it (docs/lock-order.md). */
@Injectable()
export class IssueLinksRepository {
  constructor(private readonly database: Database) {}

  /** Lists the links of an issue, whichever end it is, in the order of their creation; at most `limit`. */
  listOf(issueId: number, limit: number): Promise<IssueLink[]> {
    return this.database.rows(LIST_OF, [issueId, limit]);
  }

  /** Finds a link of an issue, whichever end it is. */
  async findOf(issueId: number, id: number): Promise<IssueLink | null> {
    const link = await this.database.of(IssueLink).findOneBy({ id });
    return link !== null && [link.sourceId, link.targetId].includes(issueId) ? link : null;
  }

  /** Inserts a link of two issues that the unit of work has locked. */
  async insert(sourceId: number, targetId: number): Promise<IssueLink> {
    const [row] = await this.database.rows<IssueLink>(INSERT, [sourceId, targetId]);
    if (row === undefined) throw new Error('The link was not inserted');
    return row;
  }

  /** @returns false if the two issues have no such link any more */
  async remove({ id, sourceId, targetId }: IssueLink): Promise<boolean> {
    return (await this.database.rows(REMOVE, [id, sourceId, targetId])).length > 0;
  }

  /** Removes all links of an issue. */
  async removeOf(issueId: number): Promise<void> {
    await this.database.rows(REMOVE_OF, [issueId]);
  }

  /** Makes the links of an issue those of another one, which has none. */
  async handOver(issueId: number, toId: number): Promise<void> {
    await this.database.rows(HAND_OVER, [issueId, toId]);
  }
}

const COLUMNS = `
  id, source_id AS "sourceId", target_id AS "targetId", created_at AS "createdAt"`;

const LIST_OF = `
  SELECT ${COLUMNS} FROM issue_links WHERE source_id = $1
   UNION ALL
  SELECT ${COLUMNS} FROM issue_links WHERE target_id = $1
   ORDER BY id LIMIT $2`;

const INSERT = `
  INSERT INTO issue_links (source_id, target_id) VALUES ($1, $2) RETURNING ${COLUMNS}`;

const REMOVE = `
  DELETE FROM issue_links WHERE id = $1 AND source_id = $2 AND target_id = $3 RETURNING id`;

const REMOVE_OF = 'DELETE FROM issue_links WHERE source_id = $1 OR target_id = $1';

const HAND_OVER = `
  UPDATE issue_links
     SET source_id = CASE source_id WHEN $1 THEN $2 ELSE source_id END,
         target_id = CASE target_id WHEN $1 THEN $2 ELSE target_id END
   WHERE source_id = $1 OR target_id = $1`;
