import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { AnswersList, PageQuery } from '../../../platform/http/index.js';
import { mapPageInParts, type Page } from '../../../platform/pagination/index.js';
import {
  Access,
  InProject,
  MaybeCaller,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../authorization/index.js';
import { RequiresEnabled } from '../../issuables/index.js';
import { User } from '../../users/index.js';
import { CommitMergeRequestsService } from '../merges/commit-merge-requests.service.js';
import { RelatedMergeRequestsService } from '../merges/related-merge-requests.service.js';
import type { MergeRequestWithRelations } from '../model/merge-requests.repository.js';
import { toStates, V4ListCommitMergeRequestsDto } from './merge-request-list.dto.js';
import { V4MergeRequestPresenter, V4MergeRequestView } from './merge-request.view.js';

/** The merge requests of a commit or an issue. */
@V4Controller('projects/:id', 'RelatedMergeRequests')
export class V4RelatedController {
  constructor(
    private readonly ofCommits: CommitMergeRequestsService,
    private readonly related: RelatedMergeRequestsService,
    private readonly presenter: V4MergeRequestPresenter,
  ) {}

  /** The merge requests into a project that bring a commit, the newest first. */
  @Get('repository/commits/:sha/merge_requests')
  @Requires('merge-request:browse-all')
  @RequiresEnabled('MergeRequest')
  @AnswersList(V4MergeRequestView)
  async ofCommit(
    @MaybeCaller() caller: User | null,
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() query: V4ListCommitMergeRequestsDto,
  ): Promise<Page<V4MergeRequestView>> {
    const page = await this.ofCommits.list(project, caller, sha, toStates(query), query);
    return this.present(page, caller);
  }

  /** The merge requests that mention an issue, and those that its description mentions. */
  @Get('issues/:issue_iid/related_merge_requests')
  @Requires('issue:browse')
  @AnswersList(V4MergeRequestView)
  async ofIssue(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('issue_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4MergeRequestView>> {
    return this.present(await this.related.list(access, caller, iid, query), caller);
  }

  /** The merge requests into the project of an issue that close it when they are merged, the newest first. */
  @Get('issues/:issue_iid/closed_by')
  @Requires('issue:browse')
  @AnswersList(V4MergeRequestView)
  async closing(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('issue_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4MergeRequestView>> {
    return this.present(await this.related.listClosing(access, caller, iid, query), caller);
  }

  private present(
    page: Page<MergeRequestWithRelations>,
    reader: User | null,
  ): Promise<Page<V4MergeRequestView>> {
    return mapPageInParts(page, (requests) => this.presenter.presentAll(requests, { reader }));
  }
}
