import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { ReleaseLinksRepository } from './links/release-links.repository.js';
import { ReleaseLinksService } from './links/release-links.service.js';
import { ReleaseMilestonesRepository } from './model/release-milestones.repository.js';
import { ReleaseSizesRepository } from './model/release-sizes.repository.js';
import { ReleasesService } from './releases.service.js';
import { releasesAnswers } from './v3/refusals.js';
import { V4ReleaseLinksController } from './v4/release-links.controller.js';
import { V4ReleasePresenter } from './v4/release.presenter.js';
import { V4ReleasesController } from './v4/releases.controller.js';

/** Releases of projects, with their links and milestones. */
@Module({
  imports: [IssuablesModule, ProjectsModule, RepositoryModule],
  controllers: [V4ReleasesController, V4ReleaseLinksController],
  providers: [
    releasesAnswers,
    ReleaseLinksRepository,
    ReleaseLinksService,
    ReleaseMilestonesRepository,
    ReleaseSizesRepository,
    ReleasesService,
    V4ReleasePresenter,
  ],
  exports: [ReleaseLinksRepository, ReleaseLinksService, ReleasesService, V4ReleasePresenter],
})
export class ReleasesModule {}
