import { Injectable } from '@nestjs/common';
import { OnDomainEvent } from '../../activity/index.js';
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
    private readonly hooks: HookEvents,
    private readonly issues: IssuePayloads,
    private readonly mergeRequests: MergeRequestPayloads,
    private readonly notes: NotePayloads,
  ) {}

  @OnDomainEvent(IssueChanged)
  issueChanged(event: IssueChanged): Promise<void> {
    const occasion = { kind: 'issue', owner: event.projectId } as const;
    return this.hooks.tellOne(occasion, () => this.issues.changed(event));
  }

  @OnDomainEvent(MergeRequestChanged)
  mergeRequestChanged(event: MergeRequestChanged): Promise<void> {
    const occasion = { kind: 'merge_request', owner: event.projectId } as const;
    return this.hooks.tellOne(occasion, () => this.mergeRequests.changed(event));
  }

  @OnDomainEvent(NoteWritten)
  noteWritten(event: NoteWritten): Promise<void> {
    const occasion = { kind: 'note', owner: event.projectId } as const;
    return this.hooks.tellOne(occasion, () => this.notes.written(event));
  }
}
