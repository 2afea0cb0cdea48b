import { Body, Delete, Param, Post } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersNothing,
  DateParam,
  EnumParam,
  IdParam,
  MayAnswer,
  UnlessModified,
} from '../../../platform/http/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import type { User } from '../../users/index.js';
import { SharesService } from '../shares/shares.service.js';
import { V4ShareView } from './share.view.js';

/** `POST /projects/:id/share`. */
class V4ShareProjectDto {
  @IdParam({ required: true })
  group_id!: number;

  @EnumParam([10, 20, 30, 40], { required: true, description: 'The highest level it gives.' })
  group_access!: number;

  @DateParam({ description: 'From 00:00 UTC of this date on the share gives no access.' })
  expires_at?: string | null;
}

@V4Controller('projects/:id/share', 'Shares')
export class V4SharesController {
  constructor(private readonly shares: SharesService) {}

  /** Gives the members of a group access to a project, up to a level. */
  @Post()
  @Requires('project:share')
  @Audits('share.added')
  @Answers(V4ShareView)
  @MayAnswer(409)
  async share(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Body() body: V4ShareProjectDto,
  ): Promise<V4ShareView> {
    const { id, projectId, groupId, groupAccess, expiresAt } = await this.shares.share(
      caller,
      project,
      {
        groupId: body.group_id,
        groupAccess: body.group_access,
        expiresAt: body.expires_at ?? null,
      },
    );
    return {
      id,
      project_id: projectId,
      group_id: groupId,
      group_access: groupAccess,
      expires_at: expiresAt,
    };
  }

  /** Ends the access of the members of a group. */
  @Delete(':group_id')
  @UnlessModified()
  @Requires('project:share')
  @Audits('share.removed')
  @AnswersNothing()
  async unshare(
    @InProject() project: ProjectRef,
    @Param('group_id') groupId: number,
  ): Promise<void> {
    await this.shares.unshare(project, groupId);
  }
}
