import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  PageQuery,
  type VersionedAnswer,
} from '../../../platform/http/index.js';
import { mapPage, Page } from '../../../platform/pagination/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../authorization/index.js';
import { IssuableKinds, RequiresEnabled } from '../../issuables/index.js';
import { AnswerCache } from '../../repository/index.js';
import {
  presentV4Diff,
  V4CommitPresenter,
  V4CommitView,
  V4DiffView,
} from '../../repository/v4/index.js';
import { User } from '../../users/index.js';
import { MergeRequestsService } from '../merge-requests.service.js';
import { VersionsService } from '../versions/versions.service.js';
import { V4ChangedMergeRequestView } from './contents.view.js';
import { V4MergeRequestPresenter } from './merge-request.view.js';

/** The commits and the changes of the newest version. */
@V4Controller('projects/:id/merge_requests/:merge_request_iid', 'MergeRequestContents')
@RequiresEnabled('MergeRequest')
export class V4ContentsController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly mergeRequests: MergeRequestsService,
    private readonly versions: VersionsService,
    private readonly presenter: V4MergeRequestPresenter,
    private readonly answers: AnswerCache,
    private readonly commitPresenter: V4CommitPresenter,
  ) {}

  /** The commits of a merge request, newest first. */
  @Get('commits')
  @Requires('merge-request:read')
  @AnswersList(V4CommitView)
  async commits(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<VersionedAnswer> {
    const { project } = access;
    const version = await this.versions.readNewest(access, caller, await this.findId(access, iid));
    const { key, make } = this.versions.listCommits(project, version, query);
    const projectPath = `${project.namespacePath}/${project.path}`;
    return this.answers.versioned(
      { key: ['merge request commits', key, projectPath], make },
      (page) => mapPage(page, (commit) => this.commitPresenter.listed(project, commit)),
    );
  }

  /** A merge request with the files that it changes. */
  @Get('changes')
  @Requires('merge-request:read')
  @Answers(V4ChangedMergeRequestView)
  async changes(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
  ): Promise<V4ChangedMergeRequestView> {
    const request = await this.mergeRequests.read(access, caller, { iid });
    const version = await this.versions.findNewest(request.issuable);
    const entries = await this.versions.compare(access.project, version).make();
    return {
      ...(await this.presenter.presentOne(request, access)),
      changes: entries.map(presentV4Diff),
      overflow: version?.state === 'overflow',
    };
  }

  /** The files that a merge request changes. */
  @Get('diffs')
  @Requires('merge-request:read')
  @AnswersList(V4DiffView)
  async diffs(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<VersionedAnswer> {
    const version = await this.versions.readNewest(access, caller, await this.findId(access, iid));
    const { key, make } = this.versions.compare(access.project, version);
    const { page, perPage } = query;
    return this.answers.versioned(
      { key: ['diffs', key, page, perPage], make: async () => Page.of(await make(), query) },
      (entries) => mapPage(entries, presentV4Diff),
    );
  }

  private async findId({ project }: ProjectAccess, iid: number): Promise<number> {
    const number = { projectId: project.id, iid };
    return (await this.kinds.findByNumber('MergeRequest', number)).id;
  }
}
