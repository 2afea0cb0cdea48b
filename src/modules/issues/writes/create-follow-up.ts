import { Injectable } from '@nestjs/common';
import type { ProjectAccess } from '../../access/index.js';
import { IssuableKinds } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import type { IssueWithRelations } from '../issue-relations.js';
import { CreateIssue, type CreateIssueInput } from './create-issue.js';

/**
 * Makes issues that go on with the discussions of a merge request
 * (docs/reference/issues.md#follow-up-of-a-merge-request).
 */
@Injectable()
export class CreateFollowUp {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly creation: CreateIssue,
  ) {}

  /**
   * Describes the issue by the discussions that are unresolved, unless it has a description. Nothing
   * in this version starts one, so that there are none to list or to resolve.
   * @param iid number of a merge request in the project; one that the author may not read is ignored
   * @throws DomainError as `CreateIssue`
   */
  async run(
    access: ProjectAccess,
    author: User,
    iid: number | undefined,
    input: CreateIssueInput,
  ): Promise<IssueWithRelations> {
    const isFollowUp = iid !== undefined && (await this.isReadable(access, author, iid));
    if (!isFollowUp) return this.creation.run(access, author, input);
    const fallback = `There are no unresolved discussions on !${String(iid)}.`;
    return this.creation.run(access, author, {
      ...input,
      description: input.description ?? fallback,
    });
  }

  private async isReadable(access: ProjectAccess, author: User, iid: number): Promise<boolean> {
    const kind = this.kinds.of('MergeRequest');
    const [found] = await kind.findByIid([{ projectId: access.project.id, iid }]);
    return found !== undefined && kind.allowsReading(found, access, author);
  }
}
