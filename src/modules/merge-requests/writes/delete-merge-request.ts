import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import type { ProjectRef, Subject } from '../../access/index.js';
import { IssuablesRepository } from '../../issuables/index.js';
import {
  MergeRequestRelations,
  type MergeRequestWithRelations,
} from '../merge-request-relations.js';
import { MergeRequestsRepository } from '../merge-requests.repository.js';
import { dropHeadRef } from '../refresh/refresh.jobs.js';

/**
 * Deletes merge requests: they are gone for everybody, and their numbers stay taken
 * (docs/reference/merge-requests.md#delete-projectsidmerge_requestsmerge_request_id).
 */
@Injectable()
export class DeleteMergeRequest {
  constructor(
    private readonly work: UnitOfWork,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly relations: MergeRequestRelations,
    private readonly issuables: IssuablesRepository,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @returns the request as it was
   * @throws DomainError record not found
   */
  run(project: ProjectRef, caller: Subject, id: number): Promise<MergeRequestWithRelations> {
    return this.work.run(async () => {
      const mergeRequest = await this.mergeRequests.lockIn(project.id, id);
      if (mergeRequest === null) throw recordNotFound();
      const asItWas = await this.relations.loadOne(mergeRequest, caller);
      await this.issuables.removeDependentRows({ type: 'MergeRequest', id });
      await this.mergeRequests.markDeleted(id);
      await this.outbox.add(dropHeadRef.with({ projectId: project.id, iid: mergeRequest.iid }));
      return asItWas;
    });
  }
}
