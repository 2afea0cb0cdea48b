import { Controller, Get, Query } from '@nestjs/common';
import { AnswersList, mapPage, type Page } from '../../../platform/http/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../access/index.js';
import { User, UserPresenter, UserSummaryView } from '../../users/index.js';
import { ListProjectUsersDto } from './dto/list-project-users.dto.js';
import { ProjectUsersRepository } from './project-users.repository.js';

@Controller('projects/:id/users')
export class ProjectUsersController {
  constructor(
    private readonly users: ProjectUsersRepository,
    private readonly presenter: UserPresenter,
  ) {}

  /**
   * Everybody with access: members, the group's, the namespace's owner, and those of the groups that it is
   * shared with whose members the caller may know.
   */
  @Get()
  @Requires('project:read-members')
  @AnswersList(UserSummaryView)
  async list(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Query() query: ListProjectUsersDto,
  ): Promise<Page<UserSummaryView>> {
    const page = await this.users.list(project.id, caller, query.search, query);
    return mapPage(page, (user) => this.presenter.summary(user));
  }
}
