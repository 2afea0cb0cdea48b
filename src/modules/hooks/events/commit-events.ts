import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../activity/index.js';
import { CommitCommented, CommitStatusChanged } from '../../repository/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { BuildPayloadBuilder } from '../payloads/build-payload-builder.js';
import { NotePayloadBuilder } from '../payloads/note-payload-builder.js';

/** Notifies hooks of projects of comments on commits and of commit statuses. */
@Injectable()
export class CommitEvents {
  constructor(
    events: DomainEvents,
    hooks: HookNotifier,
    notes: NotePayloadBuilder,
    builds: BuildPayloadBuilder,
  ) {
    events.subscribe(CommitCommented, ({ projectId: owner, commentId }) =>
      hooks.notifyOne({ kind: 'note', owner }, () => notes.buildCommitComment(commentId)),
    );
    events.subscribe(CommitStatusChanged, async (event) => {
      const { projectId: owner, change, combined } = event;
      await hooks.notifyOne({ kind: 'build', owner }, () =>
        builds.buildCommitStatus(change.statusId, combined.to),
      );
      if (combined.from === combined.to) return;
      await hooks.notifyOne({ kind: 'pipeline', owner }, () => builds.buildPipeline(event));
    });
  }
}
