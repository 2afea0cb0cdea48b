import { Injectable } from '@nestjs/common';
import type { DiffEntry } from '../../../../git/index.js';
import type { Issuable, Note, NoteWritten } from '../../../issuables/index.js';
import { ProjectPayloadBuilder } from '../../../projects/v3/index.js';
import {
  type CommentedCommit,
  type CommitComment,
  lineNumbers,
} from '../../../repository/index.js';
import { presentDiff } from '../../../repository/v3/index.js';
import { authorOf } from '../../../users/index.js';
import { issueAttributes, IssuePayloadBuilder } from './issue-payload-builder.js';
import {
  MergeRequestPayloadBuilder,
  type UnreadAttributes,
} from './merge-request-payload-builder.js';
import { lineCode, PayloadCommits } from '../../payloads/payload-commits.js';
import { PayloadsRepository } from '../../payloads/payloads.repository.js';
import { SharedObjects } from './shared-objects.js';

/** The issue or merge request that a note is on. */
interface Noteable {
  /** The segments of its address within the project. */
  path: readonly [string, string];
  object: { issue: object } | { merge_request: object };
}

/** The attributes of a comment that depend on the line it is on. */
interface LineAttributes {
  line_code: string | null;
  st_diff: object | null;
  type: 'LegacyDiffNote' | null;
}

const NO_LINE: LineAttributes = { line_code: null, st_diff: null, type: null };

/**
 * Builds the payloads of notes on issues and merge requests, and of comments on commits. See
 * docs/reference/hooks.md#notes.
 */
@Injectable()
export class NotePayloadBuilder {
  constructor(
    private readonly payloads: PayloadsRepository,
    private readonly commits: PayloadCommits,
    private readonly issues: IssuePayloadBuilder,
    private readonly mergeRequests: MergeRequestPayloadBuilder,
    private readonly projects: ProjectPayloadBuilder,
    private readonly objects: SharedObjects,
  ) {}

  /**
   * Builds a payload that has only the ID of the commit of a merge request. Null for notes on confidential issues, and when
   * note, noteable or project no longer exist.
   */
  async buildNote({
    projectId,
    noteId,
    noteable,
    actorId: authorId,
  }: NoteWritten): Promise<object | null> {
    const on = await this.findNoteable(noteable);
    const note = await this.payloads.findNote(noteId);
    const project = await this.projects.find(projectId);
    if (on === null || note === null || project === null) return null;
    const author = authorOf(await this.objects.findUsers(authorId), authorId);
    return {
      object_kind: 'note',
      user: this.objects.user(author),
      project_id: projectId,
      project: this.projects.project(project),
      repository: this.projects.repository(project),
      object_attributes: {
        ...noteAttributes(note),
        url: `${this.projects.url(project, ...on.path)}#note_${String(noteId)}`,
      },
      ...on.object,
    };
  }

  /** Adds the commit of a merge request to a payload of `buildNote`. */
  async addCommit(payload: object, projectId: number | null): Promise<object> {
    const { merge_request: attributes } = payload as { merge_request?: UnreadAttributes };
    if (attributes === undefined) return payload;
    const merge_request = await this.mergeRequests.completeAttributes(attributes, projectId);
    return { ...payload, merge_request };
  }

  /**
   * Null when comment, commit or project no longer exist.
   * @param known what the comment is on; without it git is asked, which no transaction may wait for
   */
  async buildCommitComment(commentId: number, known?: CommentedCommit): Promise<object | null> {
    const comment = await this.payloads.findCommitComment(commentId);
    const project = comment && (await this.projects.find(comment.projectId));
    if (comment === null || project === null) return null;
    const commented = known ?? (await this.commits.findCommented(project, comment));
    if (commented === null) return null;
    const { commit, file } = commented;
    const author = authorOf(await this.objects.findUsers(comment.authorId), comment.authorId);
    const { line_code, st_diff, type } = lineAttributes(file, comment);
    return {
      object_kind: 'note',
      user: this.objects.user(author),
      project_id: project.id,
      project: this.projects.project(project),
      repository: this.projects.repository(project),
      object_attributes: {
        id: comment.id,
        note: comment.note,
        noteable_type: 'Commit',
        author_id: comment.authorId,
        created_at: comment.createdAt,
        updated_at: comment.createdAt,
        project_id: project.id,
        attachment: null,
        line_code,
        commit_id: comment.sha,
        noteable_id: null,
        system: false,
        st_diff,
        updated_by_id: null,
        type,
        url: `${this.projects.url(project, 'commit', comment.sha)}#note_${String(comment.id)}`,
      },
      commit: this.objects.commit(project, commit),
    };
  }

  private async findNoteable({
    type,
    id,
  }: Pick<Issuable, 'type' | 'id'>): Promise<Noteable | null> {
    if (type === 'Issue') {
      const issue = await this.issues.findPublicIssue(id);
      return (
        issue && {
          path: ['issues', String(issue.iid)],
          object: { issue: issueAttributes(issue) },
        }
      );
    }
    const found = await this.mergeRequests.find(id);
    return (
      found && {
        path: ['merge_requests', String(found.mergeRequest.iid)],
        object: { merge_request: found.attributes },
      }
    );
  }
}

function lineAttributes(
  file: DiffEntry | null,
  { path, line, lineType }: CommitComment,
): LineAttributes {
  if (file === null || path === null || line === null || lineType === null) return NO_LINE;
  const numbers = lineNumbers(file.text, line, lineType);
  if (numbers === null) return NO_LINE;
  return {
    line_code: lineCode(path, numbers.old, numbers.new),
    st_diff: presentDiff(file),
    type: 'LegacyDiffNote',
  };
}

function noteAttributes(note: Note): object {
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
