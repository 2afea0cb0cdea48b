import { Injectable } from '@nestjs/common';
import { ZERO_OID } from '../../../git/index.js';
import { defineJob, HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import { MergeRequestBranches } from './merge-request-branches.js';
import { headRef } from './version-objects.js';

export interface DropHeadRefPayload {
  /** The target project. */
  projectId: number;
  iid: number;
}

/** Deletes the ref that the head of a deleted merge request could be fetched by. */
export const dropHeadRef = defineJob<DropHeadRefPayload>('merge-requests', 'drop-head-ref');

/** Deletes the ref without a check of the request, since its iid is never used again. */
@Injectable()
@HandlesJob(dropHeadRef)
export class DropHeadRefJob implements JobHandler<DropHeadRefPayload> {
  constructor(private readonly branches: MergeRequestBranches) {}

  async handle({ projectId, iid }: DropHeadRefPayload): Promise<void> {
    const repository = await this.branches.findRepository(projectId);
    const ref = headRef(iid);
    const oldOid = (await repository?.refs.get(ref)) ?? null;
    if (repository !== null && oldOid !== null) {
      await repository.refs.update([{ ref, oldOid, newOid: ZERO_OID }]);
    }
  }
}
