import { Injectable } from '@nestjs/common';
import type { PushedRef } from '../../../activity/index.js';
import type { EmojiAwarded, NoteWritten } from '../../../issuables/index.js';
import type { IssueChanged } from '../../../issues/index.js';
import type { MergeRequestChanged } from '../../../merge-requests/index.js';
import type {
  CombinedState,
  CommentedCommit,
  CommitStatusChanged,
  ReleaseChanged,
} from '../../../repository/index.js';
import type { HookKind } from '../../model/hook.entity.js';
import { CommitFiles } from '../../payloads/commit-files.js';
import {
  type CompletionSource,
  HookPayloads,
  type PushedBy,
} from '../../payloads/hook-payloads.js';
import { V4EmojiPayloadBuilder } from './emoji-payload-builder.js';
import { V4IssuePayloadBuilder } from './issue-payload-builder.js';
import { V4JobPayloadBuilder } from './job-payload-builder.js';
import {
  type V4UnreadAttributes,
  V4MergeRequestPayloadBuilder,
} from './merge-request-payload-builder.js';
import { V4NotePayloadBuilder } from './note-payload-builder.js';
import { V4PushPayloadBuilder } from './push-payload-builder.js';
import { ReleasePayloadBuilder } from './release-payload-builder.js';

/** The payloads of version 4. */
@Injectable()
export class V4HookPayloads extends HookPayloads {
  readonly version = 4;

  constructor(
    private readonly files: CommitFiles,
    private readonly pushes: V4PushPayloadBuilder,
    private readonly issues: V4IssuePayloadBuilder,
    private readonly mergeRequests: V4MergeRequestPayloadBuilder,
    private readonly notes: V4NotePayloadBuilder,
    private readonly jobs: V4JobPayloadBuilder,
    private readonly releases: ReleasePayloadBuilder,
    private readonly emoji: V4EmojiPayloadBuilder,
  ) {
    super();
  }

  buildPushes(push: PushedBy, refs: readonly PushedRef[]): Promise<object[]> {
    return this.pushes.buildPushes(push, refs);
  }

  buildRepositoryUpdate(
    push: PushedBy,
    refs: readonly Pick<PushedRef, 'ref' | 'oldOid' | 'newOid'>[],
  ): Promise<object | null> {
    return this.pushes.buildRepositoryUpdate(push, refs);
  }

  buildIssue(event: IssueChanged): Promise<object | null> {
    return this.issues.buildIssue(event);
  }

  buildMergeRequest(event: MergeRequestChanged): Promise<object | null> {
    return this.mergeRequests.buildMergeRequest(event);
  }

  buildNote(event: NoteWritten): Promise<object | null> {
    return this.notes.buildNote(event);
  }

  buildCommitComment(commentId: number, known?: CommentedCommit): Promise<object | null> {
    return this.notes.buildCommitComment(commentId, known);
  }

  buildCommitStatus(statusId: number, pipelineState: CombinedState | null): Promise<object | null> {
    return this.jobs.buildJob(statusId, pipelineState);
  }

  buildPipeline(event: CommitStatusChanged): Promise<object | null> {
    return this.jobs.buildPipeline(event);
  }

  buildRelease(event: ReleaseChanged): Promise<object | null> {
    return this.releases.buildRelease(event);
  }

  buildEmoji(event: EmojiAwarded): Promise<object | null> {
    return this.emoji.buildEmoji(event);
  }

  presentForInstance(kind: HookKind, event: object): object {
    return kind === 'system' ? withRoleOfToday(event) : event;
  }

  async complete(kind: HookKind, payload: object, { readsGit }: CompletionSource): Promise<object> {
    switch (kind) {
      case 'push':
      case 'tag_push':
        return this.files.addTo(payload);
      case 'merge_request': {
        const { object_attributes: unread } = payload as { object_attributes: V4UnreadAttributes };
        const attributes = await this.mergeRequests.completeAttributes(unread, readsGit);
        return { ...payload, object_attributes: attributes };
      }
      case 'note':
      case 'emoji':
        return this.notes.addCommit(payload, readsGit);
      case 'build':
        return readsGit ? this.jobs.addCommitToJob(payload) : payload;
      case 'pipeline':
        return this.jobs.addCommitToPipeline(payload, readsGit);
      default:
        return payload;
    }
  }
}

const ROLE_FIELDS = ['access_level', 'group_access'] as const;

/** Calls masters of projects and groups maintainers. */
function withRoleOfToday(event: object): object {
  return Object.fromEntries(
    Object.entries(event).map(([name, value]: [string, unknown]) => [
      name,
      value === 'Master' && ROLE_FIELDS.some((field) => field === name) ? 'Maintainer' : value,
    ]),
  );
}
