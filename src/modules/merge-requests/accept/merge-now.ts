import { Injectable } from '@nestjs/common';
import { referenceText } from '../../issuables/index.js';
import { ClosingIssues } from '../closed-issues/closing-issues.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { FinishMerge } from './finish-merge.js';
import { MergeBranches, type Merger } from './merge-branches.js';
import { mergeMessage } from './merge-message.js';
import type { MergeTerms } from './merge-terms.js';

/** Merges what was found to be in order, with all that belongs to it. */
@Injectable()
export class MergeNow {
  constructor(
    private readonly branches: MergeBranches,
    private readonly closing: ClosingIssues,
    private readonly finish: FinishMerge,
  ) {}

  /** @throws DomainError as `MergeBranches.run` */
  async run(
    merger: Merger,
    mergeRequest: LocatedMergeRequest,
    { message, removeSourceBranch }: MergeTerms,
    { isAutomatic }: { isAutomatic: boolean },
  ): Promise<void> {
    await this.branches.run(merger, {
      mergeRequest,
      message: message ?? (await this.messageFor(merger, mergeRequest)),
      removeSourceBranch,
      isAutomatic,
    });
    await this.finish.now(mergeRequest.id);
  }

  private async messageFor(
    { user, access }: Merger,
    request: LocatedMergeRequest,
  ): Promise<string> {
    const { project } = access;
    const issues = await this.closing.of(request, project, user);
    const names = issues.map(({ issuable, access: { project: home } }) =>
      referenceText(`#${String(issuable.iid)}`, home, project),
    );
    return mergeMessage(request, names);
  }
}
