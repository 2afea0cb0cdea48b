import { Controller, Get, Param, Query } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  mapPage,
  type Page,
  PageQuery,
} from '../../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { RequiresEnabled } from '../../issuables/index.js';
import { presentDiff } from '../../repository/index.js';
import { User } from '../../users/index.js';
import { VersionContents } from './version-contents.js';
import { presentVersion, presentVersionCommit } from './version.presenter.js';
import { VersionView, WholeVersionView } from './version.view.js';
import { VersionsService } from './versions.service.js';

/** More are not told of one version. */
const MAX_COMMITS = 1_000;

@Controller('projects/:id/merge_requests/:merge_request_id/versions')
@RequiresEnabled('MergeRequest')
export class VersionsController {
  constructor(
    private readonly versions: VersionsService,
    private readonly contents: VersionContents,
  ) {}

  /** What a merge request was from time to time, the newest first. */
  @Get()
  @Requires('merge-request:read')
  @AnswersList(VersionView)
  async list(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Query() query: PageQuery,
  ): Promise<Page<VersionView>> {
    return mapPage(await this.versions.list(access, caller, id, query), presentVersion);
  }

  /** One version with its commits and changes. */
  @Get(':version_id')
  @Requires('merge-request:read')
  @Answers(WholeVersionView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Param('version_id') versionId: number,
  ): Promise<WholeVersionView> {
    const version = await this.versions.read(access, caller, id, versionId);
    const { project } = access;
    const commits = await this.contents.newest(project, version, MAX_COMMITS);
    const changes = await this.contents.changes(project, version).make();
    return {
      ...presentVersion(version),
      commits: commits.map(presentVersionCommit),
      diffs: changes.map(presentDiff),
    };
  }
}
