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

// No index has an order that these could follow without reading other projects' rows, so each sorts the
// few that the project has.
const NOTE = `
  SELECT n.id AS "noteId", n.noteable_type AS type, n.noteable_id AS id, n.author_id AS "authorId"
    FROM notes n
   WHERE n.project_id = $1 AND NOT n.system
     AND (n.noteable_type <> 'Issue' OR EXISTS (
           SELECT FROM issues i WHERE i.id = n.noteable_id AND NOT i.confidential))
   ORDER BY n.created_at DESC, n.id DESC LIMIT 1`;

const COMMENT = `
  SELECT id FROM commit_comments WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`;

const ISSUE = `
  SELECT id FROM issues WHERE project_id = $1 AND deleted_at IS NULL AND NOT confidential
   ORDER BY iid DESC LIMIT 1`;

const MERGE_REQUEST = `
  SELECT id FROM merge_requests WHERE project_id = $1 AND deleted_at IS NULL
   ORDER BY iid DESC LIMIT 1`;

/** Finds what a project has that hooks can be told of: the newest of a kind, nothing confidential. */
@Injectable()
export class NewestThings {
  constructor(private readonly database: Database) {}

  issue(projectId: number): Promise<number | null> {
    return this.idOf(ISSUE, projectId);
  }

  mergeRequest(projectId: number): Promise<number | null> {
    return this.idOf(MERGE_REQUEST, projectId);
  }

  /** On an issue or a merge request. */
  async note(projectId: number): Promise<NoteWritten | null> {
    const [row] = await this.database.rows<NoteRow>(NOTE, [projectId]);
    if (row === undefined) return null;
    const { noteId, type, id, authorId } = row;
    return { projectId, noteId, noteable: { type, id }, authorId };
  }

  commitComment(projectId: number): Promise<number | null> {
    return this.idOf(COMMENT, projectId);
  }

  commitStatus(projectId: number): Promise<CommitStatus | null> {
    return this.database
      .of(CommitStatus)
      .findOne({ where: { projectId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  private async idOf(statement: string, projectId: number): Promise<number | null> {
    const [row] = await this.database.rows<{ id: number }>(statement, [projectId]);
    return row?.id ?? null;
  }
}
