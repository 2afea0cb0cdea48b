import { Module } from '@nestjs/common';
import { SettingsModule } from '../settings/index.js';
import { GroupsController } from './groups.controller.js';
import { GroupsRepository } from './groups.repository.js';
import { GroupsService } from './groups.service.js';
import { GroupMembersController } from './members/group-members.controller.js';
import { GroupMembersService } from './members/group-members.service.js';
import { GroupMembersRepository } from './members/members.repository.js';
import { NamespacesController } from './namespaces/namespaces.controller.js';
import { NamespacesRepository } from './namespaces/namespaces.repository.js';
import { NamespacesService } from './namespaces/namespaces.service.js';

@Module({
  imports: [SettingsModule],
  controllers: [GroupsController, NamespacesController, GroupMembersController],
  providers: [
    GroupMembersRepository,
    GroupMembersService,
    GroupsRepository,
    GroupsService,
    NamespacesRepository,
    NamespacesService,
  ],
  exports: [GroupsService, NamespacesRepository],
})
export class GroupsModule {}
