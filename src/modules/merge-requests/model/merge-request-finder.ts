import { Injectable } from '@nestjs/common';
import { forbidden, recordNotFound } from '../../../platform/errors/index.js';
import type { ProjectAccess, Subject } from '../../access/index.js';
import { mayRead } from './merge-request.policy.js';
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
}
