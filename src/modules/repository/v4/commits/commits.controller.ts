import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  AlsoAnswers,
  Answers,
  AnswersList,
  AnswerWithStatus,
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
import { type Application, CommitWriter } from '../../commits/commit-writer.js';
import { CommitsService } from '../../commits/commits.service.js';
import { Pipelines } from '../../commits/statuses/pipelines.js';
import { AnswerCache, type CacheableAnswer } from '../../shared/answer-cache.js';
import {
  toV4Application,
  toV4FileActions,
  toV4NewCommit,
  V4ApplyCommitDto,
  V4CreateCommitDto,
  V4ListCommitsDto,
  V4ReadCommitDto,
} from './commit.dto.js';
import { type DescribedCommit, V4CommitPresenter } from './commit.presenter.js';
import {
  V4CommitDetailView,
  V4CommitView,
  V4ContributorView,
  V4DryRunView,
} from './commit.view.js';

@V4Controller('projects/:id/repository/commits', 'Commits')
export class V4CommitsController {
  constructor(
    private readonly commits: CommitsService,
    private readonly pipelines: Pipelines,
    private readonly writer: CommitWriter,
    private readonly answers: AnswerCache,
    private readonly presenter: V4CommitPresenter,
  ) {}

  /** The commits that can be reached from a ref, newest first. */
  @Get()
  @Requires('code:read')
  @AnswersList(V4CommitView)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: V4ListCommitsDto,
  ): Promise<VersionedAnswer> {
    const { ref_name: refName, since, until, path } = query;
    const list = await this.commits.list(project, { refName, since, until, path }, query);
    return this.answers.versioned(inProject(list, project), (page) =>
      mapPage(page, ({ commit }) => this.presenter.listed(project, commit)),
    );
  }

  /** One commit, by hash, tag, branch or other revision. */
  @Get('*sha')
  @Requires('code:read')
  @Answers(V4CommitDetailView)
  async read(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string | string[],
    @Query() { stats }: V4ReadCommitDto,
  ): Promise<VersionedAnswer> {
    const found = await this.find(project, restOfPath(sha), stats);
    return this.answers.versioned(found, (commit) => this.presenter.detail(project, commit));
  }

  /** Commits changes of several files at once, all of them or none. */
  @Post()
  @Requires('code:push')
  @TakesBody(CONTENT_BODY)
  @Answers(V4CommitDetailView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: V4CreateCommitDto,
  ): Promise<V4CommitDetailView> {
    const actions = toV4FileActions(body);
    const oid = await this.writer.commitActions(caller, access, toV4NewCommit(body), actions);
    const { make } = await this.find(access.project, oid, body.stats);
    return this.presenter.detail(access.project, await make());
  }

  /** Applies the changes of a commit to a branch, by a new commit of the caller. */
  @Post(':sha/cherry_pick')
  @Requires('code:push')
  @Answers(V4CommitView)
  @AlsoAnswers(200, V4DryRunView, 'It can be done; nothing was.')
  @MayAnswer(409)
  cherryPick(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('sha') sha: string,
    @Body() body: V4ApplyCommitDto,
  ): Promise<V4CommitView | AnswerWithStatus> {
    return this.apply(caller, access, toV4Application('cherry-pick', sha, body), body.dry_run);
  }

  /** Takes back the changes of a commit on a branch, by a new commit of the caller. */
  @Post(':sha/revert')
  @Requires('code:push')
  @Answers(V4CommitView)
  @AlsoAnswers(200, V4DryRunView, 'It can be done; nothing was.')
  @MayAnswer(409)
  revert(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('sha') sha: string,
    @Body() body: V4ApplyCommitDto,
  ): Promise<V4CommitView | AnswerWithStatus> {
    return this.apply(caller, access, toV4Application('revert', sha, body), body.dry_run);
  }

  private async apply(
    caller: User,
    access: ProjectAccess,
    application: Application,
    isDryRun: boolean,
  ): Promise<V4CommitView | AnswerWithStatus> {
    if (isDryRun) {
      await this.writer.checkApplication(caller, access, application);
      return new AnswerWithStatus(200, { dry_run: 'success' } satisfies V4DryRunView);
    }
    const oid = await this.writer.applyCommit(caller, access, application);
    return this.presenter.basic(access.project, await this.commits.read(access.project, oid));
  }

  private async find(
    project: ProjectRef,
    revision: string,
    withStats: boolean,
  ): Promise<CacheableAnswer<DescribedCommit>> {
    const sha = await this.commits.resolve(project, revision);
    const [{ key, make }, pipeline] = await Promise.all([
      this.commits.find(project, sha),
      this.pipelines.newestOf(project, sha),
    ]);
    return inProject(
      {
        key: [...key, withStats, pipeline],
        make: async () => {
          const { commit, status, stats } = await make();
          return { commit, status, pipeline, stats: withStats ? stats : undefined };
        },
      },
      project,
    );
  }
}

@V4Controller('projects/:id/repository/contributors', 'Contributors')
export class V4ContributorsController {
  constructor(
    private readonly commits: CommitsService,
    private readonly answers: AnswerCache,
  ) {}

  /** The authors of the newest 2,000 commits of the default branch, without merges. */
  @Get()
  @Requires('code:read')
  @AnswersList(V4ContributorView)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: PageQuery,
  ): Promise<VersionedAnswer> {
    const contributors = await this.commits.listContributors(project, query);
    return this.answers.versioned(contributors, (page) =>
      mapPage(page, (contributor) => ({ ...contributor, additions: 0, deletions: 0 })),
    );
  }
}

/** The same answer, which also shows addresses of the project's pages. */
export function inProject<T>(
  { key, make }: CacheableAnswer<T>,
  { namespacePath, path }: Pick<ProjectRef, 'namespacePath' | 'path'>,
): CacheableAnswer<T> {
  return { key: [...key, `${namespacePath}/${path}`], make };
}
