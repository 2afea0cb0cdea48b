import { Module } from '@nestjs/common';
import { GroupsModule } from '../groups/index.js';
import { SettingsModule } from '../settings/index.js';
import { CreateProject } from './create-project.js';
import { ProjectDrafts } from './project-drafts.js';
import { ProjectStorage } from './project-storage.js';
import { ProjectPresenter } from './project.presenter.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';
import { PurgeProject } from './purge-project.js';
import { SweepOrphanedRepositories } from './sweep-orphaned-repositories.js';

@Module({
  imports: [GroupsModule, SettingsModule],
  controllers: [ProjectsController],
  providers: [
    CreateProject,
    ProjectDrafts,
    ProjectPresenter,
    ProjectStorage,
    ProjectsRepository,
    ProjectsService,
    PurgeProject,
    SweepOrphanedRepositories,
  ],
  exports: [ProjectStorage, ProjectsService],
})
export class ProjectsModule {}
