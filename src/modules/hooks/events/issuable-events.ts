import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../activity/index.js';
import { NoteWritten } from '../../issuables/index.js';
import { IssueChanged } from '../../issues/index.js';
import { MergeRequestChanged } from '../../merge-requests/index.js';
import { IssuePayloads } from '../payloads/issue-payloads.js';
import { MergeRequestPayloads } from '../payloads/merge-request-payloads.js';
import { NotePayloads } from '../payloads/note-payloads.js';
import { HookEvents } from './hook-events.js';

/** Tells the hooks of projects of issues, merge requests and the notes on both. */
@Injectable()
export class IssuableEvents {
  constructor(
    events: DomainEvents,
    hooks: HookEvents,
    issues: IssuePayloads,
    mergeRequests: MergeRequestPayloads,
    notes: NotePayloads,
  ) {
    events.subscribe(IssueChanged, (event) =>
      hooks.tellOne({ kind: 'issue', owner: event.projectId }, () => issues.changed(event)),
    );
    events.subscribe(MergeRequestChanged, (event) =>
      hooks.tellOne({ kind: 'merge_request', owner: event.projectId }, () =>
        mergeRequests.changed(event),
      ),
    );
    events.subscribe(NoteWritten, (event) =>
      hooks.tellOne({ kind: 'note', owner: event.projectId }, () => notes.written(event)),
    );
  }
}
