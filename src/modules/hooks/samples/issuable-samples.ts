import { Injectable } from '@nestjs/common';
import { IssueChanged } from '../../issues/index.js';
import { MergeRequestChanged } from '../../merge-requests/index.js';
import { CommitNotePayloads } from '../payloads/commit-note-payloads.js';
import { IssuePayloads } from '../payloads/issue-payloads.js';
import { MergeRequestPayloads } from '../payloads/merge-request-payloads.js';
import { NotePayloads } from '../payloads/note-payloads.js';
import { NewestThings } from './newest-things.js';

/** Tells of the newest issues, merge requests and notes of a project as if they had just been changed. */
@Injectable()
export class IssuableSamples {
  constructor(
    private readonly newest: NewestThings,
    private readonly issues: IssuePayloads,
    private readonly mergeRequests: MergeRequestPayloads,
    private readonly notes: NotePayloads,
    private readonly comments: CommitNotePayloads,
  ) {}

  /** @param userId whose doing it is said to be */
  async issue(projectId: number, userId: number): Promise<object | null> {
    const id = await this.newest.issue(projectId);
    if (id === null) return null;
    return this.issues.changed(new IssueChanged(projectId, id, userId, 'update'));
  }

  /** @param userId whose doing it is said to be */
  async mergeRequest(projectId: number, userId: number): Promise<object | null> {
    const id = await this.newest.mergeRequest(projectId);
    if (id === null) return null;
    return this.mergeRequests.changed(new MergeRequestChanged(projectId, id, userId, 'update'));
  }

  /** On an issue or a merge request, else on a commit. */
  async note(projectId: number): Promise<object | null> {
    const note = await this.newest.note(projectId);
    if (note !== null) return this.notes.written(note);
    const comment = await this.newest.commitComment(projectId);
    return comment === null ? null : this.comments.written(comment);
  }
}
