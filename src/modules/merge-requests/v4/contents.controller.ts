import { Get, Param, Query } from '@nestjs/common';
import type { DiffEntry } from '../../../git/index.js';
import { V4Controller } from '../../../faces/index.js';
import { Answers, AnswersList, PageQuery, VersionedAnswer } from '../../../platform/http/index.js';
import { mapPage, Page } from '../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  MaybeCaller,
  type ProjectAccess,
  Requires,
} from '../../authorization/index.js';
import { IssuableKinds, RequiresEnabled } from '../../issuables/index.js';
import { AnswerCache } from '../../repository/index.js';
import {
  presentV4Diff,
  V4CommitPresenter,
  V4CommitView,
  V4DiffView,
  V4PipelineView,
} from '../../repository/v4/index.js';
import { User } from '../../users/index.js';
import { MergeRequestsService } from '../merge-requests.service.js';
import { MergeRequestPipelines } from '../versions/merge-request-pipelines.js';
import { VersionsService } from '../versions/versions.service.js';
import { V4ChangedMergeRequestView } from './contents.view.js';
import { V4MergeRequestPresenter } from './merge-request.view.js';

/** The commits and the changes of the newest version, and the pipelines of all. */
@V4Controller('projects/:id/merge_requests/:merge_request_iid', 'MergeRequestContents')
@RequiresEnabled('MergeRequest')
export class V4ContentsController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly mergeRequests: MergeRequestsService,
    private readonly versions: VersionsService,
    private readonly pipelines: MergeRequestPipelines,
    private readonly presenter: V4MergeRequestPresenter,
    private readonly answers: AnswerCache,
    private readonly commitPresenter: V4CommitPresenter,
  ) {}

  /** The commits of a merge request, newest first. */
  @Get('commits')
  @Requires('merge-request:browse')
  @AnswersList(V4CommitView)
  async commits(
    @MaybeCaller() caller: User | null,
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
  @Requires('merge-request:browse')
  @Answers(V4ChangedMergeRequestView)
  async changes(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
  ): Promise<VersionedAnswer> {
    const request = await this.mergeRequests.read(access, caller, { iid });
    const version = await this.versions.findNewest(request.issuable);
    const { key, make, weigh } = this.versions.compare(access.project, version);
    const overflow = version?.state === 'overflow';
    const view = await this.presenter.presentOne(request, access, caller);
    const show = async (): Promise<V4ChangedMergeRequestView> => ({
      ...view,
      changes: (await make()).map(presentV4Diff),
      overflow,
    });
    return new VersionedAnswer(JSON.stringify([view, key, overflow]), show, weigh);
  }

  /** The files that a merge request changes. */
  @Get('diffs')
  @Requires('merge-request:browse')
  @AnswersList(V4DiffView)
  async diffs(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<VersionedAnswer> {
    const version = await this.versions.readNewest(access, caller, await this.findId(access, iid));
    const { key, make, weigh } = this.versions.compare(access.project, version);
    const { page, perPage } = query;
    const list = async (): Promise<Page<DiffEntry>> => Page.of(await make(), query);
    return this.answers.versioned(
      { key: ['diffs', key, page, perPage], make: list, weigh },
      (entries) => mapPage(entries, presentV4Diff),
    );
  }

  /** The pipelines of the heads that the source branch had, the newest first. */
  @Get('pipelines')
  @Requires('merge-request:read')
  @AnswersList(V4PipelineView)
  async listPipelines(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4PipelineView>> {
    const { issuable } = await this.mergeRequests.read(access, caller, { iid });
    const listed = await this.pipelines.list(issuable, access, caller, query);
    if (listed === null) return Page.of<V4PipelineView>([], query);
    const { source, pipelines } = listed;
    return mapPage(pipelines, (pipeline) => this.commitPresenter.pipeline(source, pipeline));
  }

  private async findId({ project }: ProjectAccess, iid: number): Promise<number> {
    const number = { projectId: project.id, iid };
    return (await this.kinds.findByNumber('MergeRequest', number)).id;
  }
}
