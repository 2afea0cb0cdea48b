import { Injectable } from '@nestjs/common';
import { forbidden, recordNotFound } from '../../../platform/errors/index.js';
import { allows, type ProjectAccess } from '../../access/index.js';
import {
  assertFields,
  changedTriage,
  LabelLinksRepository,
  Triage,
} from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { mayEdit } from '../merge-request.policy.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import { SourceBranchRights } from '../source-branch-rights.js';
import type { Change } from './change-texts.js';
import { afterEvent } from './state-changes.js';
import type { UpdateMergeRequestInput } from './update-input.js';

/** Tells what a merge request becomes by what somebody says, and locks it for that. */
@Injectable()
export class PrepareChange {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly triage: Triage,
    private readonly links: LabelLinksRepository,
    private readonly sources: SourceBranchRights,
  ) {}

  /**
   * Labels are replaced at once, in the caller's unit of work, everything else is for it to write.
   * @throws DomainError forbidden, record not found, invalid record
   */
  async run(
    access: ProjectAccess,
    caller: User,
    id: number,
    given: UpdateMergeRequestInput,
  ): Promise<Change> {
    const before = await this.locked(access, caller, id);
    const input = permitted(access, given);
    const removal = await this.removal(before, caller, given.forceRemoveSourceBranch);
    assertFields(input);
    const { labels, ...triaged } = await this.triage.resolve(
      access.project,
      changedTriage(before, input),
    );
    const { assignee, milestone } = triaged;
    const ids = labels?.map((label) => label.id);
    return {
      before,
      after: {
        ...afterEvent(withTexts(before, input), input.stateEvent),
        ...removal,
        ...(assignee === undefined ? {} : { assigneeId: assignee?.id ?? null }),
        ...(milestone === undefined ? {} : { milestoneId: milestone?.id ?? null }),
      },
      ...triaged,
      ...(ids === undefined
        ? {}
        : { labels: await this.links.replace({ type: 'MergeRequest', id }, ids) }),
    };
  }

  /** That the branch is removed can be wished for by those alone who may remove it. */
  private async removal(
    { sourceProjectId }: LocatedMergeRequest,
    caller: User,
    isWished: boolean | undefined,
  ): Promise<Partial<LocatedMergeRequest>> {
    if (isWished === undefined) return {};
    const forceRemoveGiven = true;
    if (!isWished)
      return { forceRemoveSourceBranch: false, forceRemoveGiven, forceRemoveById: null };
    if ((await this.sources.find(caller, sourceProjectId)) === null) return {};
    return { forceRemoveSourceBranch: true, forceRemoveGiven, forceRemoveById: caller.id };
  }

  private async locked(
    access: ProjectAccess,
    caller: User,
    id: number,
  ): Promise<LocatedMergeRequest> {
    const found = await this.mergeRequests.lockIn(access.project.id, id);
    if (found === null) throw recordNotFound();
    if (!mayEdit(found, access, caller)) throw forbidden();
    return found;
  }
}

/** What is left of the input for somebody with this standing. */
function permitted(access: ProjectAccess, given: UpdateMergeRequestInput): UpdateMergeRequestInput {
  const { assigneeId, milestoneId, labels, title, ...rest } = given;
  const triage = allows(access, 'merge-request:triage') ? { assigneeId, milestoneId, labels } : {};
  return { ...rest, ...triage, title: title?.trim() };
}

/** Where it was merged into is the past, and stays. */
function withTexts(
  before: LocatedMergeRequest,
  { title, description, targetBranch }: UpdateMergeRequestInput,
): LocatedMergeRequest {
  const isMerged = before.state === 'merged';
  return {
    ...before,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(targetBranch === undefined || isMerged ? {} : { targetBranch }),
  };
}
