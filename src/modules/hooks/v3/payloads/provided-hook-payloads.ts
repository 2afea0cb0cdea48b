import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../../../authorization/index.js';
import type { HookKind } from '../../model/hook.entity.js';
import { IssueChanged } from '../../../issues/index.js';
import { MergeRequestChanged } from '../../../merge-requests/index.js';
import { CombinedStatuses, CommitStatusChanged, PushDescriber } from '../../../repository/index.js';
import { BuildPayloadBuilder } from './build-payload-builder.js';
import { IssuePayloadBuilder } from './issue-payload-builder.js';
import { MergeRequestPayloadBuilder } from './merge-request-payload-builder.js';
import { NotePayloadBuilder } from './note-payload-builder.js';
import { HookPayloads, lacksFiles, type SampleKind } from '../../payloads/hook-payloads.js';
import { PayloadsRepository } from '../../payloads/payloads.repository.js';
import { PushPayloadBuilder } from './push-payload-builder.js';

/** Builds the payloads of test deliveries, and completes payloads by what git knows. */
@Injectable()
export class ProvidedHookPayloads extends HookPayloads {
  constructor(
    private readonly payloads: PayloadsRepository,
    private readonly describer: PushDescriber,
    private readonly statuses: CombinedStatuses,
    private readonly pushes: PushPayloadBuilder,
    private readonly issues: IssuePayloadBuilder,
    private readonly mergeRequests: MergeRequestPayloadBuilder,
    private readonly notes: NotePayloadBuilder,
    private readonly builds: BuildPayloadBuilder,
  ) {
    super();
  }

  async buildSample(kind: SampleKind, project: ProjectRef, userId: number): Promise<object | null> {
    const payload = await this.buildNewest(kind, project, userId);
    if (payload === null || lacksFiles(kind)) return payload;
    return this.complete(kind, payload, project.id);
  }

  async complete(kind: HookKind, payload: object, projectId: number | null): Promise<object> {
    switch (kind) {
      case 'push':
      case 'tag_push':
        return this.pushes.addFiles(payload);
      case 'merge_request':
        return this.mergeRequests.addCommit(payload, projectId);
      case 'note':
        return this.notes.addCommit(payload, projectId);
      case 'build':
        return this.builds.addCommitToBuild(payload, projectId);
      case 'pipeline':
        return this.builds.addCommitToPipeline(payload, projectId);
      default:
        return payload;
    }
  }

  private buildNewest(
    kind: SampleKind,
    project: ProjectRef,
    userId: number,
  ): Promise<object | null> {
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
    const refKind = kind === 'push' ? 'branch' : 'tag';
    const sample = await this.describer.describeSample(refKind, project);
    if (sample === null) return null;
    const [payload] = await this.pushes.buildPushes({ projectId: project.id, userId }, [sample]);
    return payload ?? null;
  }

  private async buildIssue(projectId: number, userId: number): Promise<object | null> {
    const id = await this.payloads.findNewestIssueId(projectId);
    if (id === null) return null;
    return this.issues.buildIssue(new IssueChanged({ id: projectId }, id, userId, 'update'));
  }

  private async buildMergeRequest(projectId: number, userId: number): Promise<object | null> {
    const id = await this.payloads.findNewestMergeRequestId(projectId);
    if (id === null) return null;
    const event = new MergeRequestChanged(projectId, id, userId, 'update');
    return this.mergeRequests.buildMergeRequest(event);
  }

  /** A note on an issue or merge request; a comment on a commit when there is none. */
  private async buildNote(projectId: number): Promise<object | null> {
    const note = await this.payloads.findNewestNote(projectId);
    if (note !== null) return this.notes.buildNote(note);
    const commentId = await this.payloads.findNewestCommitCommentId(projectId);
    return commentId === null ? null : this.notes.buildCommitComment(commentId);
  }

  private async buildCommitStatus(projectId: number): Promise<object | null> {
    const status = await this.payloads.findNewestCommitStatus(projectId);
    if (status === null) return null;
    return this.builds.buildCommitStatus(status.id, await this.statuses.ofPipeline(status));
  }

  private async buildPipeline(projectId: number, userId: number): Promise<object | null> {
    const status = await this.payloads.findNewestCommitStatus(projectId);
    if (status === null) return null;
    const { sha, ref, id: statusId, name, status: to } = status;
    const change = { statusId, name, from: null, to, follows: null, userId };
    const combined = { from: null, to: await this.statuses.ofPipeline(status) };
    const event = new CommitStatusChanged({ id: projectId }, sha, ref, change, combined);
    return this.builds.buildPipeline(event);
  }
}
