import { Injectable } from '@nestjs/common';
import { type DomainError, forbidden, recordNotFound } from '../../platform/errors/index.js';
import type { ProjectAccess, Subject } from '../access/index.js';
import type { Issuable } from '../issuables/index.js';
import { issuableOf } from './merge-request-kind.js';
import { mayRead } from './merge-request.policy.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from './merge-requests.repository.js';

/** Finds merge requests for those who may read them. */
@Injectable()
export class MergeRequestFinder {
  constructor(private readonly mergeRequests: MergeRequestsRepository) {}

  /** @throws DomainError record not found; forbidden for one that is there, and not for the reader */
  async read(access: ProjectAccess, reader: Subject, id: number): Promise<LocatedMergeRequest> {
    const found = await this.mergeRequests.findIn(access.project.id, id);
    if (found === null) throw recordNotFound();
    if (!mayRead(found, access, reader)) throw forbidden();
    return found;
  }

  /**
   * What notes and awards are on: who may not read it learns nothing of these
   * (docs/reference/merge-requests.md#endpoints).
   * @param absent what is thrown for a request that is not there, or not for the reader
   */
  async target(
    access: ProjectAccess,
    reader: Subject,
    id: number,
    absent: DomainError,
  ): Promise<Issuable> {
    const found = await this.mergeRequests.findIn(access.project.id, id);
    if (found === null || !mayRead(found, access, reader)) throw absent;
    return issuableOf(found);
  }
}
