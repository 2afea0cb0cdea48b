import { Controller, Get, Query } from '@nestjs/common';
import { AnswersList, mapPage, Page, PageQuery } from '../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { ContributorView } from './contributor.view.js';
import { ContributorsService } from './contributors.service.js';

@Controller('projects/:id/repository/contributors')
export class ContributorsController {
  constructor(private readonly contributors: ContributorsService) {}

  /** Who wrote the newest 2,000 commits of the default branch, merges aside. */
  @Get()
  @Requires('code:read')
  @AnswersList(ContributorView)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: PageQuery,
  ): Promise<Page<ContributorView>> {
    const page = await this.contributors.list(project, query);
    return mapPage(page, (person) => ({ ...person, additions: 0, deletions: 0 }));
  }
}
