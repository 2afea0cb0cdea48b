import { Body, Param, Put } from '@nestjs/common';
import { looksLikeHash } from '../../../../git/index.js';
import { V4Controller } from '../../../../faces/index.js';
import { invalidParameter } from '../../../../platform/errors/index.js';
import { Answers, MayAnswer, StringParam } from '../../../../platform/http/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../../platform/limits/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { CommitsService } from '../../commits/commits.service.js';
import { SubmodulesService } from '../../files/submodules.service.js';
import { V4OnBranchDto } from '../commits/commit.dto.js';
import { V4CommitPresenter } from '../commits/commit.presenter.js';
import { V4CommitView } from '../commits/commit.view.js';

/** `PUT /projects/:id/repository/submodules/:submodule`. */
export class V4MoveSubmoduleDto extends V4OnBranchDto {
  @StringParam({
    stringOnly: true,
    required: true,
    description: 'The whole hash of a commit of the other repository.',
  })
  commit_sha!: string;

  @StringParam({
    stringOnly: true,
    blank: 'absent',
    maxLength: MAX_COMMIT_MESSAGE,
    description: 'The message of the commit; `Update submodule … with oid …` if absent.',
  })
  commit_message?: string;
}

@V4Controller('projects/:id/repository/submodules', 'Submodules')
export class V4SubmodulesController {
  constructor(
    private readonly submodules: SubmodulesService,
    private readonly commits: CommitsService,
    private readonly presenter: V4CommitPresenter,
  ) {}

  /** Has a submodule point at another commit, by a commit of the caller. */
  @Put(':submodule')
  @Requires('code:push')
  @Answers(V4CommitView)
  @MayAnswer(409)
  async move(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('submodule') path: string,
    @Body() { branch, commit_sha: given, commit_message }: V4MoveSubmoduleDto,
  ): Promise<V4CommitView> {
    const target = given.toLowerCase();
    if (!looksLikeHash(target)) throw invalidParameter('Invalid parameters');
    const message = commit_message ?? `Update submodule ${path} with oid ${target}`;
    const oid = await this.submodules.move(caller, access, { path, target, branch, message });
    return this.presenter.basic(access.project, await this.commits.read(access.project, oid));
  }
}
