import { Injectable } from '@nestjs/common';
import { ZERO_OID } from '../../../git/index.js';
import { HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import { RequestBranches } from '../versions/request-branches.js';
import { headRef } from '../versions/version-objects.js';
import { dropHeadRef, type DropPayload } from './refresh.jobs.js';

/** Takes the head of a deleted merge request from those who fetch; its number is never given again. */
@Injectable()
@HandlesJob(dropHeadRef)
export class DropHeadRef implements JobHandler<DropPayload> {
  constructor(private readonly branches: RequestBranches) {}

  async handle({ projectId, iid }: DropPayload): Promise<void> {
    const repository = await this.branches.repositoryOf(projectId);
    const ref = headRef(iid);
    const oldOid = (await repository?.refs.get(ref)) ?? null;
    if (repository !== null && oldOid !== null) {
      await repository.refs.update([{ ref, oldOid, newOid: ZERO_OID }]);
    }
  }
}
