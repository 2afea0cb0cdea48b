import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import { OnPostReceive, type ReceivedPush } from '../../repository/index.js';
import type { BranchWithRequest } from '../model/merge-request.sql.js';
import { MergeRequestsRepository } from '../model/merge-requests.repository.js';

/** Prints the addresses of merge requests to users who push (docs/reference/git.md#what-follows-a-push). */
@Injectable()
export class MergeRequestLinks {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly urls: Urls,
  ) {}

  /** Returns the lines that `git push` prints: for each branch its merge request, or where to create one. */
  @OnPostReceive()
  async linesFor(push: ReceivedPush): Promise<string[]> {
    if (!push.printsMessages) return [];
    const { project, userId, branches } = push;
    const names = branches.filter(({ isDefault }) => !isDefault).map(({ name }) => name);
    if (names.length === 0) return [];
    const found = await this.mergeRequests.findForPusher(project.id, names, userId);
    return found.length === 0 ? [] : ['', ...found.flatMap((one) => this.linesOf(one)), ''];
  }

  private linesOf({ branch, fullPath, iid, targetPath }: BranchWithRequest): string[] {
    if (iid !== null && targetPath !== null) {
      const url = this.urls.web(...targetPath.split('/'), 'merge_requests', String(iid));
      return [`View merge request for ${branch}:`, `  ${url}`];
    }
    const page = this.urls.web(...fullPath.split('/'), 'merge_requests', 'new');
    const query = new URLSearchParams({ 'merge_request[source_branch]': branch });
    return [`To create a merge request for ${branch}, visit:`, `  ${page}?${query.toString()}`];
  }
}
