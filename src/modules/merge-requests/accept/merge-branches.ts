import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, NewObjects, type Oid, type Repository } from '../../../git/index.js';
import { conflict, unauthenticated } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { ApiPush, committerOf, type PushPlan } from '../../repository/index.js';
import type { User } from '../../users/index.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import { FollowedRequestsRepository } from '../refresh/followed-requests.repository.js';
import { storedRemoval } from '../source-branch-removal.js';
import { assertUnchanged, cannotBeMerged } from './accept-checks.js';
import { MergeAttemptsRepository } from './merge-attempts.repository.js';
import type { MergeTerms } from './merge-terms.js';
import { SourceBranches } from './source-branches.js';

export interface Merger {
  user: User;
  access: ProjectAccess;
}

/** A merge that was found to be in order, with the text of its commit. */
export interface DueMerge extends Pick<MergeTerms, 'removeSourceBranch'> {
  mergeRequest: LocatedMergeRequest;
  message: string;
  /** Whether it waited for the build, and is merged only if it still does. */
  isAutomatic: boolean;
}

/**
 * Merges the head of a merge request into its target branch: a push by whom accepts it, of one commit with
 * two parents. What the push makes of the request is written where all pushes are recorded, so a merge
 * that a crash interrupts is finished by whoever settles the push.
 */
@Injectable()
export class MergeBranches {
  constructor(
    private readonly apiPush: ApiPush,
    private readonly requests: MergeRequestsRepository,
    private readonly followed: FollowedRequestsRepository,
    private readonly attempts: MergeAttemptsRepository,
    private readonly sources: SourceBranches,
  ) {}

  /**
   * Not to be called inside a unit of work.
   * @throws DomainError unauthenticated, not acceptable when it was closed, method not allowed when it
   *   cannot be merged, conflict when somebody else has merged or changed it meanwhile, unavailable,
   *   storage limit
   */
  async run({ user, access }: Merger, due: DueMerge): Promise<void> {
    await this.apiPush.push(
      { access, userId: user.id },
      async (repository) => {
        await this.assertStillDue(due);
        const plan = await this.plan(repository, user, due);
        await this.lock(due, user.id);
        return plan;
      },
      { isMerge: true, refused: unauthenticated },
    );
  }

  /** Tells in time what makes a merge pointless: git has nothing to merge any more of what was merged. */
  private async assertStillDue({ mergeRequest }: DueMerge): Promise<void> {
    const { projectId, id } = mergeRequest;
    assertUnchanged(await this.requests.findIn(projectId, id), mergeRequest);
  }

  /**
   * From here to the record of the merge nobody else closes or edits the request, nor the others that the
   * merge concerns: locked one by one as the record comes to them, they would be in nobody's order.
   */
  private async lock({ mergeRequest, isAutomatic }: DueMerge, userId: number): Promise<void> {
    const { projectId, id, targetBranch } = mergeRequest;
    await this.followed.hold(projectId, [targetBranch]);
    const current = await this.requests.lockIn(projectId, id);
    assertUnchanged(current, mergeRequest);
    const isWanted = current.mergeWhenBuildSucceeds && current.mergeUserId === userId;
    if (isAutomatic && !isWanted) throw conflict();
  }

  private async plan(
    repository: Repository,
    user: User,
    { mergeRequest, message, removeSourceBranch }: DueMerge,
  ): Promise<PushPlan<void>> {
    const { id, headSha } = mergeRequest;
    const ref = BRANCH_PREFIX + mergeRequest.targetBranch;
    const oldOid = await repository.refs.get(ref);
    if (oldOid === null || headSha === null || !(await this.sources.exists(mergeRequest))) {
      throw cannotBeMerged();
    }
    const { objects, newOid } = await mergeCommit(repository, user, [oldOid, headSha], message);
    const attempt = {
      mergeRequestId: id,
      commitSha: newOid,
      userId: user.id,
      ...storedRemoval(removeSourceBranch),
    };
    return {
      updates: [{ ref, oldOid, newOid }],
      objects,
      beforehand: () => this.attempts.put(attempt),
      result: undefined,
    };
  }
}

/** @throws DomainError method not allowed when there is a conflict or nothing to merge */
async function mergeCommit(
  repository: Repository,
  user: User,
  parents: readonly [ours: Oid, theirs: Oid],
  message: string,
): Promise<{ objects: NewObjects; newOid: Oid }> {
  const [ours, theirs] = parents;
  const merged = (await repository.isAncestor(theirs, ours))
    ? null
    : await repository.mergeCommits(ours, theirs);
  if (merged === null) throw cannotBeMerged();
  const objects = new NewObjects();
  objects.addAll(merged.objects);
  const committer = committerOf(user);
  const { tree } = merged;
  const newOid = objects.commit({ tree, parents, author: committer, committer, message });
  return { objects, newOid };
}
