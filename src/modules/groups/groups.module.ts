import { Module } from '@nestjs/common';
import { SettingsModule } from '../settings/index.js';
import { GroupsController } from './v3/groups.controller.js';
import { GroupsRepository } from './groups.repository.js';
import { GroupsService } from './groups.service.js';
import { NamespacesController } from './v3/namespaces.controller.js';
import { NamespacesRepository } from './namespaces/namespaces.repository.js';
import { NamespacesService } from './namespaces/namespaces.service.js';
import { groupsAnswers } from './v3/refusals.js';
import { V4GroupsController } from './v4/groups.controller.js';
import { V4NamespacesController } from './v4/namespaces.controller.js';

@Module({
  imports: [SettingsModule],
  controllers: [GroupsController, NamespacesController, V4GroupsController, V4NamespacesController],
  providers: [
    groupsAnswers,
    GroupsRepository,
    GroupsService,
    NamespacesRepository,
    NamespacesService,
  ],
  exports: [GroupsService, NamespacesRepository, NamespacesService],
})
export class GroupsModule {}
