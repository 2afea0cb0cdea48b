import { Injectable } from '@nestjs/common';
import { forbidden, invalidRecord, notFound } from '../../../platform/errors/index.js';
import { allows, canSee, type ProjectAccess, ProjectAccessRepository } from '../../access/index.js';
import { assertFields, invalidFields, type TriageInput } from '../../issuables/index.js';
import { PushLock } from '../../repository/index.js';
import type { User } from '../../users/index.js';
import type { MergeRequestWithRelations } from '../merge-request-relations.js';
import { mayRemoveBranches } from '../source-branch-rights.js';
import { BranchChecks } from './branch-checks.js';
import { MakeMergeRequest } from './make-merge-request.js';

export interface CreateMergeRequestInput extends TriageInput {
  sourceBranch: string;
  targetBranch: string;
  /** The source project when absent. */
  targetProjectId?: number | undefined;
  title: string;
  description?: string | undefined;
  forceRemoveSourceBranch?: boolean | undefined;
}

/** Opens merge requests (docs/reference/merge-requests.md#post-projectsidmerge_requests). */
@Injectable()
export class CreateMergeRequest {
  constructor(
    private readonly pushLock: PushLock,
    private readonly projects: ProjectAccessRepository,
    private readonly checks: BranchChecks,
    private readonly making: MakeMergeRequest,
  ) {}

  /**
   * What the author may not say in the target project, or may not do to the branch, is passed over.
   * @param access to the source project
   * @throws DomainError forbidden, not found, unprocessable, conflict, invalid record
   */
  async run(
    access: ProjectAccess,
    author: User,
    { targetProjectId, ...input }: CreateMergeRequestInput,
  ): Promise<MergeRequestWithRelations> {
    const source = access.project;
    if (source.archived) throw forbidden();
    const into = await this.target(access, author, targetProjectId ?? source.id);
    const target = into.project;
    const title = input.title.trim();
    assertGiven({ ...input, title });
    const forceRemoveSourceBranch = input.forceRemoveSourceBranch && mayRemoveBranches(access);
    const { assigneeId, milestoneId, labels, ...rest } = {
      ...{ ...input, title },
      forceRemoveSourceBranch,
    };
    const triage = allows(into, 'merge-request:triage') ? { assigneeId, milestoneId, labels } : {};
    assertFields({ ...rest, labels: triage.labels });
    await this.checks.assertRelated({ source, target });
    return this.checks.untilAlone(() =>
      this.pushLock.hold([source.id, target.id], async () => {
        await this.checks.assertRelated({ source, target });
        await this.checks.assertPossible({ source, target, ...rest });
        return this.making.run({ ...rest, source, target, author, triage });
      }),
    );
  }

  /** @throws DomainError not found for what the author cannot see, forbidden */
  private async target(access: ProjectAccess, author: User, id: number): Promise<ProjectAccess> {
    if (id === access.project.id) return access;
    const found = await this.projects.find(author, { id });
    if (found === null || !canSee(found)) throw notFound('Project');
    if (!found.project.mergeRequestsEnabled || found.project.archived) throw forbidden();
    return found;
  }
}

/** What is blank can mean nothing (docs/reference/conventions.md#required-parameters). */
function assertGiven({ title, sourceBranch, targetBranch }: CreateMergeRequestInput): void {
  const blank = (value: string): string[] => (value.trim() === '' ? ["can't be blank"] : []);
  const errors = invalidFields({
    source_branch: blank(sourceBranch),
    target_branch: blank(targetBranch),
    title: blank(title),
  });
  if (errors !== null) throw invalidRecord(errors);
}
