import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  MayAnswer,
  PageQuery,
  restOfPath,
  VersionedAnswer,
} from '../../../../platform/http/index.js';
import { mapPage } from '../../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../../authorization/index.js';
import { Audits } from '../../../audit/index.js';
import { User } from '../../../users/index.js';
import { ProtectedBranchesService } from '../../protection/protected-branches.service.js';
import { AnswerCache } from '../../shared/answer-cache.js';
import { CreateBranchDto, ProtectBranchDto } from './branch.dto.js';
import { BranchView, DeletedBranchView, presentBranch } from './branch.view.js';
import { BranchesService } from '../../branches/branches.service.js';

@V3Controller('projects/:id/repository', 'Branches')
export class BranchesController {
  constructor(
    private readonly branches: BranchesService,
    private readonly protection: ProtectedBranchesService,
    private readonly answers: AnswerCache,
  ) {}

  /** The branches by name. */
  @Get('branches')
  @Requires('code:read')
  @AnswersList(BranchView)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: PageQuery,
  ): Promise<VersionedAnswer> {
    const list = await this.branches.list(project, query);
    return this.answers.versioned(list, (page) => mapPage(page, presentBranch));
  }

  /** One branch; its name may contain slashes, encoded or not. */
  @Get('branches/*branch')
  @Requires('code:read')
  @Answers(BranchView)
  async read(
    @InProject() project: ProjectRef,
    @Param('branch') branch: string | string[],
  ): Promise<VersionedAnswer> {
    const found = await this.branches.find(project, restOfPath(branch));
    return this.answers.versioned(found, presentBranch);
  }

  /** Creates a branch. */
  @Post('branches')
  @Requires('code:push')
  @Answers(BranchView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() { branch_name: name, ref }: CreateBranchDto,
  ): Promise<BranchView> {
    await this.branches.create({ access, userId: caller.id }, name, ref);
    return this.present(access.project, name);
  }

  /** Deletes a branch, unless it is the default branch or protected. */
  @Delete('branches/*branch')
  @Requires('code:push')
  @Answers(DeletedBranchView)
  @MayAnswer(405, 409)
  async delete(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('branch') branch: string | string[],
  ): Promise<DeletedBranchView> {
    const name = restOfPath(branch);
    await this.branches.delete({ access, userId: caller.id }, name);
    return { branch_name: name };
  }

  /** Deletes the branches that are merged into the default branch, in the background, except protected ones. */
  @Delete('merged_branches')
  @Requires('code:push')
  @Answers('object')
  async deleteMerged(@Caller() caller: User, @Access() access: ProjectAccess): Promise<object> {
    await this.branches.queueDeletionOfMerged({ access, userId: caller.id });
    return {};
  }

  /** Protects a branch, or changes its protection. */
  @Put('branches/*branch/protect')
  @Requires('branch:protect')
  @Audits('branch.protected')
  @Answers(BranchView)
  async protect(
    @InProject() project: ProjectRef,
    @Param('branch') branch: string | string[],
    @Body() body: ProtectBranchDto,
  ): Promise<BranchView> {
    const name = restOfPath(branch);
    await this.protection.protect(project, name, {
      developersCanPush: body.developers_can_push,
      developersCanMerge: body.developers_can_merge,
    });
    return this.present(project, name);
  }

  /** Removes the protection of a branch. */
  @Put('branches/*branch/unprotect')
  @Requires('branch:protect')
  @Audits('branch.unprotected')
  @Answers(BranchView)
  async unprotect(
    @InProject() project: ProjectRef,
    @Param('branch') branch: string | string[],
  ): Promise<BranchView> {
    const name = restOfPath(branch);
    await this.protection.unprotect(project, name);
    return this.present(project, name);
  }

  private async present(project: ProjectRef, name: string): Promise<BranchView> {
    const { make } = await this.branches.find(project, name);
    return presentBranch(await make());
  }
}
