import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../activity/index.js';
import { NoteWritten } from '../../issuables/index.js';
import { IssueChanged } from '../../issues/index.js';
import { MergeRequestChanged } from '../../merge-requests/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { IssuePayloadBuilder } from '../payloads/issue-payload-builder.js';
import { MergeRequestPayloadBuilder } from '../payloads/merge-request-payload-builder.js';
import { NotePayloadBuilder } from '../payloads/note-payload-builder.js';

/** Notifies hooks of projects of issues, merge requests and the notes on both. */
@Injectable()
export class IssuableEvents {
  constructor(
    events: DomainEvents,
    hooks: HookNotifier,
    issues: IssuePayloadBuilder,
    mergeRequests: MergeRequestPayloadBuilder,
    notes: NotePayloadBuilder,
  ) {
    events.subscribe(IssueChanged, (event) =>
      hooks.notifyOne({ kind: 'issue', owner: event.projectId }, () => issues.buildIssue(event)),
    );
    events.subscribe(MergeRequestChanged, (event) =>
      hooks.notifyOne({ kind: 'merge_request', owner: event.projectId }, () =>
        mergeRequests.buildMergeRequest(event),
      ),
    );
    events.subscribe(NoteWritten, (event) =>
      hooks.notifyOne({ kind: 'note', owner: event.projectId }, () => notes.buildNote(event)),
    );
  }
}
