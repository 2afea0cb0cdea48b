import { Module } from '@nestjs/common';
import { SettingsModule } from '../settings/index.js';
import { GroupLifecycle } from './group-lifecycle.js';
import { GroupPresenter } from './group.presenter.js';
import { GroupsController } from './groups.controller.js';
import { GroupsRepository } from './groups.repository.js';
import { GroupsService } from './groups.service.js';
import { GroupMembersController } from './members/group-members.controller.js';
import { GroupMembersRepository } from './members/group-members.repository.js';
import { GroupMembersService } from './members/group-members.service.js';
import { MemberPresenter } from './members/member.presenter.js';
import { RemoveExpiredGroupMembers } from './members/remove-expired-group-members.js';
import { NamespaceRemoval } from './namespace-removal.js';
import { NamespacesController } from './namespaces.controller.js';
import { NamespacesRepository } from './namespaces.repository.js';
import { PersonalNamespaces } from './personal-namespaces.js';
import { RemoveNamespace } from './remove-namespace.js';

@Module({
  imports: [SettingsModule],
  controllers: [GroupsController, NamespacesController, GroupMembersController],
  providers: [
    GroupMembersRepository,
    GroupMembersService,
    GroupLifecycle,
    GroupPresenter,
    GroupsRepository,
    GroupsService,
    MemberPresenter,
    NamespaceRemoval,
    NamespacesRepository,
    PersonalNamespaces,
    RemoveExpiredGroupMembers,
    RemoveNamespace,
  ],
  exports: [GroupPresenter, GroupsService, MemberPresenter, NamespacesRepository],
})
export class GroupsModule {}
