import { Injectable } from '@nestjs/common';
import { Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { IssuableKinds } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { MergeRequestFinder } from '../merge-request-finder.js';
import { ClosingIssues } from './closing-issues.js';

/** Tells which issues a merge request closes (specification 4.7). */
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
    const { items, total, page, perPage, hasNext } = Page.of(ids, request);
    const issues = await this.kinds.of('Issue').present(items, caller);
    const shown = items.flatMap((issueId) => issues.get(issueId) ?? []);
    return new Page(shown, total, page, perPage, hasNext);
  }
}
