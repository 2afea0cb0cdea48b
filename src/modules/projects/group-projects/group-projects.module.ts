import { Module } from '@nestjs/common';
import { GroupsModule } from '../../groups/index.js';
import { ProjectsModule } from '../projects.module.js';
import { GroupDetailPresenter } from './group-detail.presenter.js';
import { GroupProjectsController } from './group-projects.controller.js';
import { GroupProjectsService } from './group-projects.service.js';
import { TransferProject } from './transfer-project.js';

/** Apart from the projects' module, so that `groups/:id` is routed after the groups' own paths. */
@Module({
  imports: [GroupsModule, ProjectsModule],
  controllers: [GroupProjectsController],
  providers: [GroupDetailPresenter, GroupProjectsService, TransferProject],
})
export class GroupProjectsModule {}
