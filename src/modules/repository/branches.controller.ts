import { Controller, Get, Param, Query } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  mapPage,
  PageQuery,
  restOfPath,
  Serialized,
} from '../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../access/index.js';
import { AnswerCache } from './answer-cache.js';
import { presentBranch } from './branch.presenter.js';
import { BranchView } from './branch.view.js';
import { BranchesService } from './branches.service.js';

@Controller('projects/:id/repository/branches')
export class BranchesController {
  constructor(
    private readonly branches: BranchesService,
    private readonly answers: AnswerCache,
  ) {}

  /** The branches by name. */
  @Get()
  @Requires('code:read')
  @AnswersList(BranchView)
  async list(@InProject() project: ProjectRef, @Query() query: PageQuery): Promise<Serialized> {
    const list = await this.branches.list(project, query);
    return this.answers.answer(list, (page) => mapPage(page, presentBranch));
  }

  /** One branch; its name may contain slashes, encoded or not. */
  @Get('*branch')
  @Requires('code:read')
  @Answers(BranchView)
  async read(
    @InProject() project: ProjectRef,
    @Param('branch') branch: string | string[],
  ): Promise<Serialized> {
    const found = await this.branches.find(project, restOfPath(branch));
    return this.answers.answer(found, presentBranch);
  }
}
