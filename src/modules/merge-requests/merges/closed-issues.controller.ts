import { Controller, Get, Param, Query } from '@nestjs/common';
import { AnswersList, PageQuery } from '../../../platform/http/index.js';
import { Page } from '../../../platform/pages/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { RequiresEnabled } from '../../issuables/index.js';
import { IssueView } from '../../issues/index.js';
import { User } from '../../users/index.js';
import { ClosedIssuesService } from './closed-issues.service.js';

@Controller([
  'projects/:id/merge_requests/:merge_request_id',
  'projects/:id/merge_request/:merge_request_id',
])
@RequiresEnabled('MergeRequest')
export class ClosesIssuesController {
  constructor(private readonly issues: ClosedIssuesService) {}

  /** The issues that merging the request closes. */
  @Get('closes_issues')
  @Requires('merge-request:read')
  @AnswersList(IssueView)
  list(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Query() request: PageQuery,
  ): Promise<Page<object>> {
    return this.issues.list(access, caller, id, request);
  }
}
