import { Body, Get, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersNothing,
  EmptyWhenAbsent,
  FixedStatus,
  MayAnswer,
  VersionedAnswer,
} from '../../../../platform/http/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { ChangelogService } from '../../commits/changelog.service.js';
import { AnswerCache } from '../../shared/answer-cache.js';
import {
  toChangelogFile,
  toChangelogQuery,
  V4CommitChangelogDto,
  V4ReadChangelogDto,
} from './changelog.dto.js';
import { V4ChangelogView } from './changelog.view.js';
import { V4CommitPresenter } from './commit.presenter.js';
import { inProject } from './commits.controller.js';

@V4Controller('projects/:id/repository/changelog', 'Changelog')
export class V4ChangelogController {
  constructor(
    private readonly changelogs: ChangelogService,
    private readonly presenter: V4CommitPresenter,
    private readonly answers: AnswerCache,
  ) {}

  /** The section of a version: the titles of the commits with a trailer, by its value. */
  @Get()
  @Requires('code:browse')
  @Answers(V4ChangelogView)
  @MayAnswer(413, 422)
  async read(
    @InProject() project: ProjectRef,
    @Query() query: V4ReadChangelogDto,
  ): Promise<VersionedAnswer> {
    const found = await this.changelogs.find(
      project,
      toChangelogQuery(query),
      this.addressesIn(project),
    );
    return this.answers.versioned(inProject(found, project), (notes) => ({ notes }));
  }

  /** Commits the section of a version to a file of a branch, unless the file has one of that version already. */
  @Post()
  @Requires('code:push')
  @AnswersNothing()
  @EmptyWhenAbsent()
  @FixedStatus(200)
  @MayAnswer(409, 413, 422)
  async commit(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: V4CommitChangelogDto,
  ): Promise<void> {
    const { project } = access;
    await this.changelogs.commit(
      caller,
      access,
      toChangelogQuery(body),
      toChangelogFile(body, project.defaultBranch),
      this.addressesIn(project),
    );
  }

  private addressesIn(project: ProjectRef): (oid: string) => string {
    return (oid) => this.presenter.page(project, 'commit', oid);
  }
}
