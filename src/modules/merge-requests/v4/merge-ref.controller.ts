import { Get, Param } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Answers, MayAnswer } from '../../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../authorization/index.js';
import { IssuableKinds, RequiresEnabled } from '../../issuables/index.js';
import { User } from '../../users/index.js';
import { MergeRefService } from '../merges/merge-ref.service.js';
import { V4MergeRefView } from './merge-ref.view.js';

@V4Controller('projects/:id/merge_requests/:merge_request_iid', 'MergeRef')
@RequiresEnabled('MergeRequest')
export class V4MergeRefController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly mergeRefs: MergeRefService,
  ) {}

  /** Merges the source branch as far as `refs/merge-requests/:merge_request_iid/merge`, which can be fetched. */
  @Get('merge_ref')
  @Requires('merge-request:read')
  @Answers(V4MergeRefView)
  @MayAnswer(409)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
  ): Promise<V4MergeRefView> {
    const { project } = access;
    const { id } = await this.kinds.findByNumber('MergeRequest', { projectId: project.id, iid });
    return { commit_id: await this.mergeRefs.update(caller, access, id) };
  }
}
