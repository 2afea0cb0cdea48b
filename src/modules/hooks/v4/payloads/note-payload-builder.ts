import { Injectable } from '@nestjs/common';
import {
  type DiffPosition,
  discussionIdOf,
  type Issuable,
  type Note,
  type NoteWritten,
} from '../../../issuables/index.js';
import { presentPosition } from '../../../issuables/v4/index.js';
import type { PayloadProject } from '../../../projects/index.js';
import {
  type CommentedCommit,
  type CommitComment,
  describeCommit,
  discussionIdFor,
  lineNumbers,
} from '../../../repository/index.js';
import { presentCommitPosition, presentV4Diff } from '../../../repository/v4/index.js';
import { authorOf, type User } from '../../../users/index.js';
import { lineCode, PayloadCommits } from '../../payloads/payload-commits.js';
import { PayloadsRepository } from '../../payloads/payloads.repository.js';
import { V4IssuePayloadBuilder } from './issue-payload-builder.js';
import {
  type V4UnreadAttributes,
  V4MergeRequestPayloadBuilder,
} from './merge-request-payload-builder.js';
import { formatTime, formatTimeOrNull, V4SharedObjects } from './shared-objects.js';

/** The issue, merge request or commit that a note is on. */
interface Noteable {
  /** The segments of its address within the project. */
  readonly path: readonly [string, string];
  readonly object: object;
}

/** Builds the payloads of notes on issues, merge requests and commits. See docs/reference/v4-hooks.md#notes. */
@Injectable()
export class V4NotePayloadBuilder {
  constructor(
    private readonly payloads: PayloadsRepository,
    private readonly commits: PayloadCommits,
    private readonly issues: V4IssuePayloadBuilder,
    private readonly mergeRequests: V4MergeRequestPayloadBuilder,
    private readonly objects: V4SharedObjects,
  ) {}

  /** Builds a payload that has only the ID of the commit of a merge request. Null when its objects no longer exist. */
  async buildNote(event: NoteWritten): Promise<object | null> {
    const { projectId, noteId, noteable, actorId, action } = event;
    const found = await this.find(projectId, noteId, actorId);
    if (found === null) return null;
    const { note, project, actor, on } = found;
    return {
      object_kind: 'note',
      event_type: noteable.confidential ? 'confidential_note' : 'note',
      user: this.objects.user(actor),
      project_id: projectId,
      project: this.objects.project(project),
      object_attributes: {
        ...this.attributes(note, project, on),
        internal: noteable.confidential,
        action,
      },
      repository: this.objects.repository(project),
      ...on.object,
    };
  }

  /** A note with what it is on, as payloads of emoji contain them; null when they no longer exist. */
  async findNote(projectId: number, noteId: number, actorId: number): Promise<object | null> {
    const found = await this.find(projectId, noteId, actorId);
    return (
      found && { note: this.attributes(found.note, found.project, found.on), ...found.on.object }
    );
  }

  /** What a note or an emoji is on; null when it no longer exists. */
  async findNoteable(
    { type, id }: Pick<Issuable, 'type' | 'id'>,
    project: PayloadProject,
    reader: User,
  ): Promise<Noteable | null> {
    if (type === 'Issue') {
      const found = await this.issues.find(id, project);
      return (
        found && { path: ['issues', String(found.issue.iid)], object: { issue: found.attributes } }
      );
    }
    const found = await this.mergeRequests.find(id, project, reader);
    return (
      found && {
        path: ['merge_requests', String(found.mergeRequest.iid)],
        object: { merge_request: found.attributes },
      }
    );
  }

  /** Adds the commit of a merge request to a payload. @param readsGit whether git may be asked */
  async addCommit(payload: object, readsGit: boolean): Promise<object> {
    const { merge_request: attributes } = payload as { merge_request?: V4UnreadAttributes };
    if (attributes === undefined) return payload;
    const merge_request = await this.mergeRequests.completeAttributes(attributes, readsGit);
    return { ...payload, merge_request };
  }

  /** As `HookPayloads.buildCommitComment`. */
  async buildCommitComment(commentId: number, known?: CommentedCommit): Promise<object | null> {
    const comment = await this.payloads.findCommitComment(commentId);
    const project = comment && (await this.objects.findProject(comment.projectId));
    if (comment === null || project === null) return null;
    const commented = known ?? (await this.commits.findCommented(project, comment));
    if (commented === null) return null;
    const { commit } = commented;
    const users = await this.objects.findUsers([comment.authorId]);
    const url = this.objects.url(project, 'commit', comment.sha);
    return {
      object_kind: 'note',
      event_type: 'note',
      user: this.objects.author(users, comment.authorId),
      project_id: project.id,
      project: this.objects.project(project),
      object_attributes: {
        attachment: null,
        author_id: comment.authorId,
        change_position: null,
        commit_id: comment.sha,
        created_at: formatTime(comment.createdAt),
        discussion_id: discussionIdFor('commit comment', comment.id),
        id: comment.id,
        note: comment.note,
        noteable_id: null,
        noteable_type: 'Commit',
        project_id: project.id,
        resolved_at: null,
        resolved_by_id: null,
        resolved_by_push: null,
        system: false,
        updated_at: formatTime(comment.updatedAt ?? comment.createdAt),
        updated_by_id: null,
        description: comment.note,
        url: `${url}#note_${String(comment.id)}`,
        internal: false,
        ...lineAttributes(commented, comment),
        action: 'create',
      },
      repository: this.objects.repository(project),
      commit: this.objects.commit(project, describeCommit(commit)),
    };
  }

  private async find(
    projectId: number,
    noteId: number,
    actorId: number,
  ): Promise<{ note: Note; project: PayloadProject; actor: User; on: Noteable } | null> {
    const note = await this.payloads.findNote(noteId);
    const project = await this.objects.findProject(projectId);
    if (note === null || project === null) return null;
    const actor = authorOf(await this.objects.findUsers([actorId]), actorId);
    const on = await this.findNoteable(
      { type: note.noteableType, id: note.noteableId },
      project,
      actor,
    );
    return on && { note, project, actor, on };
  }

  private attributes(note: Note, project: PayloadProject, { path }: Noteable): object {
    return {
      attachment: null,
      author_id: note.authorId,
      change_position: null,
      commit_id: null,
      created_at: formatTime(note.createdAt),
      discussion_id: discussionIdOf(note.discussionId ?? note.id),
      id: note.id,
      line_code: note.position && lineCodeOf(note.position),
      note: note.body,
      noteable_id: note.noteableId,
      noteable_type: note.noteableType,
      original_position: note.originalPosition && presentPosition(note.originalPosition),
      position: note.position && presentPosition(note.position),
      project_id: note.projectId,
      resolved_at: formatTimeOrNull(note.resolvedAt),
      resolved_by_id: note.resolvedById,
      resolved_by_push: null,
      st_diff: null,
      system: note.system,
      type: note.type,
      updated_at: formatTime(note.updatedAt),
      updated_by_id: null,
      description: note.body,
      url: `${this.objects.url(project, ...path)}#note_${String(note.id)}`,
    };
  }
}

/** The attributes of a comment that depend on the line it is on. */
function lineAttributes({ commit, file }: CommentedCommit, comment: CommitComment): object {
  const { path, line, lineType } = comment;
  const position = presentCommitPosition(comment, commit);
  const numbers =
    file === null || line === null || lineType === null
      ? null
      : lineNumbers(file.text, line, lineType);
  return {
    line_code: path === null || numbers === null ? null : lineCode(path, numbers.old, numbers.new),
    original_position: position,
    position,
    st_diff: file && presentV4Diff(file),
    type: position === null ? null : 'DiffNote',
  };
}

/** Known from both numbers of a line, or from the client; a line of one side has its other number in the diff alone. */
function lineCodeOf({ newPath, oldLine, newLine, lineRange }: DiffPosition): string | null {
  if (lineRange?.end.lineCode) return lineRange.end.lineCode;
  return oldLine === null || newLine === null ? null : lineCode(newPath, oldLine, newLine);
}
