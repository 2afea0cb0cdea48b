import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import { Config } from '../../../../platform/config/index.js';
import {
  Answers,
  AnswersList,
  MayAnswer,
  PageQuery,
  restOfPath,
  TakesBody,
  VersionedAnswer,
} from '../../../../platform/http/index.js';
import { CONTENT_BODY } from '../../../../platform/limits/index.js';
import { mapPage } from '../../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { AnswerCache } from '../../shared/answer-cache.js';
import { CommitWriter } from '../../commits/commit-writer.js';
import {
  CherryPickDto,
  CreateCommitDto,
  ListCommitsDto,
  toFileActions,
  toNewCommit,
} from './commit.dto.js';
import {
  CommitListItemView,
  CommitView,
  ContributorView,
  presentCommit,
  presentCommitListItem,
  presentContributor,
} from './commit.view.js';
import { CommitsService } from '../../commits/commits.service.js';

@V3Controller('projects/:id/repository/commits', 'Commits')
export class CommitsController {
  constructor(
    private readonly commits: CommitsService,
    private readonly writer: CommitWriter,
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
  ): Promise<VersionedAnswer> {
    const { ref_name: refName, since, until, path } = query;
    const request = query.pageRequest(this.config.http.statusProfile);
    const list = await this.commits.list(project, { refName, since, until, path }, request);
    return this.answers.versioned(list, (page) => mapPage(page, presentCommitListItem));
  }

  /** One commit, by hash, tag, branch or other revision. */
  @Get('*sha')
  @Requires('code:read')
  @Answers(CommitView)
  async read(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string | string[],
  ): Promise<VersionedAnswer> {
    const found = await this.commits.find(project, restOfPath(sha));
    return this.answers.versioned(found, ({ commit, stats, status }) =>
      presentCommit(commit, stats, status),
    );
  }

  /** Commits changes of several files at once, all of them or none. */
  @Post()
  @Requires('code:push')
  @TakesBody(CONTENT_BODY)
  @Answers(CommitView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: CreateCommitDto,
  ): Promise<CommitView> {
    const actions = toFileActions(body);
    const oid = await this.writer.commitActions(caller, access, toNewCommit(body), actions);
    return this.presentNew(access.project, oid);
  }

  /** Applies the changes of a commit to another branch. */
  @Post(':sha/cherry_pick')
  @Requires('code:push')
  @Answers(CommitView)
  @MayAnswer(409)
  async cherryPick(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('sha') sha: string,
    @Body() { branch }: CherryPickDto,
  ): Promise<CommitView> {
    const oid = await this.writer.applyCommit(caller, access, {
      kind: 'cherry-pick',
      revision: sha,
      branch,
      author: 'original',
      message: ({ message }) => message,
    });
    return this.presentNew(access.project, oid);
  }

  private async presentNew(project: ProjectRef, oid: string): Promise<CommitView> {
    const { commit, stats } = await (await this.commits.find(project, oid)).make();
    return presentCommit(commit, stats);
  }
}

@V3Controller('projects/:id/repository/contributors', 'Contributors')
export class ContributorsController {
  constructor(
    private readonly commits: CommitsService,
    private readonly answers: AnswerCache,
  ) {}

  /** The authors of the newest 2,000 commits of the default branch, without merges. */
  @Get()
  @Requires('code:read')
  @AnswersList(ContributorView)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: PageQuery,
  ): Promise<VersionedAnswer> {
    const contributors = await this.commits.listContributors(project, query);
    return this.answers.versioned(contributors, (page) => mapPage(page, presentContributor));
  }
}
