import { Module } from '@nestjs/common';
import { SettingsModule } from '../settings/index.js';
import { GroupPresenter } from './group.presenter.js';
import { GroupsController } from './groups.controller.js';
import { GroupsRepository } from './groups.repository.js';
import { GroupsService } from './groups.service.js';
import { GroupMembersController } from './members/group-members.controller.js';
import { GroupMembersService } from './members/group-members.service.js';
import { MemberPresenter } from './members/member.presenter.js';
import { GroupMembersRepository } from './members/members.repository.js';
import { RemoveExpiredGroupMembersJob } from './members/remove-expired-group-members.job.js';
import { NamespacesController } from './namespaces/namespaces.controller.js';
import { NamespacesRepository } from './namespaces/namespaces.repository.js';
import { NamespacesService } from './namespaces/namespaces.service.js';
import { RemoveNamespaceJob } from './namespaces/remove-namespace.job.js';

@Module({
  imports: [SettingsModule],
  controllers: [GroupsController, NamespacesController, GroupMembersController],
  providers: [
    GroupMembersRepository,
    GroupMembersService,
    GroupPresenter,
    GroupsRepository,
    GroupsService,
    MemberPresenter,
    NamespacesRepository,
    NamespacesService,
    RemoveExpiredGroupMembersJob,
    RemoveNamespaceJob,
  ],
  exports: [GroupPresenter, GroupsService, MemberPresenter, NamespacesRepository],
})
export class GroupsModule {}
