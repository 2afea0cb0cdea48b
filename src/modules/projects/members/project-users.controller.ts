import { Controller, Get, Query } from '@nestjs/common';
import { AnswersList, mapPage, type Page } from '../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { UserPresenter, UserSummaryView } from '../../users/index.js';
import { ListProjectUsersDto } from './dto/list-project-users.dto.js';
import { ProjectUsersRepository } from './project-users.repository.js';

@Controller('projects/:id/users')
export class ProjectUsersController {
  constructor(
    private readonly users: ProjectUsersRepository,
    private readonly presenter: UserPresenter,
  ) {}

  /** Everybody with access: members, the group's, those it is shared with, the namespace's owner. */
  @Get()
  @Requires('project:read-members')
  @AnswersList(UserSummaryView)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: ListProjectUsersDto,
  ): Promise<Page<UserSummaryView>> {
    const page = await this.users.list(project.id, query.search, query);
    return mapPage(page, (user) => this.presenter.summary(user));
  }
}
