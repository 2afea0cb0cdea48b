import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { type Issuable, NotesService, type OwnedAwardable } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { IssueNotes } from '../notes/issue-notes.js';

/** Finds the issues, and the notes on them, that emoji are awarded to. */
@Injectable()
export class IssueAwards {
  constructor(
    private readonly issues: IssueNotes,
    private readonly notes: NotesService,
  ) {}

  /** @throws DomainError not found for what the reader may not know of */
  issue(access: ProjectAccess, reader: User, issueId: number): Promise<Issuable> {
    return this.issues.on(access, reader, issueId, notFound('Award Emoji'));
  }

  /** @throws DomainError not found, record not found */
  async note(
    access: ProjectAccess,
    reader: User,
    issueId: number,
    noteId: number,
  ): Promise<OwnedAwardable> {
    const target = await this.issue(access, reader, issueId);
    return this.notes.awardable(target, reader, noteId);
  }
}
