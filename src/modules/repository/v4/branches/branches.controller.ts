import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  FixedStatus,
  MayAnswer,
  restOfPath,
  VersionedAnswer,
} from '../../../../platform/http/index.js';
import { mapPage } from '../../../../platform/pagination/index.js';
import {
  Access,
  allows,
  Caller,
  type ProjectAccess,
  Requires,
} from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { type Branch, BranchesService } from '../../branches/branches.service.js';
import { abilityToPush } from '../../protection/protection.policy.js';
import { AnswerCache, type CacheableAnswer } from '../../shared/answer-cache.js';
import { V4CommitPresenter } from '../commits/commit.presenter.js';
import { inProject } from '../commits/commits.controller.js';
import { followedByToken, toKeysetRequest } from '../keyset.dto.js';
import { V4CreateBranchDto, V4ListBranchesDto } from './branch.dto.js';
import { V4BranchView, V4MergedBranchesView } from './branch.view.js';

@V4Controller('projects/:id/repository', 'Branches')
export class V4BranchesController {
  constructor(
    private readonly branches: BranchesService,
    private readonly answers: AnswerCache,
    private readonly commits: V4CommitPresenter,
  ) {}

  /** The branches by name. */
  @Get('branches')
  @Requires('code:browse')
  @AnswersList(V4BranchView)
  @MayAnswer(422)
  async list(
    @Access() access: ProjectAccess,
    @Query() query: V4ListBranchesDto,
  ): Promise<VersionedAnswer> {
    const { search, pagination } = query;
    const { request, after } = toKeysetRequest(query);
    const list = await this.branches.list(access.project, request, { search, after });
    const { key, make } = forCaller(list, access);
    return this.answers.versioned({ key: [...key, pagination], make }, (page) =>
      mapPage(
        followedByToken(page, query, ({ name }) => name),
        (branch) => this.present(access, branch),
      ),
    );
  }

  /** One branch; its name may contain slashes, encoded or not. */
  @Get('branches/*branch')
  @Requires('code:browse')
  @Answers(V4BranchView)
  async read(
    @Access() access: ProjectAccess,
    @Param('branch') branch: string | string[],
  ): Promise<VersionedAnswer> {
    const found = await this.branches.find(access.project, restOfPath(branch));
    return this.answers.versioned(forCaller(found, access), (it) => this.present(access, it));
  }

  /** Creates a branch. */
  @Post('branches')
  @Requires('code:push')
  @Answers(V4BranchView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() { branch: name, ref }: V4CreateBranchDto,
  ): Promise<V4BranchView> {
    await this.branches.create({ access, userId: caller.id }, name, ref);
    const { make } = await this.branches.find(access.project, name);
    return this.present(access, await make());
  }

  /** Deletes a branch. */
  @Delete('branches/*branch')
  @Requires('code:push')
  @AnswersNothing()
  @MayAnswer(405, 409)
  async delete(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('branch') branch: string | string[],
  ): Promise<void> {
    await this.branches.delete({ access, userId: caller.id }, restOfPath(branch));
  }

  /** Deletes the branches that are merged into the default branch, in the background, except protected ones. */
  @Delete('merged_branches')
  @Requires('code:push')
  @FixedStatus(202)
  @Answers(V4MergedBranchesView)
  async deleteMerged(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
  ): Promise<V4MergedBranchesView> {
    await this.branches.queueDeletionOfMerged({ access, userId: caller.id });
    return { message: '202 Accepted' };
  }

  private present(access: ProjectAccess, branch: Branch): V4BranchView {
    const { project } = access;
    const { name, commit, merged, isAtTrunk, protection } = branch;
    return {
      name,
      commit: this.commits.listed(project, commit),
      merged: merged && !isAtTrunk,
      protected: protection.protected,
      developers_can_push: protection.developersCanPush,
      developers_can_merge: protection.developersCanMerge,
      can_push: allows(access, abilityToPush(protection)) && !project.archived,
      default: name === project.defaultBranch,
      web_url: this.commits.page(project, 'tree', name),
    };
  }
}

/** The same answer, which also says what the caller may do. */
function forCaller<T>(answer: CacheableAnswer<T>, access: ProjectAccess): CacheableAnswer<T> {
  const { key, make } = inProject(answer, access.project);
  const { defaultBranch, archived } = access.project;
  const pushes = [allows(access, 'code:push'), allows(access, 'branch:push-protected')];
  return { key: [...key, defaultBranch, archived, ...pushes], make };
}
