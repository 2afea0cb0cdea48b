import { Module } from '@nestjs/common';
import { GroupsModule } from '../../../groups/index.js';
import { ProjectsModule } from '../../projects.module.js';
import { GroupProjectsController } from './group-projects.controller.js';
import { GroupProjectsService } from './group-projects.service.js';

/** A module of its own, so that `groups/:id` is routed after the groups' own paths. */
@Module({
  imports: [GroupsModule, ProjectsModule],
  controllers: [GroupProjectsController],
  providers: [GroupProjectsService],
})
export class GroupProjectsModule {}
