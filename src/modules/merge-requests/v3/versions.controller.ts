import { Get, Param, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  PageQuery,
  Serialized,
  VersionedAnswer,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Urls } from '../../../platform/config/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../authorization/index.js';
import { RequiresEnabled } from '../../issuables/index.js';
import { AnswerCache } from '../../repository/index.js';
import { presentDiff } from '../../repository/v3/index.js';
import { User } from '../../users/index.js';
import { presentMergeRequest } from './merge-request.view.js';
import { MergeRequestsService } from '../merge-requests.service.js';
import {
  ChangedMergeRequestView,
  presentVersion,
  presentVersionCommit,
  VersionCommitView,
  VersionView,
  WholeVersionView,
} from './version.view.js';
import { VersionsService } from '../versions/versions.service.js';

/** The most commits that the response with one version contains. */
const MAX_COMMITS = 1_000;

/** The commits and the changes of the newest version. */
@V3Controller('projects/:id/merge_requests/:merge_request_id', 'Contents')
@RequiresEnabled('MergeRequest')
export class ContentsController {
  constructor(
    private readonly mergeRequests: MergeRequestsService,
    private readonly versions: VersionsService,
    private readonly urls: Urls,
    private readonly answers: AnswerCache,
  ) {}

  /** The commits of a merge request, newest first. */
  @Get('commits')
  @Requires('merge-request:read')
  @AnswersList(VersionCommitView)
  async commits(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Query() query: PageQuery,
  ): Promise<VersionedAnswer> {
    const version = await this.versions.readNewest(access, caller, id);
    const commits = this.versions.listCommits(access.project, version, query);
    return this.answers.versioned(commits, (page) => mapPage(page, presentVersionCommit));
  }

  /** A merge request with the files that it changes. */
  @Get('changes')
  @Requires('merge-request:read')
  @Answers(ChangedMergeRequestView)
  async changes(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
  ): Promise<VersionedAnswer> {
    const loaded = await this.mergeRequests.read(access, caller, id);
    const mergeRequest = presentMergeRequest(loaded, this.urls);
    const version = await this.versions.findNewest(loaded.issuable);
    const changes = this.versions.compare(access.project, version);
    return new VersionedAnswer(
      JSON.stringify([mergeRequest, changes.key]),
      async (face) => {
        const json = await this.answers.answer(face, changes, (entries) =>
          entries.map(presentDiff),
        );
        return withMember(mergeRequest, 'changes', json);
      },
      changes.weigh,
    );
  }
}

/** The versions of a merge request. */
@V3Controller('projects/:id/merge_requests/:merge_request_id/versions', 'Versions')
@RequiresEnabled('MergeRequest')
export class VersionsController {
  constructor(private readonly versions: VersionsService) {}

  /** The versions of a merge request, newest first. */
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

  /** One version of a merge request with its commits and changes. */
  @Get(':version_id')
  @Requires('merge-request:read')
  @Answers(WholeVersionView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Param('version_id') versionId: number,
  ): Promise<VersionedAnswer> {
    const version = await this.versions.read(access, caller, id, versionId);
    const { project } = access;
    const view = presentVersion(version);
    const { make, weigh } = this.versions.compare(project, version);
    const show = async (): Promise<WholeVersionView> => {
      const commits = await this.versions.readNewestCommits(project, version, MAX_COMMITS);
      const changes = await make();
      return {
        ...view,
        commits: commits.map(presentVersionCommit),
        diffs: changes.map(presentDiff),
      };
    };
    return new VersionedAnswer(JSON.stringify(view), show, weigh);
  }
}

/** Serializes an object with one more member, whose JSON exists already. */
function withMember(object: object, name: string, { json }: Serialized): Serialized {
  const begun = `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:`;
  return new Serialized(Buffer.concat([Buffer.from(begun), Buffer.from(json), Buffer.from('}')]));
}
