import { Body, Controller, Param, Post } from '@nestjs/common';
import { Answers, MayAnswer, TakesBody } from '../../../platform/http/index.js';
import { CONTENT_BODY } from '../../../platform/limits/index.js';
import {
  Access,
  Caller,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../access/index.js';
import { User } from '../../users/index.js';
import { presentCommit } from '../commit.presenter.js';
import { CommitView } from '../commit.view.js';
import { CommitsService } from '../commits.service.js';
import { CherryPick } from './cherry-pick.js';
import { CommitFiles } from './commit-files.js';
import { CherryPickDto, CreateCommitDto, toCommitInput } from './dto/commit.dto.js';

@Controller('projects/:id/repository/commits')
export class CommitWritesController {
  constructor(
    private readonly files: CommitFiles,
    private readonly picks: CherryPick,
    private readonly commits: CommitsService,
  ) {}

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
    const oid = await this.files.run(caller, access, toCommitInput(body));
    return this.present(access.project, oid);
  }

  /** Makes what a commit has changed on another branch again. */
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
    const oid = await this.picks.run(caller, access, sha, branch);
    return this.present(access.project, oid);
  }

  private async present(project: ProjectRef, oid: string): Promise<CommitView> {
    const { commit, stats } = await (await this.commits.find(project, oid)).make();
    return presentCommit(commit, stats);
  }
}
