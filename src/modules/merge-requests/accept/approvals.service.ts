import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { forbidden, invalidFields } from '../../../platform/errors/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import type { ProjectAccess, Subject } from '../../authorization/index.js';
import { NotesRepository } from '../../issuables/index.js';
import { type User, UsersRepository } from '../../users/index.js';
import { MergeRequestChangeRecorder } from '../changes/merge-request-change-recorder.js';
import { issuableOf } from '../model/merge-request-kind.js';
import { type MergeRequestAction, MergeRequestChanged } from '../model/merge-request.events.js';
import { assertReadable, mayApprove } from '../model/merge-request.policy.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import { isApproved } from '../model/merge-rules.js';
import { approvalRefused, otherHead } from '../model/refusals.js';
import type { Merger } from './accept-checks.js';
import { mergeWhenBuildSucceeds } from './automatic-merge.service.js';

/** The most approvals of a merge request; no project can require as many. */
const MAX_APPROVALS = 200;

/** The approvals of a merge request, as one reader sees them. */
export interface ApprovalState {
  /** How many the project requires. */
  readonly required: number;
  /** In the order of their approvals, without deleted accounts. */
  readonly approvers: readonly User[];
  readonly hasApproved: boolean;
  /** Whether the reader may approve it now. */
  readonly mayApprove: boolean;
}

/** Approvals of merge requests (docs/decisions/0076-approvals.md). */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly users: UsersRepository,
    private readonly notes: NotesRepository,
    private readonly changes: MergeRequestChangeRecorder,
    private readonly outbox: Outbox,
  ) {}

  /** Finds the approvals of a request that the reader may read. */
  async findState(
    request: LocatedMergeRequest,
    access: ProjectAccess,
    reader: Subject,
  ): Promise<ApprovalState> {
    const { approvedByIds: ids } = request;
    const found = ids.length === 0 ? null : await this.users.findAuthors(ids);
    const approvers = ids.flatMap((id) => found?.get(id) ?? []).filter(({ ghost }) => !ghost);
    const hasApproved = reader !== null && ids.includes(reader.id);
    return {
      required: await this.findRequired(request),
      approvers,
      hasApproved,
      mayApprove: !hasApproved && mayApprove(request, access, reader),
    };
  }

  /**
   * Approves a request, which is then merged if it waited for that.
   * @param sha the head that the caller expects
   * @throws DomainError forbidden, record not found, approval refused, other head, invalid fields
   */
  async approve({ user, access }: Merger, id: number, sha?: string): Promise<void> {
    if (access.project.archived) throw forbidden();
    await this.work.run(async () => {
      // Locked against deletion: the erasure of an account removes the approvals that it finds.
      if ((await this.users.hold(user.id)) === null) throw approvalRefused('not-permitted');
      const before = await this.lock(access, user, id);
      if (!mayApprove(before, access, user)) throw approvalRefused('not-permitted');
      if (sha !== undefined && sha !== before.headSha) throw otherHead(before.headSha);
      if (before.approvedByIds.includes(user.id)) throw approvalRefused('approved-already');
      if (before.approvedByIds.length >= MAX_APPROVALS) {
        throw invalidFields({ approvals: [{ rule: 'too-many', limit: MAX_APPROVALS }] });
      }
      const after = { ...before, approvedByIds: [...before.approvedByIds, user.id] };
      const isComplete = await this.isApproved(after);
      if (before.mergeWhenBuildSucceeds && isComplete) {
        await this.outbox.addUnlessWaiting(mergeWhenBuildSucceeds.with({ mergeRequestId: id }));
      }
      await this.record(after, user, isComplete ? 'approved' : 'approval');
    });
  }

  /**
   * Withdraws the caller's approval of a request that is not merged.
   * @throws DomainError forbidden, record not found, approval refused
   */
  async withdraw({ user, access }: Merger, id: number): Promise<void> {
    if (access.project.archived) throw forbidden();
    await this.work.run(async () => {
      const before = await this.lock(access, user, id);
      if (before.state === 'merged' || !before.approvedByIds.includes(user.id)) {
        throw approvalRefused('nothing-to-withdraw');
      }
      const wasComplete = await this.isApproved(before);
      const approvedByIds = before.approvedByIds.filter((one) => one !== user.id);
      await this.record(
        { ...before, approvedByIds },
        user,
        wasComplete ? 'unapproved' : 'unapproval',
      );
    });
  }

  private async lock(access: ProjectAccess, user: User, id: number): Promise<LocatedMergeRequest> {
    return assertReadable(await this.mergeRequests.lockIn(access.project.id, id), access, user);
  }

  /** Writes the approvals with the note, activity and event of their change. */
  private async record(
    request: LocatedMergeRequest,
    user: User,
    action: MergeRequestAction,
  ): Promise<void> {
    const { id, projectId, approvedByIds } = request;
    const verb = approvedByIds.includes(user.id) ? 'approved' : 'unapproved';
    await this.mergeRequests.setApprovals(id, approvedByIds);
    await this.notes.insertSystemNote(issuableOf(request), user.id, `${verb} this merge request`);
    await this.changes.finishTodo(issuableOf(request), user.id);
    await this.changes.publishChanges([new MergeRequestChanged(projectId, id, user.id, action)]);
  }

  private async isApproved(request: LocatedMergeRequest): Promise<boolean> {
    return isApproved({ requiredApprovals: await this.findRequired(request) }, request);
  }

  private async findRequired(request: LocatedMergeRequest): Promise<number> {
    return (await this.mergeRequests.findRulesOf(request))?.requiredApprovals ?? 0;
  }
}
