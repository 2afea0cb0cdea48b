import { Module } from '@nestjs/common';
import { GroupMembersService } from './members/group-members.service.js';
import { GroupMembersRepository } from './members/members.repository.js';
import { ProjectMembersRepository } from './members/project-members.repository.js';
import { ProjectMembersService } from './members/project-members.service.js';
import { RemoveExpiredAccessJob } from './remove-expired-access.job.js';
import { SharesRepository } from './shares/shares.repository.js';
import { SharesService } from './shares/shares.service.js';
import { GroupMembersController } from './v3/group-members.controller.js';
import {
  ProjectMembersController,
  ProjectUsersController,
} from './v3/project-members.controller.js';
import { SharesController } from './v3/shares.controller.js';
import { membershipsAnswers } from './v3/refusals.js';
import { V4GroupMembersController } from './v4/group-members.controller.js';
import { V4UserMembershipsController } from './v4/user-memberships.controller.js';
import { UserMembershipsRepository } from './members/user-memberships.repository.js';
import {
  V4ProjectMembersController,
  V4ProjectUsersController,
} from './v4/project-members.controller.js';
import { V4SharesController } from './v4/shares.controller.js';

@Module({
  controllers: [
    GroupMembersController,
    ProjectMembersController,
    ProjectUsersController,
    SharesController,
    V4GroupMembersController,
    V4ProjectMembersController,
    V4ProjectUsersController,
    V4UserMembershipsController,
    V4SharesController,
  ],
  providers: [
    membershipsAnswers,
    GroupMembersRepository,
    GroupMembersService,
    ProjectMembersRepository,
    UserMembershipsRepository,
    ProjectMembersService,
    RemoveExpiredAccessJob,
    SharesRepository,
    SharesService,
  ],
  exports: [ProjectMembersRepository],
})
export class MembershipsModule {}
