import { Body, Delete, Param, Post } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersNothing,
  DateParam,
  EnumParam,
  FixedStatus,
  IdParam,
} from '../../../platform/http/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import type { User } from '../../users/index.js';
import { presentShare, ShareView } from './share.view.js';
import { SharesService } from '../shares/shares.service.js';

/** `POST /projects/:id/share`. */
class ShareProjectDto {
  @IdParam({ required: true })
  group_id!: number;

  @EnumParam([10, 20, 30, 40], { required: true, description: 'The highest level it gives.' })
  group_access!: number;

  @DateParam({ description: 'From 00:00 UTC of this date on the share gives no access.' })
  expires_at?: string | null;
}

@V3Controller('projects/:id/share', 'Shares')
export class SharesController {
  constructor(private readonly shares: SharesService) {}

  /** Gives the members of a group access to a project, up to a level. */
  @Post()
  @Requires('project:share')
  @Audits('share.added')
  @Answers(ShareView)
  async share(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Body() body: ShareProjectDto,
  ): Promise<ShareView> {
    const share = await this.shares.share(caller, project, {
      groupId: body.group_id,
      groupAccess: body.group_access,
      expiresAt: body.expires_at ?? null,
    });
    return presentShare(share);
  }

  /** Ends the access of the members of a group. */
  @Delete(':group_id')
  @Requires('project:share')
  @Audits('share.removed')
  @FixedStatus(204)
  @AnswersNothing()
  async unshare(
    @InProject() project: ProjectRef,
    @Param('group_id') groupId: number,
  ): Promise<void> {
    await this.shares.unshare(project, groupId);
  }
}
