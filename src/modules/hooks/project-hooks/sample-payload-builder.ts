import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../../access/index.js';
import { IssueChanged } from '../../issues/index.js';
import { MergeRequestChanged } from '../../merge-requests/index.js';
import { CombinedStatuses, CommitStatusChanged, PushDescriber } from '../../repository/index.js';
import type { ProjectHookKind } from '../hook-kinds.js';
import { BuildPayloadBuilder } from '../payloads/build-payload-builder.js';
import { IssuePayloadBuilder } from '../payloads/issue-payload-builder.js';
import { MergeRequestPayloadBuilder } from '../payloads/merge-request-payload-builder.js';
import { NotePayloadBuilder } from '../payloads/note-payload-builder.js';
import { PushPayloadBuilder } from '../payloads/push-payload-builder.js';
import { HookSamplesRepository } from './hook-samples.repository.js';

/** The kinds of test delivery: all but wiki pages, of which there are none. */
export type SampleKind = Exclude<ProjectHookKind, 'wiki_page'>;

/** Builds the payloads of test deliveries from what a project has. */
@Injectable()
export class SamplePayloadBuilder {
  constructor(
    private readonly samples: HookSamplesRepository,
    private readonly describer: PushDescriber,
    private readonly statuses: CombinedStatuses,
    private readonly pushes: PushPayloadBuilder,
    private readonly issues: IssuePayloadBuilder,
    private readonly mergeRequests: MergeRequestPayloadBuilder,
    private readonly notes: NotePayloadBuilder,
    private readonly builds: BuildPayloadBuilder,
  ) {}

  /**
   * Builds the payload of the newest push, issue and so on, as if it had just happened.
   * @param userId who acts in the payload
   * @returns null when the project has nothing of that kind
   */
  build(kind: SampleKind, project: ProjectRef, userId: number): Promise<object | null> {
    switch (kind) {
      case 'push':
      case 'tag_push':
        return this.buildPush(kind, project, userId);
      case 'issue':
        return this.buildIssue(project.id, userId);
      case 'merge_request':
        return this.buildMergeRequest(project.id, userId);
      case 'note':
        return this.buildNote(project.id);
      case 'build':
        return this.buildCommitStatus(project.id);
      case 'pipeline':
        return this.buildPipeline(project.id, userId);
    }
  }

  private async buildPush(
    kind: 'push' | 'tag_push',
    project: ProjectRef,
    userId: number,
  ): Promise<object | null> {
    const sample = await this.describer.describeSample(kind, project, userId);
    if (sample === null) return null;
    const [payload] = await this.pushes.buildPushes({ projectId: project.id, userId }, [sample]);
    return payload ?? null;
  }

  private async buildIssue(projectId: number, userId: number): Promise<object | null> {
    const id = await this.samples.findIssueId(projectId);
    if (id === null) return null;
    return this.issues.buildIssue(new IssueChanged(projectId, id, userId, 'update'));
  }

  private async buildMergeRequest(projectId: number, userId: number): Promise<object | null> {
    const id = await this.samples.findMergeRequestId(projectId);
    if (id === null) return null;
    const event = new MergeRequestChanged(projectId, id, userId, 'update');
    return this.mergeRequests.buildMergeRequest(event);
  }

  /** A note on an issue or merge request; a comment on a commit when there is none. */
  private async buildNote(projectId: number): Promise<object | null> {
    const note = await this.samples.findNote(projectId);
    if (note !== null) return this.notes.buildNote(note);
    const commentId = await this.samples.findCommitCommentId(projectId);
    return commentId === null ? null : this.notes.buildCommitComment(commentId);
  }

  private async buildCommitStatus(projectId: number): Promise<object | null> {
    const status = await this.samples.findCommitStatus(projectId);
    if (status === null) return null;
    return this.builds.buildCommitStatus(status.id, await this.statuses.ofPipeline(status));
  }

  private async buildPipeline(projectId: number, userId: number): Promise<object | null> {
    const status = await this.samples.findCommitStatus(projectId);
    if (status === null) return null;
    const { sha, ref, id: statusId, name, status: to } = status;
    const change = { statusId, name, from: null, to, follows: null, userId };
    const combined = { from: null, to: await this.statuses.ofPipeline(status) };
    const event = new CommitStatusChanged(projectId, sha, ref, change, combined);
    return this.builds.buildPipeline(event);
  }
}
