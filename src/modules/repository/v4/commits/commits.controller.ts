import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { notFound } from '../../../../platform/errors/index.js';
import {
  AlsoAnswers,
  Answers,
  AnswersList,
  AnswersNothing,
  AnswerWithStatus,
  MayAnswer,
  PageQuery,
  restOfPath,
  TakesBody,
  VersionedAnswer,
} from '../../../../platform/http/index.js';
import { CONTENT_BODY } from '../../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  InProject,
  MaybeCaller,
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
  toRefKinds,
  toV4CommitFilter,
  toV4Application,
  toV4FileActions,
  toV4NewCommit,
  V4ApplyCommitDto,
  V4CommitSequenceDto,
  V4CreateCommitDto,
  V4ListCommitRefsDto,
  V4ListCommitsDto,
  V4ReadCommitDto,
} from './commit.dto.js';
import { type DescribedCommit, V4CommitPresenter } from './commit.presenter.js';
import {
  V4CommitDetailView,
  V4CommitRefView,
  V4CommitSequenceView,
  V4CommitView,
  V4ContributorView,
  V4DryRunView,
  V4ListedCommitView,
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

  /** The commits that can be reached from a ref or from all of them, newest first. */
  @Get()
  @Requires('code:browse')
  @AnswersList(V4ListedCommitView)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: V4ListCommitsDto,
  ): Promise<VersionedAnswer> {
    const { trailers, with_stats: withStats } = query;
    const filter = toV4CommitFilter(query);
    const list = await this.commits.list(withoutStatuses(project), filter, query, { withStats });
    const { key, make } = inProject(list, project);
    return this.answers.versioned({ key: [...key, trailers], make }, (page) =>
      mapPage(page, (commit) => this.presenter.inHistory(project, commit, trailers)),
    );
  }

  /** The number of commits that a commit reaches, itself included. */
  @Get(':sha/sequence')
  @Requires('code:browse')
  @Answers(V4CommitSequenceView)
  async readSequence(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() { first_parent: firstParent }: V4CommitSequenceDto,
  ): Promise<VersionedAnswer> {
    const found = await this.commits.count(project, sha, { firstParent });
    return this.answers.versioned(found, (count): V4CommitSequenceView => ({ count }));
  }

  /** The branches and tags that contain a commit, by name, branches first. */
  @Get(':sha/refs')
  @Requires('code:browse')
  @AnswersList(V4CommitRefView)
  async listRefs(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() query: V4ListCommitRefsDto,
  ): Promise<Page<V4CommitRefView>> {
    const refs = await this.commits.listRefs(project, sha, toRefKinds(query), query);
    return mapPage(refs, ({ kind: type, name }) => ({ type, name }));
  }

  /** The signature of a commit: always 404, since signatures are not verified. */
  @Get(':sha/signature')
  @Requires('code:browse')
  @AnswersNothing()
  async readSignature(@InProject() project: ProjectRef, @Param('sha') sha: string): Promise<never> {
    await this.commits.resolve(project, sha);
    throw notFound('signature');
  }

  /** One commit, by hash, tag, branch or other revision. */
  @Get('*sha')
  @Requires('code:browse')
  @Answers(V4CommitDetailView)
  async read(
    @MaybeCaller() caller: User | null,
    @InProject() project: ProjectRef,
    @Param('sha') sha: string | string[],
    @Query() { stats }: V4ReadCommitDto,
  ): Promise<VersionedAnswer> {
    // Builds are not public.
    const shown = caller === null ? withoutStatuses(project) : project;
    const found = await this.find(shown, restOfPath(sha), stats);
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
  @AlsoAnswers(200, V4DryRunView, 'The changes apply to the present head of the branch.')
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
  @AlsoAnswers(200, V4DryRunView, 'The changes apply to the present head of the branch.')
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
  @Requires('code:browse')
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

/** The same project for an answer that shows no statuses: they are neither read nor a part of its key. */
export const withoutStatuses = (project: ProjectRef): ProjectRef => ({
  ...project,
  hasStatuses: false,
});

/** The same answer, which also shows addresses of the project's pages. */
export function inProject<T>(
  { key, ...content }: CacheableAnswer<T>,
  { namespacePath, path }: Pick<ProjectRef, 'namespacePath' | 'path'>,
): CacheableAnswer<T> {
  return { ...content, key: [...key, `${namespacePath}/${path}`] };
}
