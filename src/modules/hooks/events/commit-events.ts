import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../activity/index.js';
import { CommitCommented, CommitStatusChanged } from '../../repository/index.js';
import { BuildPayloads } from '../payloads/build-payloads.js';
import { CommitNotePayloads } from '../payloads/commit-note-payloads.js';
import { PipelinePayloads } from '../payloads/pipeline-payloads.js';
import { HookEvents } from './hook-events.js';

/** Tells the hooks of projects of comments on commits, and of commit statuses. */
@Injectable()
export class CommitEvents {
  constructor(
    events: DomainEvents,
    hooks: HookEvents,
    notes: CommitNotePayloads,
    builds: BuildPayloads,
    pipelines: PipelinePayloads,
  ) {
    events.subscribe(CommitCommented, ({ projectId: owner, commentId }) =>
      hooks.tellOne({ kind: 'note', owner }, () => notes.written(commentId)),
    );
    events.subscribe(CommitStatusChanged, async (event) => {
      const { projectId: owner, change, combined } = event;
      await hooks.tellOne({ kind: 'build', owner }, () =>
        builds.changed(change.statusId, combined.to),
      );
      if (combined.from === combined.to) return;
      await hooks.tellOne({ kind: 'pipeline', owner }, () => pipelines.changed(event));
    });
  }
}
