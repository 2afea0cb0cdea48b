import { Injectable } from '@nestjs/common';
import { OnDomainEvent } from '../../activity/index.js';
import { CommitCommented, CommitStatusChanged } from '../../repository/index.js';
import { BuildPayloads } from '../payloads/build-payloads.js';
import { CommitNotePayloads } from '../payloads/commit-note-payloads.js';
import { PipelinePayloads } from '../payloads/pipeline-payloads.js';
import { HookEvents } from './hook-events.js';

/** Tells the hooks of projects of comments on commits, and of commit statuses. */
@Injectable()
export class CommitEvents {
  constructor(
    private readonly hooks: HookEvents,
    private readonly notes: CommitNotePayloads,
    private readonly builds: BuildPayloads,
    private readonly pipelines: PipelinePayloads,
  ) {}

  @OnDomainEvent(CommitCommented)
  commitCommented({ projectId: owner, commentId }: CommitCommented): Promise<void> {
    return this.hooks.tellOne({ kind: 'note', owner }, () => this.notes.written(commentId));
  }

  @OnDomainEvent(CommitStatusChanged)
  async commitStatusChanged(event: CommitStatusChanged): Promise<void> {
    const { projectId: owner, change, combined } = event;
    await this.hooks.tellOne({ kind: 'build', owner }, () =>
      this.builds.changed(change.statusId, combined.to),
    );
    if (combined.from === combined.to) return;
    await this.hooks.tellOne({ kind: 'pipeline', owner }, () => this.pipelines.changed(event));
  }
}
