import { Controller, Get, Param, Query } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import {
  Answers,
  AnswersList,
  mapPage,
  restOfPath,
  Serialized,
} from '../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../access/index.js';
import { AnswerCache } from './answer-cache.js';
import { presentCommit, presentCommitListItem } from './commit.presenter.js';
import { CommitListItemView, CommitView } from './commit.view.js';
import { CommitsService } from './commits.service.js';
import { ListCommitsDto } from './dto/list-commits.dto.js';

@Controller('projects/:id/repository/commits')
export class CommitsController {
  constructor(
    private readonly commits: CommitsService,
    private readonly answers: AnswerCache,
    private readonly config: Config,
  ) {}

  /** The commits that can be reached from a ref, newest first. */
  @Get()
  @Requires('code:read')
  @AnswersList(CommitListItemView)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: ListCommitsDto,
  ): Promise<Serialized> {
    const { ref_name: refName, since, until, path } = query;
    const request = query.pageRequest(this.config.http.statusProfile);
    const list = await this.commits.list(project, { refName, since, until, path }, request);
    return this.answers.answer(list, (page) => mapPage(page, presentCommitListItem));
  }

  /** One commit, by hash, branch or tag. */
  @Get('*sha')
  @Requires('code:read')
  @Answers(CommitView)
  async read(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string | string[],
  ): Promise<Serialized> {
    const found = await this.commits.find(project, restOfPath(sha));
    return this.answers.answer(found, ({ commit, stats, status }) =>
      presentCommit(commit, stats, status),
    );
  }
}
