import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../../authorization/index.js';
import { EmojiAwarded } from '../../issuables/index.js';
import { IssueChanged } from '../../issues/index.js';
import { MergeRequestChanged } from '../../merge-requests/index.js';
import {
  CombinedStatuses,
  CommitStatusChanged,
  PushDescriber,
  ReleaseChanged,
} from '../../repository/index.js';
import type { HookVersion, SampleKind } from '../model/hook.entity.js';
import { type HookPayloads, lacksFiles, PayloadVersions } from './hook-payloads.js';
import { PayloadsRepository } from './payloads.repository.js';

/** The kind and user of a sample. */
interface Sample {
  readonly kind: SampleKind;
  readonly project: ProjectRef;
  /** Who acts in the payload. */
  readonly userId: number;
}

/** Builds the payloads of test deliveries: the newest push, issue and so on of a project, as if it had just happened. */
@Injectable()
export class HookSamples {
  constructor(
    private readonly versions: PayloadVersions,
    private readonly payloads: PayloadsRepository,
    private readonly describer: PushDescriber,
    private readonly statuses: CombinedStatuses,
  ) {}

  /** Null when the project has nothing of that kind. */
  async build(version: HookVersion, sample: Sample): Promise<object | null> {
    const payloads = this.versions.of(version);
    const payload = await this.buildNewest(payloads, sample);
    if (payload === null || lacksFiles(sample.kind)) return payload;
    const source = { projectId: sample.project.id, readsGit: true };
    return payloads.complete(sample.kind, payload, source);
  }

  private buildNewest(payloads: HookPayloads, sample: Sample): Promise<object | null> {
    switch (sample.kind) {
      case 'push':
      case 'tag_push':
        return this.buildPush(payloads, sample);
      case 'issue':
        return this.buildIssue(payloads, sample, false);
      case 'confidential_issue':
        return this.buildIssue(payloads, sample, true);
      case 'merge_request':
        return this.buildMergeRequest(payloads, sample);
      case 'note':
        return this.buildNote(payloads, sample, false);
      case 'confidential_note':
        return this.buildNote(payloads, sample, true);
      case 'build':
        return this.buildCommitStatus(payloads, sample);
      case 'pipeline':
        return this.buildPipeline(payloads, sample);
      case 'wiki_page':
        // There are no wikis.
        return Promise.resolve(null);
      case 'release':
        return this.buildRelease(payloads, sample);
      case 'emoji':
        return this.buildEmoji(payloads, sample);
    }
  }

  private async buildPush(
    payloads: HookPayloads,
    { kind, project, userId }: Sample,
  ): Promise<object | null> {
    const sample = await this.describer.describeSample(kind === 'push' ? 'branch' : 'tag', project);
    if (sample === null) return null;
    const push = { projectId: project.id, userId };
    const [payload] = await payloads.buildPushes(push, [sample]);
    return payload ?? null;
  }

  private async buildIssue(
    payloads: HookPayloads,
    { project, userId }: Sample,
    confidential: boolean,
  ): Promise<object | null> {
    const id = await this.payloads.findNewestIssueId(project.id, confidential);
    if (id === null) return null;
    const issue = { id, confidential };
    return payloads.buildIssue(new IssueChanged({ id: project.id }, issue, userId, 'update'));
  }

  private async buildMergeRequest(
    payloads: HookPayloads,
    { project, userId }: Sample,
  ): Promise<object | null> {
    const id = await this.payloads.findNewestMergeRequestId(project.id);
    if (id === null) return null;
    return payloads.buildMergeRequest(new MergeRequestChanged(project.id, id, userId, 'update'));
  }

  /** A note on an issue or merge request; a comment on a commit when there is none. */
  private async buildNote(
    payloads: HookPayloads,
    { project }: Sample,
    confidential: boolean,
  ): Promise<object | null> {
    const note = await this.payloads.findNewestNote(project.id, confidential);
    if (note !== null) return payloads.buildNote(note);
    const commentId = await this.payloads.findNewestCommitCommentId(project.id);
    return commentId === null || confidential ? null : payloads.buildCommitComment(commentId);
  }

  private async buildCommitStatus(
    payloads: HookPayloads,
    { project }: Sample,
  ): Promise<object | null> {
    const status = await this.payloads.findNewestCommitStatus(project.id);
    if (status === null) return null;
    return payloads.buildCommitStatus(status.id, await this.statuses.ofPipeline(status));
  }

  private async buildPipeline(
    payloads: HookPayloads,
    { project, userId }: Sample,
  ): Promise<object | null> {
    const status = await this.payloads.findNewestCommitStatus(project.id);
    if (status === null) return null;
    const { sha, ref, id: statusId, name, status: to } = status;
    const change = { statusId, name, from: null, to, follows: null, userId };
    const combined = { from: null, to: await this.statuses.ofPipeline(status) };
    const event = new CommitStatusChanged({ id: project.id }, sha, ref, change, combined);
    return payloads.buildPipeline(event);
  }

  /** The release is described without its commit, which a test does not ask git for. */
  private async buildRelease(payloads: HookPayloads, { project }: Sample): Promise<object | null> {
    const id = await this.payloads.findNewestReleaseId(project.id);
    if (id === null) return null;
    return payloads.buildRelease(new ReleaseChanged(project.id, id, 'create', null));
  }

  /** An emoji that the caller could award the newest note. */
  private async buildEmoji(
    payloads: HookPayloads,
    { project, userId }: Sample,
  ): Promise<object | null> {
    const note = await this.payloads.findNewestNote(project.id, false);
    if (note === null) return null;
    const now = new Date();
    const award = { id: 1, name: 'thumbsup', createdAt: now, updatedAt: now };
    const awardable = { type: 'Note', id: note.noteId } as const;
    return payloads.buildEmoji(new EmojiAwarded(project.id, award, awardable, userId, 'award'));
  }
}
