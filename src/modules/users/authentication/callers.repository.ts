import { Injectable } from '@nestjs/common';
import {
  BatchedReads,
  Database,
  opaqueArray,
  rowById,
  rowsWhere,
} from '../../../platform/database/index.js';
import {
  type CallerOnProject,
  PROJECT_ACCESS,
  type ProjectRow,
  toProjectAccess,
} from '../../authorization/index.js';
import { User, type UserDetails } from '../model/user.entity.js';
import { selectDetails } from '../model/user-details.query.js';

interface UserQuestion {
  /** Digest of a private token. */
  digest: string;
  withDetails: boolean;
}

interface Question {
  /** Digest of a private token. */
  digest: string;
  projectId: number;
}

/** `namespacePath` is null when there is no such project. */
type Row = (ProjectRow | { namespacePath: null }) & Record<string, unknown>;

const CALLER = 'caller.';

/** Null unless they were asked for. */
const DETAILS = `
  CASE WHEN u.private_token_digest = ANY(${opaqueArray('$2', 'bpchar')})
       THEN (SELECT to_json(details) FROM (${selectDetails('u.id')}) details) END`;

/** Looks up callers by private token. Requests that arrive together share one statement. */
@Injectable()
export class CallersRepository {
  private readonly users = new BatchedReads<UserQuestion, User | null>({
    key: ({ digest, withDetails }) => `${digest} ${String(withDetails)}`,
    answer: (questions) => this.readUsers(questions),
  });

  private readonly onProjects = new BatchedReads<Question, CallerOnProject>({
    key: ({ digest, projectId }) => `${digest} ${String(projectId)}`,
    answer: (questions) => this.readOnProjects(questions),
  });

  constructor(private readonly database: Database) {}

  /** @param withDetails whether the account's details are to be read with it */
  findByTokenDigest(digest: string, withDetails: boolean): Promise<User | null> {
    return this.users.ask({ digest, withDetails });
  }

  /** Finds the active account of a token together with its access to a project. */
  async findOnProject(digest: string, projectId: number): Promise<CallerOnProject> {
    const { caller, access } = await this.onProjects.ask({ digest, projectId });
    // A copy for each request: pushes write a new default branch into it.
    return { caller, access: access && { ...access, project: { ...access.project } } };
  }

  private async readUsers(questions: readonly UserQuestion[]): Promise<(User | null)[]> {
    const detailed = questions.filter(({ withDetails }) => withDetails).map(({ digest }) => digest);
    const columns = this.database.columns(User);
    const rows = await this.database.rows<Record<string, unknown>>(
      `SELECT ${columns.list('u')}, ${DETAILS} AS details
         FROM unnest(${opaqueArray('$1', 'bpchar')}) AS asked (digest)
         JOIN ${rowsWhere('users', 'private_token_digest = asked.digest')} u
           ON u.deleted_at IS NULL`,
      [questions.map(({ digest }) => digest), detailed],
    );
    const users = new Map(
      rows.map((row) => {
        const user = columns.read(row);
        if (row['details'] !== null) user.details = row['details'] as UserDetails;
        return [user.privateTokenDigest, user];
      }),
    );
    return questions.map(({ digest }) => users.get(digest) ?? null);
  }

  private async readOnProjects(questions: readonly Question[]): Promise<CallerOnProject[]> {
    const columns = this.database.columns(User);
    const rows = await this.database.rows<Row>(
      `SELECT ${columns.list('u', CALLER)}, ${PROJECT_ACCESS}
         FROM unnest(${opaqueArray('$1', 'bpchar')}, ${opaqueArray('$2', 'int')})
              WITH ORDINALITY AS asked (digest, project_id, position)
         LEFT JOIN ${rowsWhere('users', 'private_token_digest = asked.digest')} u
                ON u.state = 'active' AND u.deleted_at IS NULL
        CROSS JOIN LATERAL (SELECT u.id AS user_id) q
         LEFT JOIN ${rowById('projects', 'asked.project_id')} p ON p.deleted_at IS NULL
         LEFT JOIN ${rowById('namespaces', 'p.namespace_id')} n ON n.deleted_at IS NULL
        ORDER BY asked.position`,
      [questions.map(({ digest }) => digest), questions.map(({ projectId }) => projectId)],
    );
    return rows.map((row) => {
      const caller = row[`${CALLER}id`] === null ? null : columns.read(row, CALLER);
      return { caller, access: row.namespacePath === null ? null : toProjectAccess(row, caller) };
    });
  }
}
