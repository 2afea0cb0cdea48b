import { Injectable } from '@nestjs/common';
import { OnDomainEvent } from '../../activity/index.js';
import { NoteWritten } from '../../issuables/index.js';
import { IssueChanged } from '../../issues/index.js';
import { MergeRequestChanged } from '../../merge-requests/index.js';
import { CommitCommented, CommitStatusChanged } from '../../repository/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { BuildPayloadBuilder } from '../payloads/build-payload-builder.js';
import { IssuePayloadBuilder } from '../payloads/issue-payload-builder.js';
import { MergeRequestPayloadBuilder } from '../payloads/merge-request-payload-builder.js';
import { NotePayloadBuilder } from '../payloads/note-payload-builder.js';

/** Notifies hooks of projects of issues, merge requests, notes and commit statuses. */
@Injectable()
export class ProjectHooksListener {
  constructor(
    private readonly hooks: HookNotifier,
    private readonly issues: IssuePayloadBuilder,
    private readonly mergeRequests: MergeRequestPayloadBuilder,
    private readonly notes: NotePayloadBuilder,
    private readonly builds: BuildPayloadBuilder,
  ) {}

  @OnDomainEvent(IssueChanged)
  issueChanged(event: IssueChanged): Promise<void> {
    const trigger = { kind: 'issue', owner: event.projectId } as const;
    return this.hooks.notifyOne(trigger, () => this.issues.buildIssue(event));
  }

  @OnDomainEvent(MergeRequestChanged)
  mergeRequestChanged(event: MergeRequestChanged): Promise<void> {
    const trigger = { kind: 'merge_request', owner: event.projectId } as const;
    return this.hooks.notifyOne(trigger, () => this.mergeRequests.buildMergeRequest(event));
  }

  @OnDomainEvent(NoteWritten)
  noteWritten(event: NoteWritten): Promise<void> {
    const trigger = { kind: 'note', owner: event.projectId } as const;
    return this.hooks.notifyOne(trigger, () => this.notes.buildNote(event));
  }

  @OnDomainEvent(CommitCommented)
  commitCommented({ projectId: owner, commentId }: CommitCommented): Promise<void> {
    const trigger = { kind: 'note', owner } as const;
    return this.hooks.notifyOne(trigger, () => this.notes.buildCommitComment(commentId));
  }

  /** Fires `build` for every change, and `pipeline` only when the combined status changes. */
  @OnDomainEvent(CommitStatusChanged)
  async commitStatusChanged(event: CommitStatusChanged): Promise<void> {
    const { projectId: owner, change, combined } = event;
    await this.hooks.notifyOne({ kind: 'build', owner }, () =>
      this.builds.buildCommitStatus(change.statusId, combined.to),
    );
    if (combined.from === combined.to) return;
    await this.hooks.notifyOne({ kind: 'pipeline', owner }, () => this.builds.buildPipeline(event));
  }
}
