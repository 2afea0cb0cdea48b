import { Injectable } from '@nestjs/common';
import { type DomainError, forbidden, recordNotFound } from '../../platform/errors/index.js';
import { allows, type ProjectAccess, type Subject } from '../access/index.js';
import type { Issuable } from '../issuables/index.js';
import { issuableOf } from './merge-request-kind.js';
import { mayRead } from './merge-request.policy.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from './merge-requests.repository.js';

/** Finds merge requests for those who may read them. */
@Injectable()
export class MergeRequestFinder {
  constructor(private readonly mergeRequests: MergeRequestsRepository) {}

  /**
   * Whoever may read their own ones only is refused everything else, be it there or not.
   * @throws DomainError record not found, forbidden
   */
  async read(access: ProjectAccess, reader: Subject, id: number): Promise<LocatedMergeRequest> {
    const found = await this.find(access, reader, id);
    if (found !== null) return found;
    throw allows(access, 'merge-request:read-any') ? recordNotFound() : forbidden();
  }

  /**
   * What notes and awards are on: who may not read it learns nothing of these (open points 2.5).
   * @param absent what is thrown for a request that is not there, or not for the reader
   */
  async target(
    access: ProjectAccess,
    reader: Subject,
    id: number,
    absent: DomainError,
  ): Promise<Issuable> {
    const found = await this.find(access, reader, id);
    if (found === null) throw absent;
    return issuableOf(found);
  }

  private async find(
    access: ProjectAccess,
    reader: Subject,
    id: number,
  ): Promise<LocatedMergeRequest | null> {
    const found = await this.mergeRequests.findIn(access.project.id, id);
    return found !== null && mayRead(found, access, reader) ? found : null;
  }
}
