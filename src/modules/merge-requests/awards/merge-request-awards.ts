import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { type Issuable, NotesService, type OwnedAwardable } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { MergeRequestFinder } from '../merge-request-finder.js';

/** Finds the merge requests, and the notes on them, that emoji are awarded to. */
@Injectable()
export class MergeRequestAwards {
  constructor(
    private readonly finder: MergeRequestFinder,
    private readonly notes: NotesService,
  ) {}

  /** @throws DomainError not found for what the reader may not know of */
  mergeRequest(access: ProjectAccess, reader: User, id: number): Promise<Issuable> {
    return this.finder.target(access, reader, id, notFound('Award Emoji'));
  }

  /** @throws DomainError not found, record not found */
  async note(
    access: ProjectAccess,
    reader: User,
    mergeRequestId: number,
    noteId: number,
  ): Promise<OwnedAwardable> {
    const target = await this.mergeRequest(access, reader, mergeRequestId);
    return this.notes.awardable(target, reader, noteId);
  }
}
