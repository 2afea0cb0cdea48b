import { Injectable } from '@nestjs/common';
import { BatchedReads, Database, plannedOnce } from '../../platform/database/index.js';
import {
  type CallerOnProject,
  PROJECT_ACCESS,
  type ProjectRow,
  toProjectAccess,
} from '../access/index.js';
import { User } from './user.entity.js';

interface Asked {
  /** Of a private token. */
  digest: string;
  projectId: number;
}

/** Without a namespace there is no such project, or none any more. */
type Row = (ProjectRow | { namespacePath: null }) & Record<string, unknown>;

const CALLER = 'caller.';

/** Tells who calls and how they stand on a project; requests that come together share a statement. */
@Injectable()
export class CallersOnProjectsRepository {
  private readonly batches = new BatchedReads<Asked, CallerOnProject>({
    key: ({ digest, projectId }) => `${digest} ${String(projectId)}`,
    answer: (asked) => this.answer(asked),
  });

  constructor(private readonly database: Database) {}

  /** Only active accounts call. */
  async find(digest: string, projectId: number): Promise<CallerOnProject> {
    const { caller, access } = await this.batches.ask({ digest, projectId });
    // Pushes note in it what they made the default branch.
    return { caller, access: access && { ...access, project: { ...access.project } } };
  }

  private async answer(asked: readonly Asked[]): Promise<CallerOnProject[]> {
    const columns = this.database.columns(User);
    const rows = await this.database.rows<Row>(
      `SELECT ${columns.list('u', CALLER)}, ${PROJECT_ACCESS}
         FROM unnest(${plannedOnce('$1', 'bpchar')}, ${plannedOnce('$2', 'int')})
              WITH ORDINALITY AS asked (digest, project_id, position)
         LEFT JOIN users u ON u.private_token_digest = asked.digest
                          AND u.state = 'active' AND u.deleted_at IS NULL
        CROSS JOIN LATERAL (SELECT u.id AS user_id) q
         LEFT JOIN projects p ON p.id = asked.project_id AND p.deleted_at IS NULL
         LEFT JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
        ORDER BY asked.position`,
      [asked.map(({ digest }) => digest), asked.map(({ projectId }) => projectId)],
    );
    return rows.map((row) => {
      const caller = row[`${CALLER}id`] === null ? null : columns.read(row, CALLER);
      return { caller, access: row.namespacePath === null ? null : toProjectAccess(row, caller) };
    });
  }
}
