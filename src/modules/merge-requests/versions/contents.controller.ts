import { Controller, Get, Param, Query } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  mapPage,
  PageQuery,
  Serialized,
} from '../../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { RequiresEnabled } from '../../issuables/index.js';
import { AnswerCache, presentDiff } from '../../repository/index.js';
import { User } from '../../users/index.js';
import { MergeRequestAnswers } from '../merge-request-answers.js';
import { VersionContents } from './version-contents.js';
import { presentVersionCommit } from './version.presenter.js';
import { ChangedMergeRequestView, VersionCommitView } from './version.view.js';
import { VersionsService } from './versions.service.js';

@Controller('projects/:id/merge_requests/:merge_request_id')
@RequiresEnabled('MergeRequest')
export class ContentsController {
  constructor(
    private readonly versions: VersionsService,
    private readonly contents: VersionContents,
    private readonly mergeRequests: MergeRequestAnswers,
    private readonly answers: AnswerCache,
  ) {}

  /** The commits of a merge request, the newest first. */
  @Get('commits')
  @Requires('merge-request:read')
  @AnswersList(VersionCommitView)
  async commits(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Query() query: PageQuery,
  ): Promise<Serialized> {
    const { version } = await this.versions.newest(access, caller, id);
    const commits = this.contents.commits(access.project, version, query);
    return this.answers.answer(commits, (page) => mapPage(page, presentVersionCommit));
  }

  /** A merge request with what it changes, file by file. */
  @Get('changes')
  @Requires('merge-request:read')
  @Answers(ChangedMergeRequestView)
  async changes(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
  ): Promise<Serialized> {
    const { mergeRequest, version } = await this.versions.newest(access, caller, id);
    const view = await this.mergeRequests.checked(caller, mergeRequest);
    const changes = this.contents.changes(access.project, version);
    return withMember(
      view,
      'changes',
      await this.answers.answer(changes, (entries) => entries.map(presentDiff)),
    );
  }
}

/** An object with one member more, of which the JSON is there already. */
function withMember(object: object, name: string, { json }: Serialized): Serialized {
  const begun = `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:`;
  return new Serialized(Buffer.concat([Buffer.from(begun), Buffer.from(json), Buffer.from('}')]));
}
