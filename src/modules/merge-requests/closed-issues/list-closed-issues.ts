import { Injectable } from '@nestjs/common';
import { describeInParts, Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { IssuableKinds } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { MergeRequestFinder } from '../merge-request-finder.js';
import { ClosingIssues } from './closing-issues.js';

/**
 * Tells which issues a merge request closes
 * (docs/reference/merge-requests.md#get-projectsidmerge_requestsmerge_request_idcloses_issues).
 */
@Injectable()
export class ListClosedIssues {
  constructor(
    private readonly finder: MergeRequestFinder,
    private readonly closing: ClosingIssues,
    private readonly kinds: IssuableKinds,
  ) {}

  /**
   * Issues as the API shows them, whatever their state.
   * @throws DomainError record not found, forbidden
   */
  async run(
    access: ProjectAccess,
    caller: User,
    id: number,
    request: PageRequest,
  ): Promise<Page<object>> {
    const mergeRequest = await this.finder.read(access, caller, id);
    const found = await this.closing.of(mergeRequest, access.project, caller);
    const ids = found.map(({ issuable }) => issuable.id);
    const page = Page.of(ids, request);
    const kind = this.kinds.of('Issue');
    const sizes = await kind.textBytesOf(page.items);
    return describeInParts(
      page,
      (issueId) => sizes.get(issueId) ?? 0,
      async (issueIds) => {
        const issues = await kind.present(issueIds, caller);
        return issueIds.flatMap((issueId) => issues.get(issueId) ?? []);
      },
    );
  }
}
