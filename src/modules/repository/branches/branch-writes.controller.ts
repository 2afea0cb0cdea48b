import { Body, Controller, Delete, Param, Post, Put } from '@nestjs/common';
import { Answers, MayAnswer, restOfPath } from '../../../platform/http/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../access/index.js';
import { User } from '../../users/index.js';
import { presentBranch } from '../branch.presenter.js';
import { BranchView } from '../branch.view.js';
import { BranchesService } from '../branches.service.js';
import { BranchProtections } from '../protection/branch-protections.js';
import { BranchWrites } from './branch-writes.service.js';
import { MergedBranches } from './merged-branches.js';
import { DeletedBranchView } from './branch-writes.view.js';
import { CreateBranchDto } from './dto/create-branch.dto.js';
import { ProtectBranchDto } from './dto/protect-branch.dto.js';

@Controller('projects/:id/repository')
export class BranchWritesController {
  constructor(
    private readonly writes: BranchWrites,
    private readonly protections: BranchProtections,
    private readonly merged: MergedBranches,
    private readonly branches: BranchesService,
  ) {}

  /** Makes a branch. */
  @Post('branches')
  @Requires('code:push')
  @Answers(BranchView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: CreateBranchDto,
  ): Promise<BranchView> {
    const { branch_name: name, ref } = body;
    await this.writes.create({ access, userId: caller.id }, name, ref);
    return this.present(access.project, name);
  }

  /** Deletes a branch; neither the default one nor a protected one. */
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
    await this.writes.delete({ access, userId: caller.id }, name);
    return { branch_name: name };
  }

  /**
   * Deletes the branches whose commits the default branch has, in the background; not the protected
   * ones.
   */
  @Delete('merged_branches')
  @Requires('code:push')
  @Answers('object')
  async deleteMerged(@Caller() caller: User, @Access() access: ProjectAccess): Promise<object> {
    await this.merged.begin({ access, userId: caller.id });
    return {};
  }

  /** Protects a branch, or changes how it is protected. */
  @Put('branches/*branch/protect')
  @Requires('branch:protect')
  @Answers(BranchView)
  async protect(
    @InProject() project: ProjectRef,
    @Param('branch') branch: string | string[],
    @Body() body: ProtectBranchDto,
  ): Promise<BranchView> {
    const name = restOfPath(branch);
    await this.protections.protect(project, name, {
      developersCanPush: body.developers_can_push,
      developersCanMerge: body.developers_can_merge,
    });
    return this.present(project, name);
  }

  /** Takes the protection off a branch. */
  @Put('branches/*branch/unprotect')
  @Requires('branch:protect')
  @Answers(BranchView)
  async unprotect(
    @InProject() project: ProjectRef,
    @Param('branch') branch: string | string[],
  ): Promise<BranchView> {
    const name = restOfPath(branch);
    await this.protections.unprotect(project, name);
    return this.present(project, name);
  }

  private async present(project: ProjectRef, name: string): Promise<BranchView> {
    return presentBranch(await this.branches.read(project, name));
  }
}
