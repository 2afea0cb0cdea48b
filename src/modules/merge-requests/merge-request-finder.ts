import { Injectable } from '@nestjs/common';
import { type DomainError, forbidden, recordNotFound } from '../../platform/errors/index.js';
import type { ProjectAccess, Subject } from '../access/index.js';
import type { Issuable } from '../issuables/index.js';
import { issuableOf } from './issuable/merge-request-kind.js';
import { mayRead } from './model/merge-request.policy.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from './merge-requests.repository.js';

/** Finds merge requests that a reader may read. */
@Injectable()
export class MergeRequestFinder {
  constructor(private readonly mergeRequests: MergeRequestsRepository) {}

  /** @throws DomainError record not found; forbidden when the reader may not read it */
  async read(access: ProjectAccess, reader: Subject, id: number): Promise<LocatedMergeRequest> {
    const found = await this.mergeRequests.findIn(access.project.id, id);
    if (found === null) throw recordNotFound();
    if (!mayRead(found, access, reader)) throw forbidden();
    return found;
  }

  /**
   * Finds the request that notes and awards belong to (docs/reference/merge-requests.md#endpoints).
   * @param absent the error when it does not exist or the reader may not read it
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
