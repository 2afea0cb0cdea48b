import { Injectable } from '@nestjs/common';
import { Database, notDeleted, rowById, rowsByIds } from '../../../platform/database/index.js';
import {
  type EndedMembership,
  type MembershipSource,
  type Visibility,
  visibilityOf,
} from '../../authorization/index.js';
import { type IssuableType, Note, NoteWritten } from '../../issuables/index.js';
import { Issue } from '../../issues/index.js';
import { MergeRequest } from '../../merge-requests/index.js';
import { CommitComment, CommitStatus, type PipelineKey } from '../../repository/index.js';
import { User } from '../../users/index.js';

/** What payloads of system hooks contain of a project. */
export interface SystemProject {
  id: number;
  name: string;
  path: string;
  /** Path with the namespace's. */
  fullPath: string;
  namespaceId: number;
  /** The group's name, or the full name of the personal namespace's owner. */
  ownerName: string;
  /** Empty for groups. */
  ownerEmail: string;
  visibility: Visibility;
  createdAt: Date;
  updatedAt: Date;
}

/** A pipeline: the statuses of one commit on one ref. */
export interface PipelineTimes {
  /** That of the first status. */
  id: number;
  createdAt: Date;
  /** Null as long as none has started. */
  startedAt: Date | null;
  /** Null as long as one is unfinished. */
  finishedAt: Date | null;
}

/** A membership with its project or group, and its member. */
export interface PayloadMembership {
  accessLevel: number;
  createdAt: Date;
  sourceId: number;
  name: string;
  path: string;
  /** Of a project: with the namespace's. */
  fullPath: string;
  visibility: Visibility;
  userId: number;
  username: string;
  userName: string;
  email: string;
}

interface NewestNote {
  noteId: number;
  type: IssuableType;
  id: number;
  authorId: number;
}

/** More statuses of one pipeline are left out of its payload, which is stored and sent many times. */
const MAX_BUILDS = 500;

const PROJECTS = `
  SELECT p.id, p.name, p.path, n.path || '/' || p.path AS "fullPath",
         p.namespace_id AS "namespaceId", coalesce(u.name, n.name) AS "ownerName",
         coalesce(u.email, '') AS "ownerEmail", ${visibilityOf('p')} AS visibility,
         p.created_at AS "createdAt", p.updated_at AS "updatedAt"
    FROM ${rowsByIds('projects', '$1::int[]')} p
    JOIN ${rowById('namespaces', 'p.namespace_id')} n ON true
    LEFT JOIN ${rowById('users', 'n.owner_id')} u ON true
   ORDER BY p.id`;

const PIPELINE = `
  SELECT (SELECT min(id) FROM commit_statuses
           WHERE project_id = $1 AND sha = $2 AND ref = $3) AS id,
         (SELECT min(created_at) FROM commit_statuses
           WHERE project_id = $1 AND sha = $2 AND ref = $3) AS "createdAt",
         min(started_at) AS "startedAt",
         CASE WHEN bool_and(finished_at IS NOT NULL) THEN max(finished_at) END AS "finishedAt"
    FROM (SELECT DISTINCT ON (name) * FROM commit_statuses
           WHERE project_id = $1 AND sha = $2 AND ref = $3 ORDER BY name, id DESC) AS newest`;

const MEMBERSHIP_SOURCES: Readonly<Record<MembershipSource, { from: string; fullPath: string }>> = {
  project: {
    from: `${rowById('projects', 'm.source_id')} p
           JOIN ${rowById('namespaces', 'p.namespace_id')} n ON true`,
    fullPath: `n.path || '/' || p.path`,
  },
  group: { from: `${rowById('namespaces', 'm.source_id')} p`, fullPath: 'p.path' },
};

/** $1: ID of the source; $2: that of one member, or null for all. */
const currentMemberships = (table: string, source: string): string => `
  SELECT ${source}, user_id, access_level, created_at FROM ${table}
   WHERE ${source} = $1 AND $2::int IS NULL
   UNION ALL
  SELECT ${source}, user_id, access_level, created_at FROM ${table}
   WHERE ${source} = $1 AND user_id = $2`;

const CURRENT_MEMBERSHIPS: Readonly<Record<MembershipSource, string>> = {
  project: currentMemberships('project_members', 'project_id'),
  group: currentMemberships('group_members', 'group_id'),
};

const ENDED_MEMBERSHIPS =
  'SELECT * FROM unnest($1::int[], $2::int[], $3::int[], $4::timestamptz[])';

const membershipsSql = (source: MembershipSource, memberships: string): string => `
  SELECT m.access_level AS "accessLevel", m.created_at AS "createdAt", p.id AS "sourceId",
         p.name, p.path, ${MEMBERSHIP_SOURCES[source].fullPath} AS "fullPath",
         ${visibilityOf('p')} AS visibility, u.id AS "userId", u.username,
         u.name AS "userName", u.email
    FROM (${memberships}) m (source_id, user_id, access_level, created_at)
   CROSS JOIN ${MEMBERSHIP_SOURCES[source].from}
    JOIN ${rowById('users', 'm.user_id')} u ON true
   ORDER BY p.id, u.id`;

const isConfidential = (alias: string, confidential: boolean): string =>
  `${confidential ? '' : 'NOT '}${alias}.confidential`;

// No index has these orders without other projects' rows, so each statement sorts the rows of the project.
const newestNote = (confidential: boolean): string => `
  SELECT n.id AS "noteId", n.noteable_type AS type, n.noteable_id AS id, n.author_id AS "authorId"
    FROM notes n
   WHERE n.project_id = $1 AND NOT n.system
     AND CASE n.noteable_type
           WHEN 'Issue' THEN EXISTS (
             SELECT FROM issues i
              WHERE i.id = n.noteable_id AND ${notDeleted('i')} AND ${isConfidential('i', confidential)})
           ELSE ${String(!confidential)} AND EXISTS (
             SELECT FROM merge_requests m WHERE m.id = n.noteable_id AND ${notDeleted('m')})
         END
   ORDER BY n.created_at DESC, n.id DESC LIMIT 1`;

const NEWEST_COMMIT_COMMENT = `
  SELECT id FROM commit_comments WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`;

const newestIssue = (confidential: boolean): string => `
  SELECT id FROM issues i
   WHERE project_id = $1 AND deleted_at IS NULL AND ${isConfidential('i', confidential)}
   ORDER BY iid DESC LIMIT 1`;

const NEWEST_RELEASE = `
  SELECT id FROM releases WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`;

const NEWEST_MERGE_REQUEST = `
  SELECT id FROM merge_requests WHERE project_id = $1 AND deleted_at IS NULL
   ORDER BY iid DESC LIMIT 1`;

/**
 * Reads the rows that payloads are built from, as the transaction of the event sees them, and finds the newest ones
 * of a project for test deliveries.
 */
@Injectable()
export class PayloadsRepository {
  constructor(private readonly database: Database) {}

  /** In the order of their ids; deleted projects included as long as their rows exist. */
  findProjects(ids: readonly number[]): Promise<SystemProject[]> {
    return this.database.rows<SystemProject>(PROJECTS, [ids]);
  }

  async findNamespacePath(id: number): Promise<string | null> {
    const sql = 'SELECT path FROM namespaces WHERE id = $1';
    const [namespace] = await this.database.rows<{ path: string }>(sql, [id]);
    return namespace?.path ?? null;
  }

  findUser(id: number): Promise<User | null> {
    return this.database.of(User).findOneBy({ id });
  }

  /** The usernames of accounts, by id. */
  async findUsernames(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    if (ids.length === 0) return new Map();
    const sql = `SELECT u.id, u.username FROM ${rowsByIds('users', '$1::int[]')} u`;
    const rows = await this.database.rows<Pick<User, 'id' | 'username'>>(sql, [ids]);
    return new Map(rows.map(({ id, username }) => [id, username]));
  }

  findIssue(id: number): Promise<Issue | null> {
    return this.database.of(Issue).findOneBy({ id });
  }

  findMergeRequest(id: number): Promise<MergeRequest | null> {
    return this.database.of(MergeRequest).findOneBy({ id });
  }

  findNote(id: number): Promise<Note | null> {
    return this.database.of(Note).findOneBy({ id });
  }

  findCommitComment(id: number): Promise<CommitComment | null> {
    return this.database.of(CommitComment).findOneBy({ id });
  }

  findCommitStatus(id: number): Promise<CommitStatus | null> {
    return this.database.of(CommitStatus).findOneBy({ id });
  }

  /** The times of a pipeline, which has at least one status. */
  async findPipeline({ projectId, sha, ref }: PipelineKey): Promise<PipelineTimes> {
    const [row] = await this.database.rows<PipelineTimes>(PIPELINE, [projectId, sha, ref]);
    return row as PipelineTimes;
  }

  /** The newest status of each name in a pipeline, the oldest first. */
  findBuilds({ projectId, sha, ref }: PipelineKey): Promise<CommitStatus[]> {
    return this.database
      .of(CommitStatus)
      .createQueryBuilder('status')
      .where(
        `status.id IN (SELECT max(id) FROM commit_statuses
                        WHERE project_id = :projectId AND sha = :sha AND ref = :ref GROUP BY name)`,
        { projectId, sha, ref },
      )
      .orderBy('status.id')
      .limit(MAX_BUILDS)
      .getMany();
  }

  /** @param userId null for all members */
  findMemberships(
    source: MembershipSource,
    sourceId: number,
    userId: number | null,
  ): Promise<PayloadMembership[]> {
    const sql = membershipsSql(source, CURRENT_MEMBERSHIPS[source]);
    return this.database.rows<PayloadMembership>(sql, [sourceId, userId]);
  }

  /** Completes memberships whose rows are already deleted. */
  describeEndedMemberships(
    source: MembershipSource,
    ended: readonly EndedMembership[],
  ): Promise<PayloadMembership[]> {
    return this.database.rows<PayloadMembership>(membershipsSql(source, ENDED_MEMBERSHIPS), [
      ended.map(({ sourceId }) => sourceId),
      ended.map(({ userId }) => userId),
      ended.map(({ accessLevel }) => accessLevel),
      ended.map(({ createdAt }) => createdAt),
    ]);
  }

  /** The newest issue of a project, of the confidential ones or the others. */
  findNewestIssueId(projectId: number, confidential: boolean): Promise<number | null> {
    return this.findId(newestIssue(confidential), projectId);
  }

  findNewestMergeRequestId(projectId: number): Promise<number | null> {
    return this.findId(NEWEST_MERGE_REQUEST, projectId);
  }

  /** The newest note on a confidential issue; or on another, or a merge request. */
  async findNewestNote(projectId: number, confidential: boolean): Promise<NoteWritten | null> {
    const sql = newestNote(confidential);
    const [row] = await this.database.rows<NewestNote>(sql, [projectId]);
    if (row === undefined) return null;
    const { noteId, type, id, authorId } = row;
    return new NoteWritten({ id: projectId }, noteId, { type, id, confidential }, authorId);
  }

  findNewestReleaseId(projectId: number): Promise<number | null> {
    return this.findId(NEWEST_RELEASE, projectId);
  }

  findNewestCommitCommentId(projectId: number): Promise<number | null> {
    return this.findId(NEWEST_COMMIT_COMMENT, projectId);
  }

  findNewestCommitStatus(projectId: number): Promise<CommitStatus | null> {
    return this.database
      .of(CommitStatus)
      .findOne({ where: { projectId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  private async findId(sql: string, projectId: number): Promise<number | null> {
    const [row] = await this.database.rows<{ id: number }>(sql, [projectId]);
    return row?.id ?? null;
  }
}
