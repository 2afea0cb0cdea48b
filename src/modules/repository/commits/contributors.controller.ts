import { Controller, Get, Query } from '@nestjs/common';
import { AnswersList, PageQuery } from '../../../platform/http/index.js';
import { mapPage, Page } from '../../../platform/pages/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { ContributorView } from './commit.view.js';
import { CommitsService } from './commits.service.js';

@Controller('projects/:id/repository/contributors')
export class ContributorsController {
  constructor(private readonly commits: CommitsService) {}

  /** The authors of the newest 2,000 commits of the default branch, without merges. */
  @Get()
  @Requires('code:read')
  @AnswersList(ContributorView)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: PageQuery,
  ): Promise<Page<ContributorView>> {
    const page = await this.commits.listContributors(project, query);
    return mapPage(page, (contributor) => ({ ...contributor, additions: 0, deletions: 0 }));
  }
}
