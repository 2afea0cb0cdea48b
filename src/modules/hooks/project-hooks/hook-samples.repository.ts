import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { IssuableType, NoteWritten } from '../../issuables/index.js';
import { CommitStatus } from '../../repository/index.js';

interface NoteRow {
  noteId: number;
  type: IssuableType;
  id: number;
  authorId: number;
}

// No index has these orders without other projects' rows, so each statement sorts the rows of the project.
const NOTE = `
  SELECT n.id AS "noteId", n.noteable_type AS type, n.noteable_id AS id, n.author_id AS "authorId"
    FROM notes n
   WHERE n.project_id = $1 AND NOT n.system
     AND (n.noteable_type <> 'Issue' OR EXISTS (
           SELECT FROM issues i WHERE i.id = n.noteable_id AND NOT i.confidential))
   ORDER BY n.created_at DESC, n.id DESC LIMIT 1`;

const COMMIT_COMMENT = `
  SELECT id FROM commit_comments WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`;

const ISSUE = `
  SELECT id FROM issues WHERE project_id = $1 AND deleted_at IS NULL AND NOT confidential
   ORDER BY iid DESC LIMIT 1`;

const MERGE_REQUEST = `
  SELECT id FROM merge_requests WHERE project_id = $1 AND deleted_at IS NULL
   ORDER BY iid DESC LIMIT 1`;

/** Finds the newest issue, note and so on of a project for test deliveries; nothing confidential. */
@Injectable()
export class HookSamplesRepository {
  constructor(private readonly database: Database) {}

  findIssueId(projectId: number): Promise<number | null> {
    return this.findId(ISSUE, projectId);
  }

  findMergeRequestId(projectId: number): Promise<number | null> {
    return this.findId(MERGE_REQUEST, projectId);
  }

  /** A note on an issue or a merge request. */
  async findNote(projectId: number): Promise<NoteWritten | null> {
    const [row] = await this.database.rows<NoteRow>(NOTE, [projectId]);
    if (row === undefined) return null;
    const { noteId, type, id, authorId } = row;
    return { projectId, noteId, noteable: { type, id }, authorId };
  }

  findCommitCommentId(projectId: number): Promise<number | null> {
    return this.findId(COMMIT_COMMENT, projectId);
  }

  findCommitStatus(projectId: number): Promise<CommitStatus | null> {
    return this.database
      .of(CommitStatus)
      .findOne({ where: { projectId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  private async findId(sql: string, projectId: number): Promise<number | null> {
    const [row] = await this.database.rows<{ id: number }>(sql, [projectId]);
    return row?.id ?? null;
  }
}
