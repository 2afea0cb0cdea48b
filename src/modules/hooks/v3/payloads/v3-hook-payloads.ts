import { Injectable } from '@nestjs/common';
import type { PushedRef } from '../../../activity/index.js';
import type { NoteWritten } from '../../../issuables/index.js';
import type { IssueChanged } from '../../../issues/index.js';
import { isApprovalAction, type MergeRequestChanged } from '../../../merge-requests/index.js';
import type {
  CombinedState,
  CommentedCommit,
  CommitStatusChanged,
} from '../../../repository/index.js';
import type { HookKind } from '../../model/hook.entity.js';
import { CommitFiles } from '../../payloads/commit-files.js';
import {
  type CompletionSource,
  HookPayloads,
  type PushedBy,
} from '../../payloads/hook-payloads.js';
import { BuildPayloadBuilder } from './build-payload-builder.js';
import { IssuePayloadBuilder } from './issue-payload-builder.js';
import { MergeRequestPayloadBuilder } from './merge-request-payload-builder.js';
import { NotePayloadBuilder } from './note-payload-builder.js';
import { PushPayloadBuilder, withoutCommits } from './push-payload-builder.js';

/** The payloads of version 3. It knows neither releases nor emoji, nor approvals and changed notes. */
@Injectable()
export class V3HookPayloads extends HookPayloads {
  readonly version = 3;

  constructor(
    private readonly files: CommitFiles,
    private readonly pushes: PushPayloadBuilder,
    private readonly issues: IssuePayloadBuilder,
    private readonly mergeRequests: MergeRequestPayloadBuilder,
    private readonly notes: NotePayloadBuilder,
    private readonly builds: BuildPayloadBuilder,
  ) {
    super();
  }

  buildPushes(push: PushedBy, refs: readonly PushedRef[]): Promise<object[]> {
    return this.pushes.buildPushes(push, refs);
  }

  buildRepositoryUpdate(): Promise<null> {
    return NOTHING;
  }

  buildIssue(event: IssueChanged): Promise<object | null> {
    return this.issues.buildIssue(event);
  }

  buildMergeRequest(event: MergeRequestChanged): Promise<object | null> {
    return isApprovalAction(event.action) ? NOTHING : this.mergeRequests.buildMergeRequest(event);
  }

  buildNote(event: NoteWritten): Promise<object | null> {
    return event.action === 'update' ? NOTHING : this.notes.buildNote(event);
  }

  buildCommitComment(commentId: number, known?: CommentedCommit): Promise<object | null> {
    return this.notes.buildCommitComment(commentId, known);
  }

  buildCommitStatus(statusId: number, pipelineState: CombinedState | null): Promise<object | null> {
    return this.builds.buildCommitStatus(statusId, pipelineState);
  }

  buildPipeline(event: CommitStatusChanged): Promise<object | null> {
    return this.builds.buildPipeline(event);
  }

  buildRelease(): Promise<null> {
    return NOTHING;
  }

  buildEmoji(): Promise<null> {
    return NOTHING;
  }

  presentForInstance(kind: HookKind, event: object): object {
    return kind === 'system' ? event : withoutCommits(event);
  }

  async complete(
    kind: HookKind,
    payload: object,
    { projectId, readsGit }: CompletionSource,
  ): Promise<object> {
    const readFrom = readsGit ? projectId : null;
    switch (kind) {
      case 'push':
      case 'tag_push':
        return this.files.addTo(payload);
      case 'merge_request':
        return this.mergeRequests.addCommit(payload, readFrom);
      case 'note':
        return this.notes.addCommit(payload, readFrom);
      case 'build':
        return this.builds.addCommitToBuild(payload, readFrom);
      case 'pipeline':
        return this.builds.addCommitToPipeline(payload, readFrom);
      default:
        return payload;
    }
  }
}

const NOTHING = Promise.resolve(null);
