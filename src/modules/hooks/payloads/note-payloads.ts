import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import {
  HiddenReferences,
  hideReferences,
  type Issuable,
  Note,
  type NoteWritten,
} from '../../issuables/index.js';
import { ProjectObjects } from '../../projects/index.js';
import { authorOf } from '../../users/index.js';
import { IssuePayloads, issueAttributes } from './issue-payloads.js';
import { MergeRequestObjects } from './merge-request-payloads.js';
import { UserObjects } from './user-object.js';

/** What a note is on, as its payload tells it. */
interface ToldNoteable {
  /** The path of its address within the project. */
  path: readonly [string, string];
  told: { issue: object } | { merge_request: object };
}

/** Tells of notes on issues and merge requests (open points 7.6). */
@Injectable()
export class NotePayloads {
  constructor(
    private readonly database: Database,
    private readonly hidden: HiddenReferences,
    private readonly issues: IssuePayloads,
    private readonly mergeRequests: MergeRequestObjects,
    private readonly projects: ProjectObjects,
    private readonly users: UserObjects,
  ) {}

  /** Null where nobody may be told: on confidential issues. */
  async written({ projectId, noteId, noteable, authorId }: NoteWritten): Promise<object | null> {
    const on = await this.noteable(noteable);
    const note = await this.database.of(Note).findOneBy({ id: noteId });
    const project = await this.projects.find(projectId);
    if (on === null || note === null || project === null) return null;
    const hides = await this.hidden.from([note], null);
    const body = hideReferences({ text: note.body, moved: note.movedReferences }, hides);
    const author = authorOf(await this.users.find(authorId), authorId);
    return {
      object_kind: 'note',
      user: this.users.user(author),
      project_id: projectId,
      project: this.projects.project(project),
      repository: this.projects.repository(project),
      object_attributes: {
        ...attributes({ ...note, body }),
        url: `${this.projects.url(project, ...on.path)}#note_${String(noteId)}`,
      },
      ...on.told,
    };
  }

  private async noteable({
    type,
    id,
  }: Pick<Issuable, 'type' | 'id'>): Promise<ToldNoteable | null> {
    if (type === 'Issue') {
      const issue = await this.issues.find(id);
      return (
        issue && {
          path: ['issues', String(issue.iid)],
          told: { issue: issueAttributes(issue) },
        }
      );
    }
    const found = await this.mergeRequests.find(id);
    return (
      found && {
        path: ['merge_requests', String(found.mergeRequest.iid)],
        told: { merge_request: found.attributes },
      }
    );
  }
}

function attributes(note: Note): object {
  return {
    id: note.id,
    note: note.body,
    noteable_type: note.noteableType,
    author_id: note.authorId,
    created_at: note.createdAt,
    updated_at: note.updatedAt,
    project_id: note.projectId,
    attachment: null,
    line_code: null,
    commit_id: '',
    noteable_id: note.noteableId,
    system: false,
    st_diff: null,
    updated_by_id: null,
    type: null,
  };
}
